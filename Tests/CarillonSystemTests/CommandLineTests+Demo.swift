import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

extension CommandLineTests {
  // MARK: The demo

  @Test("The demo plays, ends by itself with 0, and leaves neither program nor file")
  func demo() throws {
    let home = try TemporaryDirectory()
    let temporary = home.file("tmp")
    mkdir(temporary, 0o755)
    let demo = try Program(["demo"], environment: ["TMPDIR": temporary], home: home)
    try demo.wait(for: "the play", within: .seconds(30)) {
      $0.contains("notification") || $0.contains("step ")
    }
    let family = ProcessTree.descendants(of: demo.pid).map(\.pid)
    let exit = try demo.waitForExit(within: .seconds(90))
    #expect(family.count >= 4 && !family.contains(where: ProcessTree.exists))
    #expect(exit == .exited(0), "\(demo.lines(.errors))")
    #expect(demo.lines().count > 10)
    #expect(contents(of: temporary) == [])
  }

  @Test("Interrupted, the demo clears away all the same", arguments: [SIGINT, SIGTERM])
  func interruptedDemo(signal: Int32) throws {
    let home = try TemporaryDirectory()
    let temporary = home.file("tmp")
    mkdir(temporary, 0o755)
    let demo = try Program(["demo"], environment: ["TMPDIR": temporary], home: home)
    try demo.wait(for: "the play", within: .seconds(30)) {
      $0.contains("notification") || $0.contains("step ")
    }
    let family = ProcessTree.descendants(of: demo.pid).map(\.pid)
    #expect(family.count >= 4)
    demo.signal(signal)
    let exit = try demo.waitForExit(within: .seconds(20))
    #expect(exit != .exited(0))
    try eventually("everything to be gone") { !family.contains(where: ProcessTree.exists) }
    #expect(contents(of: temporary) == [])
  }

  private func contents(of folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
