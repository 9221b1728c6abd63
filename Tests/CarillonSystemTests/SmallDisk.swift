import CarillonLoop
import CarillonTestSupport
import FoundationEssentials
import Glibc

/// A file system of a few megabytes in memory, at a folder of its own, gone with this object.
final class SmallDisk {
  let path: String
  private let folder: TemporaryDirectory

  /// Why tests with one are skipped where they are.
  static let need = "mounting a file system takes root's rights"

  /// Whether this process may mount one.
  static let isAllowed: Bool = (try? SmallDisk(kilobytes: 64)) != nil

  init(kilobytes: Int) throws {
    folder = try TemporaryDirectory()
    path = folder.path
    try SmallDisk.run(["mount", "-t", "tmpfs", "-o", "size=\(kilobytes)k,mode=700", "carillon-test", path])
  }

  deinit { try? SmallDisk.run(["umount", "-l", path]) }

  func file(_ name: String) -> String { folder.file(name) }

  /// Takes all the space that is left.
  func fill() throws {
    let filler = open(file("filler"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard filler >= 0 else { throw TestFailure("cannot fill \(path)") }
    defer { close(filler) }
    let block = [UInt8](repeating: 0x20, count: 4096)
    while write(filler, block, block.count) > 0 {}
  }

  /// Gives the space back.
  func free() throws {
    try FileManager.default.removeItem(atPath: file("filler"))
  }

  /// Lets nobody write, or everybody again.
  func remount(readOnly: Bool) throws {
    try SmallDisk.run(["mount", "-o", readOnly ? "remount,ro" : "remount,rw", path])
  }

  private static func run(_ words: [String]) throws {
    var spawn = Spawn(["/usr/bin/env"] + words)
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { close(null) }
    spawn.standardError = null
    guard try ChildProcess(spawn).waitForExit() == .exited(0) else {
      throw TestFailure("\(words.joined(separator: " ")) is not allowed here")
    }
  }
}
