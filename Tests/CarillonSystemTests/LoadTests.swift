import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

/// More than a household sends. `CARILLON_LOAD=100000` in the environment sends that many commands instead of 10,000.
@Suite("Load", .onOwnThreadWithFewOthers)
struct LoadTests {
  private static var load: Int { getenv("CARILLON_LOAD").flatMap { Int(String(cString: $0)) } ?? 10_000 }

  /// What came on a topic, counted by an identifier in it.
  private struct Tally {
    let client: TestClient
    var counts: [String: Int] = [:]
    var order: [String] = []

    init(_ port: UInt16, _ topic: String) throws {
      client = try TestClient(port: port)
      try client.subscribe(topic)
    }

    /// Reads until so many different ones have come.
    mutating func wait(for count: Int, within limit: Duration) throws {
      let deadline = Deadline(after: limit)
      while counts.count < count {
        guard !deadline.hasPassed else { throw TestFailure("\(counts.count) of \(count) have come") }
        try read(for: .milliseconds(20))
      }
    }

    mutating func read(for time: Duration) throws {
      try client.listen(for: time)
      for message in client.takeMessages() {
        let id = try message.json["id"]?.text ?? ""
        counts[id, default: 0] += 1
        order.append(id)
      }
    }

    var repeats: Int { counts.values.count { $0 != 1 } }
  }

