import CarillonTestSupport
import Glibc
import Testing

@testable import CarillonCommands

@Suite struct DemoTests {
  @Test func theBrokerIsFoundInThePathAndWhereDebianKeepsIt() throws {
    let directory = try TemporaryDirectory()
    let program = try directory.write("mosquitto", "")
    chmod(program, 0o755)
    #expect(DemoBroker.program("/nonexistent:\(directory.path)") == program)
    #expect(DemoBroker.program(nil) == DemoBroker.program("/nonexistent"))
  }

  @Test func aFreePortIsOneThatNobodyListensOn() throws {
    let port = try DemoBroker.freePort()
    #expect(port > 0)
    #expect(!DemoBroker.answers(port))
    #expect(DemoBroker.configuration(port).hasPrefix("listener \(port) 127.0.0.1\n"))
  }

  @Test func aProgramsLinesAreHandedOnToTheLast() throws {
    let stage = try DemoStage(Console { _, _ in true }, [:])
    let process = try stage.start("p", ["sh", "-c", "echo out; echo err >&2; printf last; exit 3"])
    #expect(try stage.wait(.seconds(10)) { process.isOver })
    #expect(process.lines == ["out", "err", "last"])
    #expect(process.exit == .exited(3))
    stage.clear()
  }

  @Test func whateverStillRunsIsEndedAndTheFolderIsGone() throws {
    let stage = try DemoStage(Console { _, _ in true }, ["CARILLON_PREFIX": "mine"])
    let process = try stage.start("p", ["sh", "-c", "echo \"[$CARILLON_PREFIX]\"; sleep 1000 & wait"])
    #expect(try stage.wait(.seconds(10)) { process.lines == ["[]"] })
    #expect(access(stage.folder, F_OK) == 0)
    stage.clear()
    #expect(process.exit == .signaled(SIGTERM))
    try eventually("the group has ended") { kill(-process.pid, 0) == -1 }
    #expect(access(stage.folder, F_OK) == -1)
  }
}
