import CarillonLoop
import CarillonModel
import CarillonTestSupport
import FoundationEssentials
import Glibc
import Testing

/// What a relay and a companion do about a store that is damaged, foreign or not to be written: they refuse to run, say
/// what to do, and change nothing.
@Suite(.onOwnThread)
struct CrashStoreFaults {
  /// Requests that fill some pages.
  private static let pending = 2000

  /// What happens to a store while the relay is off, and words of what is said about it.
  enum Fault: CaseIterable {
    case overwritten, truncated, cut, begun, emptied, newerSchema, header, noDatabase

    /// A page of it, in bytes.
    private static let page = 4096

    func happen(to file: inout Data) {
      switch self {
      case .overwritten:
        let start = file.count / 2 / Fault.page * Fault.page
        file.replaceSubrange(start..<start + Fault.page, with: Data(repeating: 0xA5, count: Fault.page))
      case .truncated: file = file.prefix(file.count / 2 / Fault.page * Fault.page)
      // In the middle of a page, and in the middle of the header.
      case .cut: file = file.prefix(file.count - 100)
      case .begun: file = file.prefix(50)
      case .emptied: file = Data()
      // The user version is at byte 60 of the header (SQLite's file format, 1.3).
      case .newerSchema: file.replaceSubrange(60..<64, with: Data([0, 0, 0, 99]))
      case .header: file.replaceSubrange(0..<100, with: Data(repeating: 0, count: 100))
      case .noDatabase: file = Data("This is a letter, not a database.\n".utf8)
      }
    }

    var words: [String] {
      switch self {
      case .newerSchema: ["schema 99", "newer program"]
      default: ["damaged", "backup"]
      }
    }
  }

