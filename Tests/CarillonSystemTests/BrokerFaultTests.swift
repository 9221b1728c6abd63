import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

/// What relay and companion make of a broker that fails, or has little room.
@Suite("Broker faults", .onOwnThreadWithFewOthers)
struct BrokerFaultTests {
  /// Requests named `name0`, `name1` …
  static func list(_ count: Int, _ name: String, _ more: (Int) -> String = { _ in "" }) -> String {
    "[" + (0..<count).map { #"{"id":"\#(name)\#($0)","title":"x"\#(more($0))}"# }.joined(separator: ",") + "]"
  }

  static func names(_ count: Int, _ name: String) -> [String] { (0..<count).map { "\(name)\($0)" } }

  @Test(
    "Restarted in the middle, with its persistence or without, it makes nothing lost and nothing come twice",
    arguments: [true, false])
  func restarted(isKept: Bool) throws {
    let house = try House(persistence: isKept)
    let companion = try house.companion()
    try house.ask(Self.list(30, "r") { #","trigger":{"after":\#(0.5 + Double($0) / 50)}"# })
    try companion.event("notification", "r3")
    try house.broker.restart()
    try companion.event("notification", "r29", within: .seconds(40))
    #expect(companion.lines(.errors).contains { $0.contains("disconnected") })

    // Commands that wait for a relay which is off are the broker's to keep.
    try house.reconnect()
    try house.waitForStatus("relay", "online")
    try house.stopRelay()
    for number in 0..<5 { try house.client.publish("carillon/command", #"{"id":"c\#(number)","title":"x"}"#) }
    try house.broker.restart()
    try house.reconnect()
    try house.waitForStatus("device/desk", "online", within: .seconds(40))
    try house.startRelay()
    try house.command(#"{"id":"end","title":"x"}"#)
    try companion.event("notification", "end")
    let ids = try companion.events("notification").compactMap { $0["id"]?.text }
    #expect(ids == Self.names(30, "r") + (isKept ? Self.names(5, "c") : []) + ["end"])
  }

  @Test(
    "Killed after its PUBACK, with the message for a device that has just gone: it is sent again, and acted on once",
    arguments: [false, true])
  func killedAfterAcknowledging(wasReceived: Bool) throws {
    let house = try House(configuration: "log_type all")
    let forwarder = try Forwarder(to: house.broker.port)
    let companion = try house.companion(
      routes: #"{routes:[{link:"a://b",navigate:["/b"]}]}"#, ["--broker", forwarder.url])
    // It hears and is not heard, or neither.
    forwarder.set(wasReceived ? .deaf : .frozen)
    try house.command(#"{"id":"a","url":"a://b"}"#)
    let topic = "carillon/device/desk/notification"
    try eventually("the broker's PUBACK") { house.broker.acknowledgedPublications(on: topic) == 1 }
    try eventually("the way to the device") {
      house.broker.log.contains("Sending PUBLISH to carillon-device-desk")
    }
    if wasReceived { try companion.event("opened", "a") }
    #expect(try house.delivered("a").first?["devices"]?["desk"]?["state"] != "received")
    house.broker.kill()
    forwarder.cut()
    forwarder.pass()
    try house.broker.start()
    try eventually("the repeat", within: .seconds(40)) {
      house.broker.acknowledgedPublications(on: topic) >= 2
    }
    try companion.event("opened", "a", within: .seconds(40))
    try house.reconnect()
    try house.waitForState("a", "opened")
    #expect(try companion.events("notification", "a").count == 1)
    #expect(try companion.events("opened", "a").count == 1)
  }

  /// Whether the broker says that it has dropped something for a client.
  private func hasDropped(_ house: House, for client: String) -> Bool {
    house.broker.log.contains("Outgoing messages are being dropped for client \(client)")
  }

  @Test("What it drops because its queue for a device is full is sent again, in order")
  func queueOverflow() throws {
    let house = try House(configuration: "max_queued_messages 10\nmax_inflight_messages 5")
    // It is there, and reads nothing for a while.
    let device = try TestClient(port: house.broker.port, id: "slow-device")
    try device.subscribe("carillon/device/desk/notification")
    try device.publish("carillon/device/desk/status", "online", retain: true)
    try house.waitForStatus("device/desk", "online")
    try house.ask(Self.list(40, "q"))
    try eventually("a dropped message") { hasDropped(house, for: "slow-device") }
    /// Reads what comes until nothing does, and answers it.
    func take() throws -> [String] {
      var ids: [String] = []
      try device.listen(for: .milliseconds(300))
      while !device.messages.isEmpty {
        for message in try device.takeMessages().map({ try $0.json }) {
          ids.append(message["id"]?.text ?? "")
          try house.respond("desk", message["delivery"]?.text ?? "", "received")
        }
        try device.listen(for: .milliseconds(300))
      }
      return ids
    }
    let first = try take()
    #expect((1..<40).contains(first.count))
    try house.waitForState(try #require(first.last), "received")
    try device.publish("carillon/device/desk/status", "offline", retain: true)
    try device.publish("carillon/device/desk/status", "online", retain: true)
    var rest: [String] = []
    try eventually("the rest") {
      rest += try take()
      return first.count + rest.count >= 40
    }
    let all = Self.names(40, "q")
    #expect(first == all.filter { first.contains($0) })
    #expect(rest == all.filter { !first.contains($0) })
  }

  @Test(
    "Commands that it drops because its queue for the relay is full can be repeated by their keys, and run once"
  )
  func commandsDropped() throws {
    let house = try House(configuration: "max_queued_messages 10")
    let companion = try house.companion()
    try house.stopRelay()
    let commands = (0..<25).map { Array(#"{"id":"k\#($0)","title":"x","key":"key \#($0)"}"#.utf8) }
    #expect(
      house.client.publishBurst("carillon/command", commands, responseTopic: "carillon/reply/one") == 25)
    try eventually("a dropped message") { hasDropped(house, for: "carillon-relay-") }
    try house.startRelay()
    try house.command(#"{"command":"pending"}"#)
    let answered = try house.client.takeMessages().filter { $0.topic == "carillon/reply/one" }.map {
      try $0.json
    }
    #expect((1..<25).contains(answered.count))
    for (number, command) in commands.enumerated() {
      let reply = try house.ask(command)
      if number < answered.count { #expect(reply == answered[number]) }
    }
    try house.command(#"{"id":"end","title":"x"}"#)
    try companion.event("notification", "end")
    #expect(
      try companion.events("notification").compactMap { $0["id"]?.text } == Self.names(25, "k") + ["end"])
  }

  @Test("With a receive maximum of 1 everything goes out, one after another, in order")
  func receiveMaximumOne() throws {
    let house = try House(configuration: "max_inflight_messages 1\nlog_type all")
    let companion = try house.companion()
    try house.ask(Self.list(30, "d") { _ in #","trigger":{"after":1}"# })
    try house.ask(Self.list(30, "n"))
    try companion.event("notification", "d29")
    #expect(
      try companion.events("notification").compactMap { $0["id"]?.text }
        == Self.names(30, "n") + Self.names(30, "d"))
    // The broker has never had two of them at once.
    var open = 0
    var most = 0
    for line in house.broker.log.split(separator: "\n") {
      if line.contains("Received PUBLISH from carillon-relay") { open += 1 }
      if line.contains("Sending PUBACK to carillon-relay") { open -= 1 }
      most = max(most, open)
    }
    #expect(most == 1)
  }

  @Test("With packets of at most 4 KiB everything is answered, in pages or in brief")
  func smallPackets() throws {
    let house = try House(configuration: "max_packet_size 4096")
    let companion = try house.companion()
    // Their replies, with their next firings, would have some 15 KiB.
    for part in 0..<2 {
      let reply = try house.ask(
        Self.list(50, "p\(part)-") { _ in #","to":"desk","trigger":{"every":"1h"}"# })
      #expect(reply.elements?.count == 50)
      #expect(reply.elements?.allSatisfy { $0["ok"] == true } == true)
    }
    let mixed = try house.ask(
      "[" + (0..<50).map { #"{"id":"m\#($0)","titel":"x"}"# }.joined(separator: ",") + "]")
    #expect(mixed.elements?.count == 50)
    #expect(mixed.elements?.allSatisfy { $0["ok"] == false && $0.code == "unknown-field" } == true)

    let body = String(repeating: "b", count: 2800)
    try house.command(#"{"id":"long","body":"\#(body)","to":"desk","trigger":{"after":"2h"}}"#)
    var listed: [String] = []
    var after = ""
    repeat {
      let page = try house.command(#"{"command":"pending","limit":1000\#(after)}"#)
      #expect(page.encoded.count < 4096)
      listed += page["items"]?.elements?.compactMap { $0["id"]?.text } ?? []
      after = page["after"]?.text.map { #","after":"\#($0)""# } ?? ""
    } while !after.isEmpty && listed.count < 1000
    #expect(listed == (0..<100).map { "p\($0 / 50)-\($0 % 50)" } + ["long"])

    let refused = try house.ask(#"{"id":"big","body":"\#(body)","userInfo":"\#(body.prefix(900))"}"#)
    #expect(refused.code == "too-large", "\(refused.written)")
    let run = try house.run(["schedule", "--title", "x", "--body", body + body, "--to", "desk"])
    #expect(run.status == .exited(65), "\(run.text)")
    #expect(run.text.contains("4096"), "\(run.text)")
    try house.command(#"{"id":"end","title":"x"}"#)
    try companion.event("notification", "end")
    #expect(!companion.lines(.errors).contains { $0.contains("disconnected") })
  }

  // MARK: Another program

  /// Who loses its client id.
  enum Victim: CaseIterable { case relay, companion }

  @Test(
    "Another program with its client id is named once and left alone, and it is back when that one has gone",
    ShownClock.isPossible,
    arguments: Victim.allCases)
  func takeover(_ victim: Victim) throws {
    // Its minutes are three seconds each.
    let clock = try ShownClock.running(times: 20)
    let house = try House(start: false)
    let relay = try house.startRelay(environment: clock)
    let companion = try house.companion(environment: clock)
    let program = victim == .relay ? relay : companion
    let id = try #require(
      house.broker.clients.first { $0.hasPrefix(victim == .relay ? "carillon-relay-" : "carillon-device-") })
    let other = try ChildProcess(
      Spawn(["mosquitto_sub", "-p", "\(house.broker.port)", "-i", id, "-t", "nothing"]))
    try program.wait(for: "the notice", within: .seconds(40), on: .errors) {
      $0.contains("another program uses the client id") && $0.contains(victim == .relay ? id : "desk")
    }
    // The other one comes back a second after each time that it was thrown out.
    let before = house.broker.clients.count { $0 == id }
    try house.client.listen(for: .seconds(6))
    #expect(house.broker.clients.count { $0 == id } - before <= 6)
    #expect(program.lines(.errors).count { $0.contains("another program") } == 1)
    #expect(other.status == nil)
    other.kill(SIGKILL)
    try program.wait(for: "the end of it", within: .seconds(40), on: .errors) {
      $0.contains("again") && $0.contains("client id") && !$0.contains("another")
    }
    try house.command(#"{"id":"end","title":"x"}"#)
    try companion.event("notification", "end")
    #expect(program.lines(.errors).count < 20)
  }
}

extension Broker {
  /// The client ids of all connections so far, in order.
  var clients: [String] {
    log.split(separator: "\n").compactMap { line in
      guard let end = line.firstRange(of: " as "), line.contains("New client connected") else { return nil }
      return line[end.upperBound...].split(separator: " ").first.map(String.init)
    }
  }

  /// How many of the relay's publications on a topic it has acknowledged, by its log of all packets.
  func acknowledgedPublications(on topic: String) -> Int {
    var open: Set<Substring> = []
    var count = 0
    for line in log.split(separator: "\n") {
      guard let client = line.firstRange(of: "carillon-relay-"),
        let packet = line[client.upperBound...].split(whereSeparator: { " (),".contains($0) }).first(where: {
          $0.hasPrefix("m") && $0.dropFirst().allSatisfy(\.isNumber)
        })
      else { continue }
      if line.contains("Received PUBLISH"), line.contains("'\(topic)'") { open.insert(packet) }
      if line.contains("Sending PUBACK"), open.remove(packet) != nil { count += 1 }
    }
    return count
  }
}
