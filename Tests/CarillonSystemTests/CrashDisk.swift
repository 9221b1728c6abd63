import CarillonModel
import CarillonTestSupport
import FoundationEssentials
import Testing

/// The disk under the relay's store, or under the companion's inbox, is full for a while or cannot be written.
@Suite(.onOwnThread, .enabled(if: SmallDisk.isAllowed, Comment(rawValue: SmallDisk.need)))
struct CrashDisk {
  private static let body = #","body":""# + String(repeating: "x", count: 4000) + "\""

  private func answers(_ bench: CrashBench) -> [String: TestClient.Message] {
    Dictionary(bench.messages(on: "").filter { $0.topic.hasPrefix("carillon/reply/") }.map { ($0.topic, $0) })
    {
      first, _ in first
    }
  }

  /// Sends commands one after another until one is refused.
  ///
  /// - Returns: the names of those that were taken, and of the one that was not.
  private func sendUntilRefused(_ bench: CrashBench) throws -> (taken: Set<String>, refused: String) {
    var taken: Set<String> = []
    for number in 0..<2000 {
      let name = "n\(number)"
      let topic = "carillon/reply/\(name)"
      try bench.publisher.publish(
        "carillon/command", command(name, more: CrashDisk.body), responseTopic: topic)
      try bench.eventually("the reply") { answers(bench)[topic] != nil }
      guard let reply = answers(bench)[topic]?.object, reply["ok"] != true else {
        taken.insert(name)
        continue
      }
      #expect(reply["error"]?["code"] == "unavailable")
      #expect(reply["error"]?["message"]?.text?.contains("no space is left") == true)
      return (taken, name)
    }
    throw TestFailure("the disk is never full")
  }

  private func waitForStore(_ bench: CrashBench, _ state: String) throws {
    try bench.eventually("the store to be \(state)") {
      bench.messages(on: "relay/state").last?.object?["store"]?.text == state
    }
  }

  @Test func aFullDiskIsToldAndNothingIsLost() throws {
    let disk = try SmallDisk(kilobytes: 3000)
    let bench = try CrashBench()
    bench.store = disk.file("relay.db")
    try bench.startRelay(arguments: ["--keep-alive", "5s"])
    try bench.startCompanion()
    try bench.onlooker.subscribe("carillon/reply/#")
    let due = command("due", more: #","trigger":{"after":5}"#)
    try bench.publisher.publish("carillon/command", due, responseTopic: "carillon/reply/due")
    try bench.wait(for: "its reply") { $0.topic == "carillon/reply/due" }
    try disk.fill()
    let (taken, refused) = try sendUntilRefused(bench)
    try waitForStore(bench, "full")
    // What falls due meanwhile waits, or is in time, as far as the log still has room.
    try bench.read(for: .seconds(5))
    try disk.free()
    try waitForStore(bench, "ok")
    try bench.publisher.publish("carillon/command", command("after"))
    let all = taken.union(["due", "after"])
    try bench.eventually("all \(all.count) that were taken") {
      all.isSubset(of: bench.actions().keys)
    }
    try bench.read(for: .milliseconds(300))
    #expect(bench.actions() == Dictionary(uniqueKeysWithValues: all.map { ($0, 1) }))
    #expect(bench.actions()[refused] == nil)
    #expect(bench.relay?.hasEnded == false)
    #expect(bench.relay?.lines(.errors).count ?? .max < 60)
  }

  @Test func aDiskThatIsFullAtTheStartIsWorthAnotherTry() throws {
    let disk = try SmallDisk(kilobytes: 1000)
    let bench = try CrashBench()
    bench.store = disk.file("relay.db")
    for isNew in [true, false] {
      try disk.fill()
      let relay = try bench.startRelay(fault: "none")
      #expect(try relay.waitForExit() == .exited(75), "new: \(isNew)")
      #expect(relay.lines(.errors).joined().contains("no space is left"), "\(relay.lines(.errors))")
      try disk.free()
      try bench.startRelay()
      if isNew {
        try bench.publisher.publish("carillon/command", command("a", more: #","trigger":{"after":3600}"#))
        try bench.wait(for: "the request") { $0.object?["pending"] == .integer(1) }
      }
      try bench.stopRelay()
    }
    try bench.forgetSeen()
    try bench.startRelay()
    try bench.wait(for: "the request") { $0.object?["pending"] == .integer(1) }
  }

  @Test func aDiskThatIsReadOnlyIsRefusedAndLeftAsItIs() throws {
    let disk = try SmallDisk(kilobytes: 1000)
    let bench = try CrashBench()
    bench.store = disk.file("relay.db")
    bench.state = disk.file("companion")
    try bench.startRelay()
    try bench.startCompanion()
    try bench.publisher.publish("carillon/command", command("a", more: #","trigger":{"after":3600}"#))
    try bench.wait(for: "the request") { $0.object?["pending"] == .integer(1) }
    try bench.stopRelay()
    let companion = try #require(bench.companion)
    companion.terminate()
    try companion.waitForExit()
    let bytes = FileManager.default.contents(atPath: bench.store)
    try disk.remount(readOnly: true)
    for (program, words) in [
      (try bench.startRelay(fault: "none"), "cannot be written"),
      (try bench.startCompanion(fault: "none"), "Read-only file system"),
    ] {
      #expect(try program.waitForExit() == .exited(78))
      #expect(program.lines(.errors).joined().contains(words), "\(program.lines(.errors))")
    }
    #expect(FileManager.default.contents(atPath: bench.store) == bytes)
    try disk.remount(readOnly: false)
    try bench.forgetSeen()
    try bench.startRelay()
    try bench.startCompanion()
    try bench.wait(for: "the request") { $0.object?["pending"] == .integer(1) }
  }

  @Test func aFullDiskUnderTheInboxLosesNothingAndActsOnNothingTwice() throws {
    let disk = try SmallDisk(kilobytes: 1000)
    let bench = try CrashBench()
    bench.state = disk.file("companion")
    try bench.startRelay()
    let companion = try bench.startCompanion()
    try disk.fill()
    var names: Set<String> = []
    func isFull() -> Bool { companion.lines(.errors).contains { $0.contains("no space is left") } }
    while !isFull() {
      let name = "n\(names.count)"
      try #require(names.count < 1000)
      names.insert(name)
      try bench.publisher.publish("carillon/command", command(name, more: CrashDisk.body))
      try bench.eventually("what became of it") { bench.actions()[name] != nil || isFull() }
    }
    names.insert("after")
    try bench.publisher.publish("carillon/command", command("after"))
    #expect(!companion.hasEnded)
    try disk.free()
    try bench.eventually("all of them") { names.isSubset(of: bench.actions().keys) }
    try bench.read(for: .milliseconds(300))
    #expect(bench.actions() == Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }))
    #expect(bench.failures().isEmpty)
  }
}
