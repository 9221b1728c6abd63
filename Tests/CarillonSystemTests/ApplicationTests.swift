import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

@Suite("A link that an application takes", .onOwnThreadWithFewOthers)
struct ApplicationTests {
  private let example = Example("application")

  /// The example's program, noting its process.
  private func install(in home: TemporaryDirectory) throws {
    let script = """
      #!/bin/sh
      echo $$ >> '\(home.path)/started'
      exec '\(example.folder)/bins-app.py'
      """
    chmod(try home.write("bins-app.py", script + "\n"), 0o755)
  }

  private func started(in home: TemporaryDirectory) -> [pid_t] {
    (home.read("started") ?? "").split(separator: "\n").compactMap { pid_t($0) }
  }

  @Test("It is started for the first, found attached by the next, and attaches again to a new companion")
  func coldAndWarm() throws {
    let house = try House()
    let home = try TemporaryDirectory()
    try install(in: home)
    defer { for process in started(in: home) { kill(process, SIGKILL) } }
    let arguments = ["--config", "\(example.folder)/companion.json5"]
    var companion = try house.companion(arguments, home: home)
    let steps: [JSON] = ["/", "/chores", "/chores/bins"]

    try house.command(try example.text("request.json"))
    try companion.event("opened", "bins")
    #expect(try companion.events("navigate").map { $0["to"] } == steps)
    try house.command(try example.text("request.json"))
    try companion.event("opened", "bins", number: 2)
    #expect(try companion.events("navigate").map { $0["to"] } == steps + steps)
    #expect(started(in: home).count == 1)
    // Its own output comes on the companion's standard error, since the companion prints objects.
    let cold = ["attached desk", "screen /", "screen /chores", "screen /chores/bins"]
    let warm = ["notification Bins out"] + cold.dropFirst()
    let known = Set(cold + warm)
    try companion.wait(on: .errors) { $0 == "screen /chores/bins" }
    let shown = companion.lines(.errors).filter { known.contains($0) }
    #expect(shown == cold + warm)
    try house.waitForState("bins", "opened")

    try companion.stop()
    companion = try house.companion(arguments, home: home)
    try eventually("the application to attach again") {
      started(in: home).count == 1
        && companion.lines(.errors).contains { $0.contains("bins-app") && $0.contains("is attached") }
    }
    try house.command(try example.text("request.json"))
    try companion.event("opened", "bins")
    #expect(started(in: home).count == 1)
    try companion.stop()
  }
}

extension House {
  fileprivate func companion(_ arguments: [String], home: TemporaryDirectory) throws -> Program {
    try companion("desk", arguments, home: home)
  }
}
