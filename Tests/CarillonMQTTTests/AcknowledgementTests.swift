import CarillonTestSupport
import Testing

@testable import CarillonMQTT

/// A PUBACK means that the owner has dealt with the message: it leaves with `flush` and not before.
@Suite struct AcknowledgementTests {
  let broker: Broker

  init() throws { broker = try Broker() }

  private func keptSession(_ change: (inout SessionConfiguration) -> Void = { _ in }) throws -> SessionHarness
  {
    try SessionHarness(port: broker.port, id: "kept") {
      $0.cleanStart = false
      $0.sessionExpiry = .never
      change(&$0)
    }.connect()
  }

  private func subscribed(_ change: (inout SessionConfiguration) -> Void = { _ in }) throws -> SessionHarness
  {
    let harness = try keptSession(change)
    #expect(try harness.subscribe(Subscription("command/#")) == [1])
    harness.session.flush()
    return harness
  }

  private func isPresent(_ harness: SessionHarness) -> Bool {
    for case .connected(let present, _, _, _) in harness.events { return present }
    return false
  }

  @Test func whoIsKilledBeforeTheFlushGetsTheMessageAgain() throws {
    var harness = try subscribed()
    try TestClient(port: broker.port).publish("command/a", "one")
    try harness.run { harness.messages.count == 1 }
    // Longer than a ping would need to take the acknowledgement along.
    try harness.run(for: .milliseconds(1500))

    // It is let go without a word, as by SIGKILL.
    harness = try keptSession()
    #expect(isPresent(harness))
    try harness.run { harness.messages.count == 1 }
    #expect(harness.messages[0].payload == "one".bytes)
  }

  @Test func whoIsKilledAfterTheFlushDoesNot() throws {
    var harness = try subscribed()
    let publisher = try TestClient(port: broker.port)
    try publisher.publish("command/a", "one")
    try harness.run { harness.messages.count == 1 }
    harness.session.flush()

    harness = try keptSession()
    #expect(isPresent(harness))
    try publisher.publish("command/a", "two")
    try harness.run { harness.messages.count == 1 }
    #expect(harness.messages[0].payload == "two".bytes)
  }

  @Test func aFlushInsideTheTurnCounts() throws {
    var harness = try subscribed()
    harness.onTurn = { [unowned harness] _ in harness.session.flush() }
    let publisher = try TestClient(port: broker.port)
    try publisher.publish("command/a", "one")
    try harness.run { harness.messages.count == 1 }

    harness = try keptSession()
    try publisher.publish("command/a", "two")
    try harness.run { harness.messages.count == 1 }
    #expect(harness.messages[0].payload == "two".bytes)
  }

  @Test func withAutoFlushNobodyHasToCallIt() throws {
    var harness = try subscribed { $0.autoFlush = true }
    let publisher = try TestClient(port: broker.port)
    try publisher.publish("command/a", "one")
    try harness.run { harness.messages.count == 1 }

    harness = try keptSession()
    try publisher.publish("command/a", "two")
    try harness.run { harness.messages.count == 1 }
    #expect(harness.messages[0].payload == "two".bytes)
  }

  @Test func theReceiveMaximumBoundsWhatIsUnacknowledged() throws {
    let harness = try SessionHarness(port: broker.port) { $0.receiveMaximum = 7 }.connect()
    #expect(try harness.subscribe(Subscription("a")) == [1])
    let publisher = try TestClient(port: broker.port)
    #expect(publisher.publishBurst("a", (0..<50).map { "\($0)".bytes }) == 50)
    try harness.run { harness.messages.count >= 7 }
    try harness.run(for: .milliseconds(200))
    #expect(harness.messages.count == 7)
    harness.onTurn = { [unowned harness] _ in harness.session.flush() }
    harness.session.flush()
    try harness.run { harness.messages.count == 50 }
    #expect(harness.messages.map { String(decoding: $0.payload, as: UTF8.self) } == (0..<50).map { "\($0)" })
  }

  @Test func oneTurnHoldsEverythingThatWaits() throws {
    let harness = try subscribed()
    let publisher = try TestClient(port: broker.port)
    for number in 0..<15 { try publisher.publish("command/a", "\(number)") }
    try harness.run { !harness.messages.isEmpty }
    #expect(harness.turns.last?.count == 15)
  }

  @Test(.onOwnThread) func aHeldSessionReadsNothingAndWritesNothingNotEvenAPing() throws {
    let forwarder = try Forwarder(to: broker.port)
    let harness = try SessionHarness(port: forwarder.port).connect()
    #expect(try harness.subscribe(Subscription("a")) == [1])
    let before = forwarder.bytesFromClients
    harness.session.isHeld = true
    try TestClient(port: broker.port).publish("a", "waits")
    try harness.session.publish(Publication(topic: "b", payload: []))
    harness.session.flush()
    // Longer than the keep-alive of 5 s, after which a ping is due; shorter than the broker's patience.
    try harness.run(for: .milliseconds(5600))
    #expect(forwarder.bytesFromClients == before)
    #expect(harness.messages.isEmpty)
    #expect(harness.session.isConnected)

    harness.session.isHeld = false
    try harness.run { harness.messages.count == 1 }
    harness.session.flush()
    try eventually { forwarder.bytesFromClients > before }
    try harness.run(for: .seconds(3))
    #expect(harness.failures == [])
  }

  @Test func aHeldSessionNoticesTheEndOfTheConnection() throws {
    let harness = try keptSession()
    harness.session.isHeld = true
    broker.kill()
    try harness.run { harness.failures == [.closed] }
    #expect(!harness.session.isConnected)
  }
}
