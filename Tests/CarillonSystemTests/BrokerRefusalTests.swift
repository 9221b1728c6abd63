import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

/// A broker that does not want the connection, or a message. Clocks run faster than the kernel's where minutes are waited.
@Suite("Broker refusals", .onOwnThreadWithFewOthers)
struct BrokerRefusalTests {
  @Test(
    "Refused for an hour, in whatever way, relay and companion write few lines and go on trying",
    ShownClock.isPossible)
  func anHour() throws {
    // An hour of theirs is nine seconds.
    let rate = 400
    let clock = try ShownClock.running(times: rate)
    let closing = try Forwarder(to: 0, mode: .closing)
    let full = try (0..<2).map { _ in try FakeBroker(.answers(0x97)) }
    let unwilling = try (0..<2).map { _ in try FakeBroker(.dismisses(0x87)) }
    let folder = try TemporaryDirectory(inMemory: true)
    let start = SystemClock.elapsedMilliseconds
    var programs: [(relay: Program, companion: Program)] = []
    for (index, urls) in [[closing.url, closing.url], full.map(\.url), unwilling.map(\.url)].enumerated() {
      programs.append(
        (
          try Program(
            ["relay", "--broker", urls[0], "--store", "sqlite:\(folder.file("\(index).db"))"],
            environment: clock),
          try Program(
            ["companion", "--broker", urls[1], "--device", "d", "--state", folder.file("\(index)")],
            environment: clock)
        ))
    }
    try eventually("the hour", within: .seconds(30)) {
      (SystemClock.elapsedMilliseconds - start) * Int64(rate) >= 3_600_000
    }
    for (index, pair) in programs.enumerated() {
      for program in [pair.relay, pair.companion] {
        let lines = program.lines(.errors)
        #expect(!program.hasEnded)
        #expect(lines.count < 100, "\(index): \(lines)")
        #expect(lines.contains { $0.contains(["closed", "0x97", "0x87"][index]) }, "\(lines)")
      }
    }
    // Six attempts in the first minute, then one a minute; fewer where the machine is too slow for the faster clock.
    #expect(closing.connectionCount > 40)
    for broker in full + unwilling { #expect(broker.versions.count > 20) }
  }

  /// With 0, Mosquitto 2.0.11 also ends the connection of whoever publishes what it may not.
  @Test(
    "A delivery that the access list forbids is told with its reason, and goes out once it is allowed",
    ShownClock.isPossible,
    arguments: [1_000_000, 0])
  func notAuthorized(queue: Int) throws {
    let folder = try TemporaryDirectory()
    let list = try folder.write("acl", "topic readwrite #\ntopic deny carillon/device/desk/notification\n")
    let house = try House(configuration: "acl_file \(list)\nmax_queued_messages \(queue)", start: false)
    let relay = try house.startRelay(environment: try ShownClock.running(times: 20))
    let device = try TestClient(port: house.broker.port)
    try device.subscribe("carillon/device/desk/notification")
    try house.client.publish("carillon/command", #"{"id":"a","title":"x","to":"desk"}"#)
    try relay.wait(for: "the refusal", on: .errors) { $0.contains("0x87") && $0.contains("access list") }
    // Long enough for some attempts where it is thrown out.
    try device.listen(for: .seconds(2))
    #expect(device.messages.isEmpty)
    #expect((house.broker.clients.count { $0.hasPrefix("carillon-relay-") } == 1) == (queue > 0))
    try folder.write("acl", "topic readwrite #\n")
    house.broker.reload()
    // A minute of the relay is three seconds.
    #expect(try device.waitForMessage(within: .seconds(30)).json["id"] == "a")
    try house.command(#"{"id":"end","title":"x","to":"desk"}"#)
    #expect(try device.waitForMessage().json["id"] == "end")
    #expect(!relay.lines(.errors).contains { $0.contains("another program") })
  }

  @Test(
    "A delivery refused because a quota is exceeded is told, and sent again until the broker takes it",
    ShownClock.isPossible)
  func quotaExceeded() throws {
    let house = try House(start: false)
    let forwarder = try Forwarder(to: house.broker.port)
    let relay = try house.startRelay(url: forwarder.url, environment: try ShownClock.running(times: 20))
    let device = try TestClient(port: house.broker.port)
    try device.subscribe("carillon/device/desk/notification")
    forwarder.refuse(reason: 0x97)
    try house.command(#"{"id":"a","title":"x","to":"desk"}"#)
    let first = try device.waitForMessage().json
    try relay.wait(for: "the refusal", on: .errors) { $0.contains("Quota exceeded (0x97)") }
    // Something else may have been refused before. What the broker says of the delivery reaches the relay before this command.
    try house.command(#"{"command":"pending"}"#)
    #expect(forwarder.refusalCount > 0)
    forwarder.refuse(reason: 0)
    // A minute of the relay is three seconds. This time it is taken, and that was the last.
    #expect(try device.waitForMessage(within: .seconds(30)).json["delivery"] == first["delivery"])
    try device.listen(for: .seconds(7))
    #expect(device.messages.isEmpty)
    #expect(relay.lines(.errors).count < 20)
  }
}
