import CarillonLoop
import CarillonModel
import CarillonStore
import CarillonTestSupport
import Glibc
import Testing

@testable import CarillonCompanion

@Suite("A companion with a real broker", .serialized)
struct CompanionTests {
  private let offer: JSON = ["routes": [["link": "myapp://offer", "navigate": ["/", "sheet:offer"]]]]

  /// A route for `x://run/<name>` that runs a script with the name.
  private func running(_ script: String, timeout: Double = 20) -> JSON {
    [
      "routes": [
        [
          "link": "x://run/:name", "navigate": ["/{name}"], "run": [.string(script), "{name}"],
          "timeout": .number(timeout),
        ]
      ]
    ]
  }

  @Test("It tells who it is, then that it is there, and says goodbye")
  func presence() throws {
    let bench = try CompanionBench(routes: offer)
    try bench.startOnline()
    let profile = try Profile(parsing: Array(try #require(try bench.retained("profile")).utf8))
    #expect(profile.name == "desk")
    #expect(profile.schemes == ["myapp"])
    #expect(profile.version == "test")
    #expect(profile.presence == .unknown)
    let order = bench.relay.messages.map { $0.topic.split(separator: "/").last.map(String.init) }
    #expect(order == ["profile", "status"])
    #expect(try bench.retained("status") == "online")
    bench.companion?.stop()
    try bench.until("offline") { bench.status.last == "offline" }
    #expect(try bench.retained("status") == "offline")
  }

  @Test("Its will says that it is gone when it cannot")
  func will() throws {
    let bench = try CompanionBench()
    try bench.startOnline()
    bench.drop()
    try bench.until("offline") { bench.status.last == "offline" }
  }

  @Test("A stale offline on its own topic is put right")
  func staleWill() throws {
    let bench = try CompanionBench()
    try bench.startOnline()
    try bench.relay.publish("carillon/device/desk/status", "offline", retain: true)
    try bench.until("online again") { bench.status.suffix(2) == ["offline", "online"] }
    #expect(try bench.retained("status") == "online")
  }

  @Test("A link is received, navigated step by step, and answered")
  func link() throws {
    let bench = try CompanionBench(routes: offer)
    try bench.startOnline()
    try bench.notify("a", url: "myapp://offer")
    try bench.until("the answer") { try bench.responses().contains("a opened") }
    #expect(try bench.responses() == ["a received", "a opened"])
    #expect(bench.lines == ["notification a", "navigate a /", "navigate a sheet:offer", "opened a"])
  }

  @Test("Notifications that cannot be opened or read are answered, retained ones ignored")
  func faults() throws {
    let bench = try CompanionBench(routes: offer)
    try bench.startOnline()
    try bench.send(#"{"kind":"notification","delivery":"r","id":"r","title":"T"}"#, retain: true)
    try bench.send("nonsense")
    try bench.send(#"{"kind":"notification","delivery":"m","id":"m","title":7}"#)
    try bench.notify("n", url: "myapp://elsewhere")
    try bench.notify("d", url: "https://evil.example/")
    try bench.notify("plain")
    try bench.until("the last one") {
      try bench.responses().count == 7
    }
    let responses = try bench.responses()
    #expect(responses.contains { $0.hasPrefix("m failed: invalid at title") })
    #expect(responses.contains("n failed: no route"))
    #expect(responses.contains { $0.hasPrefix("d failed: forbidden") })
    #expect(!responses.contains { $0.hasPrefix("r ") })
    #expect(!bench.lines.contains { $0.hasPrefix("navigate") })
  }

  @Test("While a command runs, what comes is received at once and opened after it, in order")
  func busy() throws {
    let folder = try TemporaryDirectory()
    let script = try folder.script(
      "run", "echo $1 >>\(folder.path)/log; while [ -e \(folder.path)/hold ]; do sleep 0.02; done")
    try folder.write("hold", "")
    let bench = try CompanionBench(routes: running(script), execute: true)
    try bench.startOnline()
    try bench.notify("a", url: "x://run/a")
    try bench.until("the first command") { folder.read("log") == "a\n" }
    for name in ["b", "c", "d"] { try bench.notify(name, url: "x://run/\(name)") }
    try bench.until("receipts") { try bench.responses().count == 4 }
    #expect(folder.read("log") == "a\n")
    unlink(folder.file("hold"))
    try bench.until("all") { try bench.responses().contains("d opened") }
    #expect(folder.read("log") == "a\nb\nc\nd\n")
    #expect(try bench.responses().suffix(4) == ["a opened", "b opened", "c opened", "d opened"])
  }

  @Test("A command that never ends is ended at its time, and the next one runs")
  func endless() throws {
    let folder = try TemporaryDirectory()
    let script = try folder.script("run", "[ $1 = b ] || exec sleep 600")
    let bench = try CompanionBench(routes: running(script, timeout: 0.3), execute: true)
    try bench.startOnline()
    try bench.notify("a", url: "x://run/a")
    try bench.notify("b", url: "x://run/b")
    try bench.until("both") { try bench.responses().contains("b opened") }
    #expect(
      try bench.responses().contains { $0.hasPrefix("a failed: step 1 of 1: \(script) did not end within") })
  }

  @Test("Answers that the broker did not take are given when it is back, in order")
  func brokerGone() throws {
    let folder = try TemporaryDirectory()
    let script = try folder.script(
      "run", "while [ -e \(folder.path)/hold ]; do sleep 0.02; done; echo >>\(folder.path)/\(1)")
    try folder.write("hold", "")
    let bench = try CompanionBench(routes: running(script), execute: true)
    try bench.startOnline()
    try bench.notify("a", url: "x://run/a")
    try bench.notify("b", url: "x://run/b")
    try bench.until("receipts") { try bench.responses().count == 2 }
    bench.broker.stop()
    let companion = try #require(bench.companion)
    unlink(folder.file("hold"))
    let deadline = Deadline(after: .seconds(10))
    while try companion.store.responses(limit: 10).count < 2, !deadline.hasPassed {
      _ = try bench.loop.turn(waiting: .milliseconds(10))
    }
    try bench.broker.start()
    let later = try TestClient(port: bench.broker.port)
    try later.subscribe("carillon/device/desk/response")
    while later.messages.count < 2, !deadline.hasPassed {
      _ = try bench.loop.turn(waiting: .milliseconds(10))
      try later.listen(for: .milliseconds(5))
    }
    let events = try later.messages.map { try Response(parsing: $0.payload) }.map {
      "\($0.delivery) \($0.event)"
    }
    #expect(events == ["a opened", "b opened"])
    while try !companion.store.responses(limit: 10).isEmpty, !deadline.hasPassed {
      _ = try bench.loop.turn(waiting: .milliseconds(10))
    }
    #expect(try companion.store.responses(limit: 10).isEmpty)
  }

  @Test("What came before it was killed is opened after it has started again, exactly once")
  func restart() throws {
    let folder = try TemporaryDirectory()
    let script = try folder.script(
      "run", "echo $1 >>\(folder.path)/log; while [ -e \(folder.path)/hold ]; do sleep 0.02; done")
    try folder.write("hold", "")
    let bench = try CompanionBench(routes: running(script), execute: true)
    try bench.startOnline()
    try bench.notify("a", url: "x://run/a")
    try bench.notify("b", url: "x://run/b")
    try bench.until("receipts") { try bench.responses().count == 2 && folder.read("log") == "a\n" }
    bench.drop()
    unlink(folder.file("hold"))
    try bench.startOnline()
    try bench.notify("a", url: "x://run/a")
    try bench.notify("b", url: "x://run/b")
    try bench.until("b") { try bench.responses().contains("b opened") }
    #expect(folder.read("log") == "a\nb\n")
    #expect(try bench.responses().contains("a failed: interrupted"))
    #expect(bench.lines.count { $0 == "notification a" } == 1)
    #expect(bench.lines.count { $0 == "notification b" } == 1)
    #expect(!bench.logged.contains { $0.contains("another program") })
  }

  @Test("While the inbox cannot be written nothing is answered; then it goes on by itself")
  func lockedInbox() throws {
    let bench = try CompanionBench(routes: offer)
    try bench.startOnline()
    let other = try Database(path: bench.folder.file("state/inbox.db"))
    try other.execute("BEGIN IMMEDIATE")
    try bench.notify("a", url: "myapp://offer")
    try bench.until("the fault is told") {
      bench.logged.contains { $0.contains("locked by another process") }
    }
    #expect(try bench.responses() == [])
    #expect(bench.lines == [])
    try other.execute("ROLLBACK")
    try bench.until("the answer") { try bench.responses() == ["a received", "a opened"] }
    #expect(bench.lines.first == "notification a")
  }

  @Test("A second companion on the same folder does not start")
  func second() throws {
    let bench = try CompanionBench()
    try bench.startOnline()
    do {
      _ = try bench.make()
      Issue.record("it started")
    } catch let error as CompanionError {
      guard case .alreadyRunning = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  @Test("Another program with its client id is told once, and left alone for a minute")
  func takeover() throws {
    let bench = try CompanionBench()
    try bench.startOnline()
    let profile = Profile(name: "desk", instance: "other").encoded
    try bench.relay.publish("carillon/device/desk/profile", profile, retain: true)
    try bench.until("the word") {
      bench.logged.contains { $0.contains("another program uses the client id") }
    }
    try bench.until("offline") { bench.status.last == "offline" }
    let deadline = Deadline(after: .milliseconds(1500))
    while !deadline.hasPassed { try bench.work() }
    #expect(bench.status.last == "offline")
    #expect(bench.logged.count { $0.contains("another program") } == 1)
  }

  @Test(
    "It leaves within five seconds, a command that will not end and no broker notwithstanding",
    arguments: [true, false])
  func stop(hasBroker: Bool) throws {
    let folder = try TemporaryDirectory()
    let script = try folder.script(
      "run", "trap '' TERM; echo $1 >>\(folder.path)/log; while :; do sleep 0.05; done")
    let bench = try CompanionBench(routes: running(script), execute: true)
    try bench.startOnline()
    try bench.notify("a", url: "x://run/a")
    try bench.until("the command") { folder.read("log") == "a\n" }
    if !hasBroker { bench.broker.freeze() }
    defer { bench.broker.thaw() }
    let begin = SystemClock.elapsedMilliseconds
    bench.companion?.stop()
    #expect(try bench.loop.run() == 0)
    #expect(SystemClock.elapsedMilliseconds - begin < 5000)
    #expect(try bench.companion?.store.entry("a")?.state == .started)
  }

  @Test("Once nobody reads its lines it leaves, and begins no command on its way out")
  func outputClosed() throws {
    _ = Glibc.signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    close(ends[0])
    let folder = try TemporaryDirectory()
    let script = try folder.script("run", "echo $1 >>\(folder.path)/log; exec sleep 600")
    let bench = try CompanionBench(routes: running(script), execute: true, descriptor: ends[1])
    try bench.startOnline()
    try bench.notify("a", url: "x://run/a")
    let begin = SystemClock.elapsedMilliseconds
    #expect(try bench.loop.run() == 1)
    #expect(SystemClock.elapsedMilliseconds - begin < 5000)
    #expect(bench.companion?.navigator.isRunning == false)
    #expect(folder.read("log") == nil)
    #expect(bench.logged.contains { $0.contains("nobody reads the output") })
  }
}
