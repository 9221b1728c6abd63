import CarillonLoop
import CarillonModel
import CarillonTestSupport
import FoundationEssentials
import Glibc
import Testing

/// A store that is too large to be checked before the start: a second process checks it beside the relay.
@Suite(.onOwnThread)
struct CrashCheck {
  /// 42 MB of requests.
  private static let (requests, bytes) = (700, 60_000)

  private func damage(_ path: String, from start: Double, pages: Int) throws {
    let file = open(path, O_RDWR | O_CLOEXEC)
    defer { close(file) }
    let page = 4096
    let first = try Int(
      Double(#require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)) * start)
    let garbage = [UInt8](repeating: 0xA5, count: pages * page)
    #expect(pwrite(file, garbage, garbage.count, off_t(first / page * page)) == garbage.count)
  }

  /// The relay tells everybody, and ends.
  private func expectFarewell(_ bench: CrashBench, _ relay: Program) throws {
    try bench.wait(for: "the alarm") {
      $0.topic == "carillon/relay/state" && $0.object?["store"] == "corrupt"
    }
    try bench.onlooker.subscribe("carillon/reply/#")
    try bench.publisher.publish("carillon/command", command("late"), responseTopic: "carillon/reply/late")
    try bench.wait(for: "the reply") {
      $0.topic == "carillon/reply/late" && $0.object?["error"]?["code"] == "unavailable"
    }
    #expect(try relay.waitForExit(within: .seconds(30)) == .exited(78))
    let said = relay.lines(.errors).joined(separator: "\n")
    for word in ["damaged", "Put a backup in its place", bench.store] {
      #expect(said.contains(word), "\(said)")
    }
    #expect(bench.size("relay.db") > 32 << 20)
    // It is not forgotten: the next one meets it again, or its check does.
    #expect(bench.messages(on: "relay/state").last?.object?["store"] == "corrupt")
  }

  @Test func aLargeStoreIsCheckedBesideTheRelayAndDamageEndsIt() throws {
    let template = try CrashStore(pending: CrashCheck.requests, bytes: CrashCheck.bytes)
    let (sound, damaged) = (try CrashBench(), try CrashBench())
    try template.copy(to: sound.store)
    try template.copy(to: damaged.store)
    // Some page far from what a start reads: only a check of all of it finds that.
    try damage(damaged.store, from: 0.5, pages: 1)
    let relay = try sound.startRelay()
    let other = try damaged.startRelay()
    try sound.eventually("the check") {
      relay.lines(.errors).contains { $0.contains("has been checked and is sound") }
    }
    try sound.eventually("its end") { ProcessTree.descendants(of: relay.pid).isEmpty }
    try expectFarewell(damaged, other)
    // Damage that comes afterwards shows where it is met.
    try sound.publisher.publish("carillon/command", command("fine", more: #","trigger":{"after":3600}"#))
    try sound.wait(for: "the request") { $0.object?["pending"] == .integer(Int64(CrashCheck.requests + 1)) }
    try damage(sound.store, from: 0.1, pages: 8000)
    try sound.publisher.publish(
      "carillon/command", #"{"command":"pending"}"#, responseTopic: "carillon/reply/list")
    try expectFarewell(sound, relay)
  }

  @Test func theCheckSaysWhatItFindsAndChangesNothing() throws {
    let template = try CrashStore(pending: 50, bytes: 4000)
    let folder = try TemporaryDirectory()
    let path = folder.file("copy.db")
    try template.copy(to: path)
    let sound = try Run(["store", "check", path])
    #expect(sound.status == .exited(0) && sound.output == ["sound"], "\(sound.text)")
    try damage(path, from: 0.5, pages: 1)
    let bytes = FileManager.default.contents(atPath: path)
    let damaged = try Run(["store", "check", path])
    #expect(damaged.status == .exited(65), "\(damaged.text)")
    #expect(damaged.output.count == 1 && damaged.output.first?.hasPrefix("damaged: ") == true)
    #expect(FileManager.default.contents(atPath: path) == bytes)
    #expect(try Run(["store", "check", folder.file("none.db")]).status == .exited(1))
    #expect(!FileManager.default.fileExists(atPath: folder.file("none.db")))
  }

  /// A named pipe holds a check up for as long as nobody writes to it.
  @Test func aCheckEndsWithTheProcessThatWantedIt() throws {
    let folder = try TemporaryDirectory()
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let shell = try Program(
      ["-c", #""$0" store check "$1" $$ & wait"#, try Program.carillon(), pipe], executable: "/bin/sh")
    var check: pid_t?
    try eventually("the check, with the least priority") {
      check = ProcessTree.descendants(of: shell.pid).first?.pid
      return check.map { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t($0)) == 19 } ?? false
    }
    shell.kill()
    try shell.waitForExit()
    let pid = try #require(check)
    try eventually("its end") { !ProcessTree.entries().contains { $0.pid == pid && $0.state != "Z" } }
  }
}
