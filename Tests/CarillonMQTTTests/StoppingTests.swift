import CarillonTestSupport
import Testing

@testable import CarillonMQTT

@Suite(.onOwnThread) struct StoppingTests {
  static let farewell = Publication(topic: "status", payload: "offline".bytes, retain: true)

  @Test func theLastPublicationArrivesAndNoWill() throws {
    let broker = try Broker()
    let harness = try SessionHarness(port: broker.port) {
      $0.will = Will(topic: "status", payload: "killed".bytes)
    }.connect()
    let client = try TestClient(port: broker.port)
    try client.subscribe("status")
    #expect(try harness.stop(last: [StoppingTests.farewell]) < 1500)
    #expect(!harness.session.isConnected)
    #expect(try client.waitForMessage().text == "offline")
    try client.publish("status", "end")
    #expect(try client.waitForMessage().text == "end")
    try harness.run(for: .milliseconds(1200))
    #expect(harness.connections == 1)
    #expect(harness.failures == [])
  }

  @Test func whatArrivesMeanwhileIsNeitherDeliveredNorAcknowledged() throws {
    let broker = try Broker()
    let forwarder = try Forwarder(to: broker.port)
    func session() throws -> SessionHarness {
      try SessionHarness(port: forwarder.port, id: "kept") {
        $0.cleanStart = false
        $0.sessionExpiry = .never
      }.connect()
    }
    let harness = try session()
    #expect(try harness.subscribe(Subscription("a")) == [1])
    harness.session.isHeld = true
    try TestClient(port: broker.port).publish("a", "late")
    harness.session.isHeld = false
    // The message stands in the socket before the acknowledgement of the farewell.
    #expect(try harness.stop(last: [StoppingTests.farewell]) < 1500)
    #expect(harness.messages.isEmpty)

    let next = try session()
    try next.run { next.messages.count == 1 }
    #expect(next.messages[0].payload == "late".bytes)
  }

  @Test func whileItIsHeldNothingIsAcknowledgedByTheEnd() throws {
    let broker = try Broker()
    func session() throws -> SessionHarness {
      try SessionHarness(port: broker.port, id: "kept") {
        $0.cleanStart = false
        $0.sessionExpiry = .never
      }.connect()
    }
    let harness = try session()
    #expect(try harness.subscribe(Subscription("a")) == [1])
    try TestClient(port: broker.port).publish("a", "uncommitted")
    try harness.run { harness.messages.count == 1 }
    harness.session.isHeld = true
    #expect(try harness.stop(last: [StoppingTests.farewell]) < 1500)

    let next = try session()
    try next.run { next.messages.count == 1 }
  }

  @Test func aFrozenLinkEndsWithTheGrace() throws {
    let broker = try Broker()
    let forwarder = try Forwarder(to: broker.port)
    let harness = try SessionHarness(port: forwarder.port).connect()
    forwarder.freeze()
    let time = try harness.stop(grace: .milliseconds(400), last: [StoppingTests.farewell])
    #expect((400..<1500).contains(time))
  }

  @Test func aFullSocketEndsWithTheGrace() throws {
    let broker = try Broker()
    let forwarder = try Forwarder(to: broker.port)
    let harness = try SessionHarness(port: forwarder.port).connect()
    forwarder.freeze()
    for _ in 0..<15 {
      try harness.session.publish(Publication(topic: "a", payload: Array(repeating: 0, count: 900_000)))
    }
    let time = try harness.stop(grace: .milliseconds(400), last: [StoppingTests.farewell])
    #expect((400..<1500).contains(time))
  }

  /// A broker that is absent, silent, unreachable or unresolvable.
  enum Obstacle: CaseIterable, Sendable {
    case neverStarted
    case absent
    case silent
    case dropsPackets
    case nameless
    case looksUp
  }

  @Test(arguments: Obstacle.allCases)
  func withoutAConnectionItEndsAtOnce(_ obstacle: Obstacle) throws {
    let forwarder = try Forwarder(to: 0, mode: .silent)
    let hole = try Blackhole()
    let port =
      switch obstacle {
      case .silent: forwarder.port
      case .dropsPackets: hole.port
      default: try Loopback.freePort()
      }
    let harness = try SessionHarness(port: port) {
      if [.nameless, .looksUp].contains(obstacle) { $0.address.host = "no-such-host.invalid" }
    }
    if obstacle != .neverStarted { harness.session.start() }
    switch obstacle {
    case .neverStarted: break
    case .absent, .nameless: try harness.run(within: .seconds(30)) { !harness.failures.isEmpty }
    case .silent: try harness.run { forwarder.connectionCount == 1 }
    case .dropsPackets: try harness.run(for: .milliseconds(100))
    case .looksUp: try harness.loop.turn(waiting: .seconds(1))
    }
    #expect(try harness.stop(last: [StoppingTests.farewell]) < 500)
    let count = harness.events.count
    try harness.run(for: .milliseconds(1200))
    #expect(harness.events.count == count)
  }

  @Test func aSecondStopEndsAtOnceAndBothAreTold() throws {
    let broker = try Broker()
    let forwarder = try Forwarder(to: broker.port)
    let harness = try SessionHarness(port: forwarder.port).connect()
    forwarder.freeze()
    var told: [Int] = []
    harness.session.stop(grace: .seconds(60), last: [StoppingTests.farewell]) { told.append(1) }
    harness.session.stop(grace: .seconds(60)) { told.append(2) }
    try harness.run(within: .seconds(2)) { told == [1, 2] }
  }

  @Test func itMayBeStoppedInsideATurn() throws {
    let broker = try Broker()
    let harness = try SessionHarness(port: broker.port)
    var hasEnded = false
    harness.onTurn = { [unowned harness] events in
      guard case .connected = events.first else { return }
      harness.session.stop(grace: .seconds(2), last: [StoppingTests.farewell]) { hasEnded = true }
    }
    harness.session.start()
    try harness.run { hasEnded }
  }
}
