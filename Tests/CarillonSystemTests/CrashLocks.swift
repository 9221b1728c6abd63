import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

/// Another process holds the store's write lock while a request falls due and a command arrives.
///
/// For 8 s by default; `CARILLON_LOCK_SECONDS=90` in the environment holds it that long as well.
@Suite(.onOwnThread)
struct CrashLocks {
  private static var longTime: Int? {
    getenv("CARILLON_LOCK_SECONDS").flatMap { Int(String(cString: $0)) }
  }

  /// Holds the lock from before this returns, for some seconds.
  private func lock(_ bench: CrashBench, _ path: String? = nil, for seconds: Int) throws -> ChildProcess {
    let script = """
      import sqlite3, sys, time
      db = sqlite3.connect(sys.argv[1], timeout=10, isolation_level=None)
      db.execute("BEGIN IMMEDIATE")
      open(sys.argv[2], "w").close()
      time.sleep(float(sys.argv[3]))
      db.execute("ROLLBACK")
      """
    let marker = bench.directory.file("locked")
    let process = try ChildProcess(
      Spawn(["/usr/bin/env", "python3", "-c", script, path ?? bench.store, marker, "\(seconds)"]))
    try bench.eventually("the lock") { access(marker, F_OK) == 0 }
    return process
  }

  /// One request that falls due while the lock is held, and one command that arrives.
  private func begin(_ seconds: Int) throws -> (bench: CrashBench, lock: ChildProcess) {
    let bench = try CrashBench()
    try bench.startRelay()
    try bench.startCompanion()
    try bench.onlooker.subscribe("carillon/reply/#")
    let start = command("due", more: #","trigger":{"after":3}"#)
    try bench.publisher.publish("carillon/command", start, responseTopic: "carillon/reply/due")
    try bench.wait(for: "the first reply") { $0.topic == "carillon/reply/due" }
    let lock = try lock(bench, for: seconds)
    try bench.publisher.publish(
      "carillon/command", command("new"), responseTopic: "carillon/reply/new")
    return (bench, lock)
  }

  @Test func aLockOfSecondsIsWaitedOut() throws {
    let (bench, lock) = try begin(8)
    try bench.wait(for: "the reply", within: .seconds(20)) {
      $0.topic == "carillon/reply/new" && $0.object?["ok"] == .bool(true)
    }
    try bench.eventually("both") { bench.actions() == ["due": 1, "new": 1] }
    #expect(try lock.waitForExit() == .exited(0))
    let late = try #require(bench.lateness(of: "due"))
    #expect(late <= 10_000, "\(late) ms late")
    #expect(bench.notifications().count == 2)
  }

  @Test func aStoreThatIsLockedAtTheStartIsWorthAnotherTry() throws {
    let bench = try CrashBench()
    try bench.startRelay()
    try bench.stopRelay()
    let lock = try lock(bench, for: 2)
    let relay = try bench.startRelay(fault: "none")
    #expect(try relay.waitForExit() == .exited(75))
    #expect(relay.lines(.errors).joined().contains("locked by another process"), "\(relay.lines(.errors))")
    #expect(try lock.waitForExit() == .exited(0))
    try bench.startRelay()
  }

  @Test func anInboxThatIsLockedLosesNothingAndActsOnNothingTwice() throws {
    let bench = try CrashBench()
    try bench.startRelay()
    let companion = try bench.startCompanion()
    let lock = try lock(bench, bench.state + "/inbox.db", for: CrashLocks.longTime ?? 8)
    let names = ["a", "b", "c"]
    for name in names { try bench.publisher.publish("carillon/command", command(name)) }
    try bench.eventually("the trouble") { companion.lines(.errors).contains { $0.contains("locked") } }
    #expect(bench.actions().isEmpty && lock.status == nil)
    try bench.eventually("all of them", within: .seconds(120)) { bench.actions().count == names.count }
    #expect(try lock.waitForExit() == .exited(0))
    try bench.read(for: .milliseconds(300))
    #expect(bench.actions().values.allSatisfy { $0 == 1 })
    #expect(bench.failures().isEmpty)
  }

  @Test(.enabled(if: CrashLocks.longTime != nil))
  func aLongLockIsAnsweredAndSurvived() throws {
    let (bench, lock) = try begin(CrashLocks.longTime ?? 90)
    try bench.wait(for: "the reply", within: .seconds(20)) { message in
      guard message.topic == "carillon/reply/new", case .object(let error)? = message.object?["error"] else {
        return false
      }
      return error["code"] == "unavailable"
    }
    #expect(lock.status == nil)
    try bench.wait(for: "the state") {
      $0.topic == "carillon/relay/state" && $0.object?["store"] == "busy"
    }
    #expect(try lock.waitForExit(within: .seconds(120)) == .exited(0))
    try bench.eventually("what was due") { bench.actions() == ["due": 1] }
    #expect(bench.relay?.hasEnded == false)
    try bench.publisher.publish("carillon/command", command("later"))
    try bench.eventually("the next command") { bench.actions() == ["due": 1, "later": 1] }
  }
}

extension CrashBench {
  /// By how many milliseconds a notification was late, by its own words.
  func lateness(of name: String) -> Int64? {
    for message in messages(on: "/notification") {
      guard let object = message.object, object["url"]?.text?.hasSuffix("/\(name)") == true,
        let due = instant(object["due"]), let fired = instant(object["fired"])
      else { continue }
      return fired.milliseconds - due.milliseconds
    }
    return nil
  }

  private func instant(_ value: JSON?) -> WallTime? {
    guard case .instant(let time)? = try? value.map({ try WrittenTime.read($0, at: "") }) else { return nil }
    return time
  }
}