  private func expectRefusal(_ program: Program, words: [String]) throws {
    #expect(try program.waitForExit() == .exited(78))
    let said = program.lines(.errors)
    #expect(said.count == 1, "\(said)")
    for word in words { #expect(said.joined().contains(word), "\(said)") }
  }

  @Test func aDamagedStoreIsRefusedAndLeftAsItIs() throws {
    let template = try CrashStore(pending: CrashStoreFaults.pending)
    for fault in Fault.allCases {
      let directory = try TemporaryDirectory()
      let store = directory.file("relay.db")
      try template.copy(to: store)
      // As after a run: the lock file knows that the store was in use.
      try directory.write("relay.db.lock", "1\n")
      var bytes = try #require(FileManager.default.contents(atPath: store))
      fault.happen(to: &bytes)
      try bytes.write(to: URL(filePath: store))
      let relay = try Program(["relay", "--broker", "mqtt://127.0.0.1:1", "--store", "sqlite:\(store)"])
      try expectRefusal(relay, words: fault.words + [store])
      #expect(FileManager.default.contents(atPath: store) == bytes, "\(fault)")
    }
  }

  @Test func aLogWithoutItsStoreIsNotThrownAway() throws {
    let bench = try CrashBench()
    let relay = try bench.startRelay()
    try bench.publisher.publish("carillon/command", command("a", more: #","trigger":{"after":3600}"#))
    try bench.eventually("the request on disk") { bench.size("relay.db-wal") > 0 }
    relay.kill()
    try relay.waitForExit()
    let moved = bench.directory.file("moved.db")
    try FileManager.default.moveItem(atPath: bench.store, toPath: moved)
    let log = bench.size("relay.db-wal")
    let next = try bench.startRelay(fault: "none")
    try expectRefusal(next, words: ["gone", "relay.db-wal"])
    #expect(bench.size("relay.db-wal") == log)
    try FileManager.default.moveItem(atPath: moved, toPath: bench.store)
    try bench.startRelay()
    try bench.wait(for: "the request") { $0.object?["pending"] == .integer(1) }
  }

  /// A process that was killed while it started a command leaves its lock to the child for an instant.
  @Test func aLockThatOutlivesItsHolderForAnInstantIsWaitedFor() throws {
    let bench = try CrashBench()
    let relay = try bench.startRelay()
    relay.kill()
    try relay.waitForExit()
    let lock = bench.store + ".lock"
    let child = try ChildProcess(Spawn(["/usr/bin/env", "flock", "-x", lock, "sleep", "0.7"]))
    let fd = open(lock, O_RDWR | O_CLOEXEC)
    defer { close(fd) }
    try bench.eventually("the lock") {
      guard flock(fd, LOCK_EX | LOCK_NB) == 0 else { return true }
      flock(fd, LOCK_UN)
      return false
    }
    try bench.startRelay()
    #expect(child.status == .exited(0))
  }

  @Test func aStoreOfTheOtherKindIsRefused() throws {
    let bench = try CrashBench()
    try bench.startRelay()
    let companion = try bench.startCompanion()
    companion.terminate()
    try companion.waitForExit()
    try bench.stopRelay()
    let inbox = bench.state + "/inbox.db"
    let relay = try Program(["relay", "--broker", bench.broker.url, "--store", "sqlite:\(inbox)"])
    try expectRefusal(relay, words: [inbox, "not a relay's store", "--store"])
    try FileManager.default.copyItem(atPath: bench.store, toPath: bench.directory.file("inbox.db"))
    let other = try Program([
      "companion", "--broker", bench.broker.url, "--state", bench.directory.path,
    ])
    try expectRefusal(other, words: ["not a companion's inbox", "--state"])
  }

  @Test func aDamagedInboxIsRefusedAndLeftAsItIs() throws {
    let bench = try CrashBench()
    let companion = try bench.startCompanion()
    companion.terminate()
    try companion.waitForExit()
    let inbox = bench.state + "/inbox.db"
    let sound = try #require(FileManager.default.contents(atPath: inbox))
    for fault in Fault.allCases {
      var bytes = sound
      fault.happen(to: &bytes)
      try bytes.write(to: URL(filePath: inbox))
      try expectRefusal(try bench.startCompanion(fault: "none"), words: fault.words + [inbox])
      #expect(FileManager.default.contents(atPath: inbox) == bytes, "\(fault)")
    }
    try sound.write(to: URL(filePath: inbox))
    try bench.startCompanion()
  }

  /// Makes SQLite meet damage where it has met none before: an index that begins in the header's page.
  private func spoil(_ path: String, index: String) throws {
    let script = """
      import sqlite3, sys
      db = sqlite3.connect(sys.argv[1], timeout=10, isolation_level=None)
      version = db.execute("PRAGMA schema_version").fetchone()[0]
      db.execute("PRAGMA writable_schema = 1")
      db.execute("UPDATE sqlite_schema SET rootpage = 1 WHERE name = ?", [sys.argv[2]])
      db.execute(f"PRAGMA schema_version = {version + 1}")
      """
    let process = try ChildProcess(Spawn(["/usr/bin/env", "python3", "-c", script, path, index]))
    #expect(try process.waitForExit() == .exited(0))
  }

  @Test func damageThatIsMetAtWorkEndsTheCompanionAndLosesNothing() throws {
    let bench = try CrashBench()
    try bench.startRelay()
    let companion = try bench.startCompanion()
    try bench.publisher.publish("carillon/command", command("a"))
    try bench.eventually("the action") { bench.actions()["a"] == 1 }
    try spoil(bench.state + "/inbox.db", index: "inbox_unfinished")
    try bench.publisher.publish("carillon/command", command("b"))
    #expect(try companion.waitForExit() == .exited(78))
    let said = companion.lines(.errors).joined(separator: "\n")
    for word in ["damaged", "Put a backup in its place", bench.state] {
      #expect(said.contains(word), "\(said)")
    }
    #expect(bench.actions()["b"] == nil)
    // Whoever does without the old inbox gets what the relay has no answer for.
    try FileManager.default.moveItem(atPath: bench.state, toPath: bench.directory.file("old"))
    try bench.startCompanion()
    try bench.eventually("the other action") { bench.actions()["b"] == 1 }
    try bench.read(for: .milliseconds(300))
    #expect(bench.actions() == ["a": 1, "b": 1])
  }

  @Test func damageThatIsMetAtWorkEndsTheRelay() throws {
    let bench = try CrashBench()
    let relay = try bench.startRelay()
    try spoil(bench.store, index: "request_id")
    try bench.onlooker.subscribe("carillon/reply/#")
    for name in ["a", "b"] {
      let topic = "carillon/reply/\(name)"
      try bench.publisher.publish("carillon/command", command(name), responseTopic: topic)
      try bench.wait(for: "the reply") {
        $0.topic == topic && $0.object?["error"]?["code"] == "unavailable"
      }
    }
    try bench.wait(for: "the alarm") {
      $0.topic == "carillon/relay/state" && $0.object?["store"] == "corrupt"
    }
    #expect(try relay.waitForExit() == .exited(78))
    let said = relay.lines(.errors).joined(separator: "\n")
    for word in ["damaged", "Put a backup in its place", bench.store] {
      #expect(said.contains(word), "\(said)")
    }
  }

  /// Root may write everything, so the relay runs as nobody there.
  private static let asNobody = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

  @Test(.enabled(if: geteuid() != 0 || access("/usr/bin/setpriv", X_OK) == 0))
  func aStoreThatCannotBeWrittenIsRefused() throws {
    let bench = try CrashBench()
    try bench.startRelay()
    try bench.stopRelay()
    chmod(bench.store, 0o444)
    chmod(bench.store + ".lock", 0o444)
    chmod(bench.directory.path, 0o555)
    defer { chmod(bench.directory.path, 0o700) }
    let arguments = ["relay", "--broker", bench.broker.url, "--store", "sqlite:\(bench.store)"]
    let wrapped = geteuid() == 0 ? CrashStoreFaults.asNobody + [try Program.carillon()] : []
    let home = try TemporaryDirectory()
    chmod(home.path, 0o755)
    let relay = try Program(wrapped.dropFirst() + arguments, executable: wrapped.first, home: home)
    try expectRefusal(relay, words: [bench.store, "cannot be written", "--store"])
  }
}

extension CrashBench {
  /// Bytes of a file in its directory; 0 where there is none.
  func size(_ name: String) -> Int {
    FileManager.default.contents(atPath: directory.file(name))?.count ?? 0
  }
}
