import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

/// A process that dies at a named place, and what holds after it has been started again.
@Suite(.onOwnThread)
struct CrashFaults {
  /// Waits until the process has died of its fault, which it has announced.
  private func expectDeath(_ program: Program, at fault: String) throws {
    let place = fault.prefix { $0 != ":" }
    #expect(try program.waitForExit(within: .seconds(30)) == .signaled(SIGKILL))
    #expect(program.lines(.errors).contains("fault point \(place)"))
  }

  /// Acted on once, and told so.
  private func expectOnce(_ bench: CrashBench, _ names: String...) throws {
    try bench.eventually("the action") { Set(bench.actions().keys).isSuperset(of: names) }
    try bench.read(for: .milliseconds(300))
    for name in names { #expect(bench.actions()[name] == 1, "\(name)") }
    #expect(bench.failures().isEmpty)
    #expect(bench.notifications().count == names.count, "one firing each")
  }

  // MARK: The relay

  @Test(arguments: ["relay.received", "relay.committed"])
  func aCommandRunsOnceWhereverTheRelayDiesAroundItsCommit(place: String) throws {
    let bench = try CrashBench()
    try bench.startCompanion()
    let relay = try bench.startRelay(fault: place)
    try bench.wait(for: "the relay") { $0.isOnline("carillon/relay/status") }
    let topic = "carillon/reply/p/1"
    try bench.onlooker.subscribe("carillon/reply/#")
    try bench.publisher.publish(
      "carillon/command/p", command("a", more: #","trigger":{"after":2}"#), responseTopic: topic)
    try expectDeath(relay, at: place)
    try bench.startRelay()
    // The broker sends it again, since it has no acknowledgement; its reply comes now.
    try bench.wait(for: "the reply") { $0.topic == topic && $0.object?["ok"] == .bool(true) }
    try expectOnce(bench, "a")
  }

  @Test(arguments: ["relay.received", "relay.committed"])
  func aBurstRunsOnceWhereverTheRelayDiesAroundACommit(place: String) throws {
    let bench = try CrashBench()
    try bench.startCompanion()
    let relay = try bench.startRelay(fault: place)
    try bench.wait(for: "the relay") { $0.isOnline("carillon/relay/status") }
    let names = (0..<60).map { "n\($0)" }
    #expect(bench.publisher.publishBurst("carillon/command", names.map { command($0) }) == names.count)
    try expectDeath(relay, at: place)
    try bench.startRelay()
    try bench.eventually("all of them") { bench.actions().count == names.count }
    try bench.read(for: .milliseconds(200))
    #expect(bench.actions().values.allSatisfy { $0 == 1 })
    #expect(bench.notifications().count == names.count)
  }

  @Test(arguments: ["relay.prepared", "relay.published", "relay.acknowledged", "relay.marked"])
  func aFiringComesOutOnceWhereverTheRelayDiesOnItsWay(place: String) throws {
    let bench = try CrashBench()
    try bench.startCompanion()
    let relay = try bench.startRelay(fault: place)
    try bench.wait(for: "the relay") { $0.isOnline("carillon/relay/status") }
    try bench.publisher.publish("carillon/command", command("a", more: #","trigger":{"after":2}"#))
    try expectDeath(relay, at: place)
    try bench.startRelay()
    try expectOnce(bench, "a")
  }

  @Test(arguments: ["relay.answer-received", "relay.answer-committed"])
  func anAnswerIsKeptWhereverTheRelayDiesAroundItsCommit(place: String) throws {
    let bench = try CrashBench()
    try bench.startCompanion()
    let relay = try bench.startRelay(fault: place)
    try bench.wait(for: "the relay") { $0.isOnline("carillon/relay/status") }
    try bench.publisher.publish("carillon/command", command("a", more: #","id":"a""#))
    try expectDeath(relay, at: place)
    try bench.startRelay()
    try expectOnce(bench, "a")
    try bench.onlooker.subscribe("carillon/reply/#")
    try bench.eventually("its state") {
      try bench.publisher.publish(
        "carillon/command", #"{"command":"delivered","ids":["a"]}"#, responseTopic: "carillon/reply/d")
      try bench.read(for: .milliseconds(100))
      let items = bench.messages(on: "carillon/reply/d").last?.object?["items"]?.elements
      return items?.first?["devices"]?[CrashBench.device]?["state"]?.text == "opened"
    }
  }

  @Test(arguments: ["relay.prepared", "relay.published:2", "relay.acknowledged:2"])
  func aRepetitionComesOutOnceWhereverTheRelayDiesOnItsWay(place: String) throws {
    let bench = try CrashBench()
    try bench.startCompanion()
    let relay = try bench.startRelay(fault: place)
    try bench.wait(for: "the relay") { $0.isOnline("carillon/relay/status") }
    try bench.publisher.publish("carillon/command", command("a", more: #","nag":{"every":2,"times":3}"#))
    try expectDeath(relay, at: place)
    try bench.startRelay()
    func numbers() -> [Int64] { bench.repetitions().values.sorted() }
    try bench.eventually("the last one") { numbers().last == 3 }
    let count = numbers().count
    try bench.eventually("the actions") { bench.actions()["a"] == count }
    try bench.read(for: .milliseconds(2500))
    #expect(bench.actions()["a"] == count)
    #expect(numbers().starts(with: [0, 1]) && Set(numbers()).count == count)
  }

  /// What is due is written to the broker at once, and an acknowledgement must not go with it.
  @Test func aCommandIsNotAcknowledgedAlongWithWhatIsDue() throws {
    let bench = try CrashBench()
    try bench.startCompanion()
    let relay = try bench.startRelay(fault: "relay.received:2")
    try bench.wait(for: "the relay") { $0.isOnline("carillon/relay/status") }
    let due = (0..<400).map { #"{"title":"t","to":"other","trigger":{"after":\#(2000 + $0)e-3}}"# }
    try bench.publisher.publish("carillon/command", "[\(due.joined(separator: ","))]")
    try bench.read(for: .milliseconds(1700))
    // Stopped, it finds both when it goes on: a command, and one thing after another that is due.
    relay.signal(SIGSTOP)
    try bench.publisher.publish("carillon/command", command("new"))
    try bench.read(for: .milliseconds(450))
    relay.signal(SIGCONT)
    try expectDeath(relay, at: "relay.received")
    try bench.startRelay()
    try bench.eventually("the command", within: .seconds(15)) { bench.actions()["new"] == 1 }
  }

  @Test func whatIsPreparedWhenTheRelayDiesCanStillBeTakenBack() throws {
    let bench = try CrashBench()
    try bench.startCompanion()
    let relay = try bench.startRelay(fault: "relay.prepared")
    try bench.wait(for: "the relay") { $0.isOnline("carillon/relay/status") }
    try bench.publisher.publish(
      "carillon/command", command("a", more: #","id":"a","trigger":{"after":2}"#))
    try expectDeath(relay, at: "relay.prepared")
    // In the broker's keeping before the relay is back.
    try bench.onlooker.subscribe("carillon/reply/#")
    try bench.publisher.publish(
      "carillon/command", #"{"command":"cancel","ids":["a"]}"#, responseTopic: "carillon/reply/c")
    try bench.startRelay()
    var answer: String?
    try bench.wait(for: "the reply") { message in
      if message.topic == "carillon/reply/c" { answer = message.outcome(of: "a") }
      return answer != nil
    }
    try bench.read(for: .milliseconds(1500))
    // Either it was in time or it was not, but never both.
    #expect(bench.notifications().count == (answer == "cancelled" ? 0 : 1), "\(answer ?? "")")
  }

  // MARK: The companion

  /// Starts a companion that dies at a place, sends it one notification, and starts another.
  private func dieAndReturn(at place: String) throws -> CrashBench {
    let bench = try CrashBench()
    try bench.startRelay()
    let companion = try bench.startCompanion(fault: place)
    try bench.wait(for: "the companion") { $0.isOnline("carillon/device/\(CrashBench.device)/status") }
    try bench.publisher.publish("carillon/command", command("a"))
    try expectDeath(companion, at: place)
    try bench.startCompanion()
    return bench
  }

  @Test(arguments: ["companion.arrived", "companion.received"])
  func whatHasComeIsActedOnAfterTheCrash(place: String) throws {
    try expectOnce(try dieAndReturn(at: place), "a")
  }

  @Test(arguments: ["companion.started", "companion.before-done"])
  func whatHadStartedIsReportedAndNotRunAgain(place: String) throws {
    let bench = try dieAndReturn(at: place)
    try bench.eventually("the report") { bench.failures() == ["a": "interrupted"] }
    try bench.read(for: .milliseconds(300))
    #expect(bench.actions()["a"] ?? 0 <= 1)
    #expect(place == "companion.started" || bench.actions()["a"] == 1)
    #expect(bench.notifications().count == 1)
  }

  @Test(arguments: ["companion.done", "companion.responded:2", "companion.acknowledged:2"])
  func whatWasDoneIsToldAndNotRunAgain(place: String) throws {
    let bench = try dieAndReturn(at: place)
    try bench.eventually("the answer") { bench.responses("opened") > 0 }
    try expectOnce(bench, "a")
  }

  /// The first mark may be that of the receipt, and then the step may be running.
  @Test func killedAtAMarkItRunsNothingAgain() throws {
    let bench = try dieAndReturn(at: "companion.marked")
    try bench.eventually("its last word") {
      bench.responses("opened") > 0 || bench.failures() == ["a": "interrupted"]
    }
    guard bench.failures().isEmpty else {
      try bench.read(for: .milliseconds(300))
      #expect(bench.actions()["a"] ?? 0 <= 1)
      #expect(bench.notifications().count == 1)
      return
    }
    try expectOnce(bench, "a")
  }
}
