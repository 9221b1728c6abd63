import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

@Suite("The companion's life", .onOwnThreadWithFewOthers)
struct CompanionLifeTests {
  private func routes(_ run: String, _ more: String = "") -> String {
    #"{ routes: [{ link: "app://go/:what", navigate: ["/{what}"], run: \#(run)\#(more) }] }"#
  }

  @Test("Fifty programs leave no zombie; a missing one is a failure, not a crash")
  func children() throws {
    let house = try House()
    let companion = try house.companion(routes: routes(#"["true"]"#), ["--execute"])
    let list = (0..<50).map { #"{"id":"n\#($0)","url":"app://go/x"}"# }.joined(separator: ",")
    try house.ask("[\(list)]")
    try companion.event("opened", "n49", within: .seconds(30))
    #expect(try companion.events("opened").count == 50)
    try eventually("no children") { ProcessTree.descendants(of: companion.pid).isEmpty }
    try companion.stop()

    let other = try house.companion(
      routes: routes(#"["no-such-program-here", "{what}"]"#), ["--execute"], home: companion.home)
    try house.command(#"{"id":"m","url":"app://go/x"}"#)
    let failed = try other.event("failed", "m")
    #expect(failed["reason"]?.text?.contains("no-such-program-here") == true, "\(failed.written)")
    try house.waitForState("m", "failed")
  }

  @Test(
    "A program that does not end is ended at its time limit with its children, and the next link has its turn"
  )
  func timeLimit() throws {
    let house = try House()
    let folder = try TemporaryDirectory()
    let script = "#!/bin/sh\n[ \"$1\" = slow ] || exit 0\nsleep 600 & echo $! > '\(folder.path)/pid'\nwait\n"
    chmod(try folder.write("go", script), 0o755)
    let companion = try house.companion(
      routes: routes(#"["\#(folder.path)/go", "{what}"]"#, #", timeout: "1s""#),
      ["--execute", "--keep-alive", "5s"])
    try house.command(#"{"id":"slow","url":"app://go/slow"}"#)
    try house.command(#"{"id":"next","url":"app://go/next"}"#)
    #expect(try companion.event("failed", "slow")["reason"]?.text?.isEmpty == false)
    try companion.event("opened", "next")
    let pid = try #require(pid_t(folder.read("pid")?.filter(\.isNumber) ?? ""))
    try eventually("the grandchild's end") { !ProcessTree.exists(pid) }
  }

  @Test(
    "A program that takes longer than the keep-alive costs no connection, and what came meanwhile follows in order"
  )
  func slow() throws {
    let house = try House()
    let kiosk = try Kiosk()
    let companion = try house.companion(
      routes: routes(#"["kiosk-show", "{what}"]"#), ["--execute", "--keep-alive", "5s"],
      environment: kiosk.environment)
    try kiosk.hold()
    for number in 0..<5 { try house.command(#"{"id":"s\#(number)","url":"app://go/\#(number)"}"#) }
    try house.client.subscribe("carillon/device/desk/status")
    try eventually("the first step") { kiosk.log == ["begin 0"] }
    try house.waitForState("s4", "received")
    // By default one and a half times the keep-alive, after which the broker would have given the connection up.
    let seconds = getenv("CARILLON_STEP_SECONDS").flatMap { Int(String(cString: $0)) } ?? 9
    try house.client.listen(for: .seconds(seconds))
    kiosk.release()
    try companion.event("opened", "s4")
    #expect(try companion.events("opened").map { $0["id"]?.text } == (0..<5).map { "s\($0)" })
    #expect(!house.client.messages.contains { $0.text == "offline" })
    #expect(!companion.lines(.errors).contains { $0.contains("disconnected") })
  }

  @Test("Another program with the same name is told once, and the two do not throw each other out for ever")
  func takeover() throws {
    let house = try House()
    let programs = try (0..<2).map { _ in try house.companion() }
    func notices(_ program: Program) -> Int {
      program.lines(.errors).filter { $0.contains("another program uses") }.count
    }
    try eventually("the notice", within: .seconds(20)) { programs.contains { notices($0) > 0 } }
    let before = house.broker.log.components(of: "carillon-device-desk").count
    try house.client.listen(for: .seconds(3))
    #expect(programs.allSatisfy { notices($0) <= 1 })
    // Each may have come back once; then the one that knows leaves the other alone for a minute.
    #expect(house.broker.log.components(of: "carillon-device-desk").count - before < 12)
  }

  @Test("A program that stays is not waited for, and stays when the companion ends")
  func stays() throws {
    let house = try House()
    let kiosk = try Kiosk()
    let companion = try house.companion(
      routes: routes(#"["kiosk-show", "{what}"]"#, ", wait: false"), ["--execute"],
      environment: kiosk.environment)
    try kiosk.hold()
    try house.command(#"{"id":"a","url":"app://go/a"}"#)
    try house.command(#"{"id":"b","url":"app://go/b"}"#)
    try companion.event("opened", "b")
    try eventually("both programs") { Set(kiosk.log) == ["begin a", "begin b"] }
    try companion.stop()
    kiosk.release()
    try eventually("both to end by themselves") { kiosk.log.count == 4 }
  }

  @Test("A program that a route runs is told so, and is given no socket")
  func inheritance() throws {
    let house = try House()
    let folder = try TemporaryDirectory()
    let script =
      "#!/bin/sh\nls -l /proc/self/fd > '\(folder.path)/fds'\necho \"$CARILLON_OPEN\" > '\(folder.path)/open'\n"
    chmod(try folder.write("go", script), 0o755)
    let companion = try house.companion(routes: routes(#"["\#(folder.path)/go"]"#), ["--execute"])
    try house.command(#"{"id":"a","url":"app://go/a"}"#)
    try companion.event("opened", "a")
    let open = try #require(folder.read("fds"))
    #expect(!open.contains("socket:") && !open.contains("inbox.db"), "\(open)")
    #expect(folder.read("open") == "1\n")
  }

  @Test("A program that fails ends its navigation; later steps do not run, later links do")
  func failing() throws {
    let house = try House()
    let companion = try house.companion(
      routes:
        #"{ routes: [{ link: "app://bad", navigate: ["/a", "/b"], run: ["false"] }, { link: "app://good", navigate: ["/c"] }] }"#,
      ["--execute"])
    try house.command(#"{"id":"bad","url":"app://bad"}"#)
    try house.command(#"{"id":"good","url":"app://good"}"#)
    try companion.event("failed", "bad")
    try companion.event("opened", "good")
    #expect(try companion.events("navigate", "bad").count == 1)
  }

  @Test("Killed in the middle of a step it does not run it again, and reports it as interrupted")
  func interrupted() throws {
    let house = try House()
    let kiosk = try Kiosk()
    let text = routes(#"["kiosk-show", "{what}"]"#)
    let first = try house.companion(routes: text, ["--execute"], environment: kiosk.environment)
    try kiosk.hold()
    try house.command(#"{"id":"a","url":"app://go/a"}"#)
    try house.command(#"{"id":"b","url":"app://go/b"}"#)
    try eventually("the step") { kiosk.log == ["begin a"] }
    try house.waitForState("b", "received")
    first.kill()
    try first.waitForExit()
    kiosk.release()
    let second = try house.companion(
      routes: text, ["--execute"], home: first.home, environment: kiosk.environment)
    #expect(try second.event("failed", "a")["reason"] == "interrupted")
    try second.event("opened", "b")
    #expect(kiosk.log.filter { $0.hasPrefix("begin") } == ["begin a", "begin b"])
    try house.waitForState("a", "failed")
  }

  @Test("A second companion on one inbox does not start")
  func second() throws {
    let house = try House()
    let first = try house.companion()
    let second = try house.companion(home: first.home, isReady: false)
    let exit = try second.waitForExit()
    #expect(exit == .exited(75), "\(second.lines(.errors))")
  }

  @Test(
    "It stops within five seconds, also with a program running and the broker silent",
    arguments: [false, true])
  func stops(frozen: Bool) throws {
    let house = try House()
    let kiosk = try Kiosk()
    let forwarder = try Forwarder(to: house.broker.port)
    let companion = try house.companion(
      routes: routes(#"["kiosk-show", "{what}"]"#), ["--execute", "--broker", forwarder.url],
      environment: kiosk.environment)
    try kiosk.hold()
    try house.command(#"{"id":"a","url":"app://go/a"}"#)
    try eventually("the step") { kiosk.log == ["begin a"] }
    if frozen { forwarder.freeze() }
    companion.terminate()
    // Five seconds are promised; the rest is for a machine that is busy with other things.
    #expect(try companion.waitForExit(within: .seconds(8)) == .exited(0))
  }

  @Test("Its lines for people are one a notification and one a step")
  func textLines() throws {
    let house = try House()
    let home = try TemporaryDirectory(inMemory: true)
    let file = try home.write(
      "routes.json5", #"{ routes: [{ link: "app://go/:what", navigate: ["/", "/{what}"] }] }"#)
    let companion = try Program(
      ["companion", "--broker", house.broker.url, "--device", "desk", "--routes", file], home: home)
    try house.waitForStatus("device/desk", "online")
    try house.command(#"{"id":"a","title":"Tea","body":"two\nlines \u001b[31mred","url":"app://go/tea"}"#)
    try house.command(#"{"id":"b","title":"Nowhere","url":"app://other"}"#)
    try companion.wait(for: "the failure") { $0.contains("no route") }
    let lines = companion.lines()
    #expect(lines.count == 5, "\(lines)")
    #expect(lines[0].contains("Tea") && lines[0].contains("two lines") && !lines[0].contains("\u{1B}"))
    #expect(lines.filter { $0.contains("1 of 2: /") || $0.contains("2 of 2: /tea") }.count == 2)
  }
}
