import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

/// Relay and companion behind a network that drops, delays and loses packets, in a namespace of their own.
@Suite(
  "Network faults", .onOwnThreadWithFewOthers,
  .enabled(if: DistantNetwork.obstacle == nil, "\(DistantNetwork.obstacle ?? "")"))
struct NetworkTests {
  /// A house whose relay and companion are far from its broker.
  private final class Far {
    let network: DistantNetwork
    let house: House
    let relay: Program
    let companion: Program

    init(_ network: DistantNetwork) throws {
      self.network = network
      house = try House(start: false, also: network.address)
      relay = try network.program([
        "relay", "--broker", house.broker.otherURL, "--store", "sqlite:\(house.store)", "--timezone", "UTC",
        "--keep-alive", "5s",
      ])
      companion = try network.program([
        "companion", "--broker", house.broker.otherURL, "--device", "desk", "--json", "--keep-alive", "5s",
      ])
      for who in ["relay", "device/desk"] { try house.waitForStatus(who, "online", within: .seconds(30)) }
    }
  }

  @Test("Packets dropped without a close: both sides notice by keep-alive, and are right again afterwards")
  func dropped() throws {
    let far = try Far(DistantNetwork())
    let house = far.house
    try house.command(#"{"id":"before","title":"x"}"#)
    try far.companion.event("notification", "before")
    far.network.drop()
    try house.client.publish("carillon/command", #"{"id":"meanwhile","title":"x"}"#)
    for who in ["relay", "device/desk"] { try house.waitForStatus(who, "offline", within: .seconds(20)) }
    #expect(far.network.counts.lost > 0)
    for program in [far.relay, far.companion] {
      try program.wait(for: "the silence", within: .seconds(30), on: .errors) { $0.contains("fallen silent") }
    }
    far.network.pass()
    #expect(try far.companion.events("notification").count == 1)
    for who in ["relay", "device/desk"] { try house.waitForStatus(who, "online", within: .seconds(60)) }
    try far.companion.event("notification", "meanwhile", within: .seconds(30))
    try house.command(#"{"id":"end","title":"x"}"#)
    try far.companion.event("notification", "end")
    #expect(
      try far.companion.events("notification").compactMap { $0["id"]?.text } == [
        "before", "meanwhile", "end",
      ])
  }

  @Test("The will of a connection that the broker still believes in does not leave the status wrong")
  func staleWill() throws {
    let far = try Far(DistantNetwork())
    let house = far.house
    // Nobody hears them die; the next ones come by another way.
    far.network.drop()
    for program in [far.relay, far.companion] {
      program.kill()
      try program.waitForExit()
    }
    for who in ["relay", "device/desk"] {
      #expect(try house.retained("carillon/\(who)/status")?.text == "online")
    }
    try house.startRelay(isReady: false)
    let companion = try house.companion(home: far.companion.home, isReady: false)
    try eventually("the end of the old connections") {
      house.broker.log.components(of: "already connected, closing old connection").count == 3
    }
    try companion.wait(for: "its connection", on: .errors) { $0.contains("connected to") }
    // And a will that comes whenever a broker likes.
    for who in ["relay", "device/desk"] {
      let topic = "carillon/\(who)/status"
      try house.client.subscribe(topic)
      let stale = try TestClient(port: house.broker.port, will: (topic, "offline"))
      stale.cut()
      try house.client.waitForMessage { $0.topic == topic && $0.text == "offline" }
      try house.client.waitForMessage { $0.topic == topic && $0.text == "online" }
    }
    // Longer than the old connections' keep-alive allows.
    try house.client.listen(for: .seconds(8))
    for who in ["relay", "device/desk"] {
      #expect(try house.retained("carillon/\(who)/status")?.text == "online")
    }
    try house.command(#"{"id":"end","title":"x"}"#)
    try companion.event("notification", "end")
  }

  @Test(
    "With 300 ms of delay, and with a tenth of all packets lost, everything arrives once, in order",
    arguments: [(300, 0), (5, 0.1)])
  func slowAndLossy(delay: Int, loss: Double) throws {
    let far = try Far(DistantNetwork(delay: .milliseconds(delay), loss: loss, seed: 4))
    let house = far.house
    try house.ask(BrokerFaultTests.list(20, "d") { #","trigger":{"after":\#(3 + Double($0) / 100)}"# })
    let start = SystemClock.elapsedMilliseconds
    try house.command(#"{"id":"one","title":"x"}"#)
    #expect(SystemClock.elapsedMilliseconds - start >= Int64(2 * delay))
    let burst = (0..<30).map { Array(#"{"id":"n\#($0)","title":"x"}"#.utf8) }
    #expect(house.client.publishBurst("carillon/command", burst) == 30)
    try far.companion.event("notification", "d19", within: .seconds(60))
    try far.companion.event("notification", "n29", within: .seconds(60))
    let ids = try far.companion.events("notification").compactMap { $0["id"]?.text }
    #expect(ids.count == 51)
    #expect(ids.filter { $0.hasPrefix("n") } == BrokerFaultTests.names(30, "n"))
    #expect(ids.filter { $0.hasPrefix("d") } == BrokerFaultTests.names(20, "d"))
    try house.waitForState("d19", "presented", within: .seconds(30))
    for program in [far.relay, far.companion] {
      #expect(!program.lines(.errors).contains { $0.contains("silent") || $0.contains("closed") })
    }
    let counts = far.network.counts
    #expect(counts.passed > 100)
    #expect(loss == 0 ? counts.lost == 0 : counts.lost > 10, "\(counts)")
  }
}
