import CarillonTestSupport
import Glibc
import Testing

/// The harness itself: a test that waits for a program must not be fooled.
@Suite struct ProgramTests {
  @Test func linesAreCapturedAsTheyCome() throws {
    let program = try Program(
      ["-c", "echo one; echo two >&2; read x; echo got $x"], executable: "/bin/sh", takesInput: true)
    try program.wait { $0 == "one" }
    try program.wait(on: .errors) { $0 == "two" }
    #expect(!program.hasEnded)
    try program.send("three")
    #expect(try program.wait { $0.hasPrefix("got") } == "got three")
    #expect(try program.waitForExit() == .exited(0))
    #expect(program.lines() == ["one", "got three"])
  }

  @Test func whatDoesNotComeIsAFailureThatShowsWhatWasSaid() throws {
    let program = try Program(["-c", "echo other; echo why >&2; exit 3"], executable: "/bin/sh")
    let failure = #expect(throws: TestFailure.self) { try program.wait(for: "the line") { $0 == "line" } }
    #expect(failure?.description == "the line did not come (it ended).\nstdout:\nother\nstderr:\nwhy")
    #expect(try program.waitForExit() == .exited(3))
  }

  @Test func itIsKilledByItsNumber() throws {
    let program = try Program(["60"], executable: "/bin/sleep")
    program.kill()
    #expect(try program.waitForExit() == .signaled(SIGKILL))
  }

  @Test func itEndsWithItsObject() throws {
    var program: Program? = try Program(["60"], executable: "/bin/sleep")
    let pid = try #require(program?.pid)
    program = nil
    #expect(kill(pid, 0) == -1)
  }

  @Test func itsHomeIsItsOwn() throws {
    let program = try Program(["-c", "pwd; echo $HOME $XDG_STATE_HOME"], executable: "/bin/sh")
    try program.waitForExit()
    let home = program.home.path
    #expect(program.lines() == [home, "\(home) \(home)/.xdg_state_home"])
  }
}