  @Test(
    "Many thousands of commands, as fast as the broker takes them, are each answered and fired exactly once")
  func flood() throws {
    let house = try House()
    let count = LoadTests.load
    var replies = try Tally(house.broker.port, "carillon/reply/load")
    var firings = try Tally(house.broker.port, "carillon/device/sink/notification")
    // No more at a time than there are packet identifiers.
    for start in stride(from: 0, to: count, by: 10_000) {
      let commands = (start..<min(start + 10_000, count)).map {
        Array(#"{"id":"c\#($0)","title":"x","to":"sink"}"#.utf8)
      }
      let sent = house.client.publishBurst(
        "carillon/command", commands, responseTopic: "carillon/reply/load", within: .seconds(300))
      #expect(sent == commands.count)
    }
    try replies.wait(for: count, within: .seconds(600))
    try firings.wait(for: count, within: .seconds(600))
    // The publisher has all replies before it too, and would look through them again and again.
    repeat { try house.client.listen(for: .milliseconds(100)) } while !house.client.takeMessages().isEmpty
    try house.command(#"{"id":"end","title":"x","to":"sink"}"#)
    try firings.wait(for: count + 1, within: .seconds(30))
    #expect(replies.repeats == 0)
    #expect(firings.repeats == 0)
    #expect(firings.order == BrokerFaultTests.names(count, "c") + ["end"])
  }

  @Test("Ten thousand that are due at one instant all go out, once each, in the order of their acceptance")
  func oneInstant() throws {
    let house = try House()
    var firings = try Tally(house.broker.port, "carillon/device/sink/notification")
    let count = 10_000
    let due = SystemClock.wallMilliseconds / 1000 + 12
    let messages = stride(from: 0, to: count, by: 500).map { start in
      let list = (start..<start + 500).map {
        #"{"id":"i\#($0)","title":"x","to":"sink","trigger":{"at":\#(due)}}"#
      }
      return Array("[\(list.joined(separator: ","))]".utf8)
    }
    #expect(house.client.publishBurst("carillon/command", messages) == messages.count)
    // The answer comes after all of them are taken in.
    let state = try house.ask(
      #"{"command":"pending","limit":1}"#, within: Sanitizer.allowing(.seconds(20)))
    let wasEarly = SystemClock.wallMilliseconds / 1000 < due - 1
    if wasEarly { #expect(state["items"]?.elements?.count == 1) }
    try firings.wait(for: count, within: .seconds(90))
    try house.command(#"{"id":"end","title":"x","to":"sink"}"#)
    try firings.wait(for: count + 1, within: .seconds(30))
    #expect(firings.repeats == 0)
    // On a machine that took longer to read them than they had time, the rest fired as it was read.
    if wasEarly { #expect(firings.order == BrokerFaultTests.names(count, "i") + ["end"]) }
  }

  @Test(
    "A device that is off for a day gets the 2,000 of that day in order when it is back, in bounded memory",
    ShownClock.isPossible)
  func offlineForADay() throws {
    let house = try House()
    let before = try #require(house.relay).residentKilobytes
    let first = try house.companion()
    try first.stop()
    try house.waitForStatus("device/desk", "offline")
    let count = 2000
    let start = Int(SystemClock.wallMilliseconds / 1000) + 600
    for part in stride(from: 0, to: count, by: 400) {
      let list = (part..<part + 400).map {
        #"{"id":"o\#($0)","title":"x","trigger":{"at":\#(start + $0 * 40)}}"#
      }
      try house.ask("[\(list.joined(separator: ","))]")
    }
    try house.stopRelay()
    // The day of the relay's wall clock, in some nine seconds.
    try house.startRelay(environment: try ShownClock.wall(times: 10_000))
    try eventually("the day", within: .seconds(60)) {
      try house.retained("carillon/relay/state")?.json["fired"]?.whole == Int64(count)
    }
    let devices = try house.command(#"{"command":"devices"}"#)
    #expect(devices["items"]?.elements?.first?["unreceived"]?.whole == Int64(count))
    try house.stopRelay()
    let relay = try house.startRelay(environment: try ShownClock.wall(ahead: 2 * 86_400))
    let second = try house.companion(home: first.home)
    try second.event("notification", "o\(count - 1)", within: .seconds(90))
    #expect(
      try second.events("notification").compactMap { $0["id"]?.text } == BrokerFaultTests.names(count, "o"))
    try eventually("everything to be received", within: .seconds(30)) {
      try house.command(#"{"command":"devices"}"#)["items"]?.elements?.first?["unreceived"] == 0
    }
    for program in [relay, second] {
      #expect(
        (1..<before + 40_000).contains(program.residentKilobytes), "\(before) \(program.residentKilobytes)")
    }
  }

  @Test("A thousand bad commands in ten seconds are all answered, in under a hundred lines of the log")
  func badCommands() throws {
    let house = try House()
    var replies = 0
    let start = SystemClock.elapsedMilliseconds
    let same = (0..<500).map { Array(($0 % 2 == 0 ? #"{"titel":"\#($0)"}"# : "{'title': '\($0)'}").utf8) }
    #expect(house.client.publishBurst("carillon/command", same, responseTopic: "carillon/reply/bad") == 500)
    // Each under a name of its own.
    for number in 0..<500 {
      try house.client.publish(
        "carillon/command/p\(number)", #"{"title":\#(number)}"#,
        responseTopic: "carillon/reply/p\(number)/bad")
    }
    try eventually("the answers", within: .seconds(30)) {
      try house.client.listen(for: .milliseconds(20))
      for message in house.client.takeMessages() where message.topic.hasSuffix("/bad") {
        #expect(try message.json["ok"] == false)
        replies += 1
      }
      return replies == 1000
    }
    #expect(SystemClock.elapsedMilliseconds > start)
    try house.command(#"{"id":"good","to":"sink","title":"x"}"#)
    let relay = try #require(house.relay)
    try house.stopRelay()
    let lines = relay.lines(.errors)
    #expect(lines.count < 100, "\(lines.count) lines")
    #expect(lines.contains { $0.contains("more like this") }, "\(lines)")
  }
}

extension Program {
  /// How much memory it has at this moment, in kilobytes (proc(5), VmRSS); 0 once it has ended.
  var residentKilobytes: Int {
    guard let file = fopen("/proc/\(pid)/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
      let words = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }.split(separator: " ")
      if words.first?.hasPrefix("VmRSS") == true {
        return words.joined(separator: " ").split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
          ?? 0
      }
    }
    return 0
  }
}
