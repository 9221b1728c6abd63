import CarillonTestSupport
import Testing

@testable import CarillonMQTT

@Suite struct PublishingTests {
  let broker: Broker
  let harness: SessionHarness
  let client: TestClient

  init() throws {
    broker = try Broker()
    harness = try SessionHarness(port: broker.port).connect()
    client = try TestClient(port: broker.port)
  }

  @Test func nothingLeavesBeforeTheFlush() throws {
    try client.subscribe("a")
    try harness.session.publish(Publication(topic: "a", payload: "held back".bytes))
    try harness.run(for: .milliseconds(1500))
    try client.publish("a", "first")
    #expect(try client.waitForMessage().text == "first")
    harness.session.flush()
    #expect(try client.waitForMessage().text == "held back")
  }

  @Test func anAcknowledgementNamesThePublication() throws {
    let first = try harness.session.publish(Publication(topic: "a", payload: []))
    let second = try harness.session.publish(Publication(topic: "a", payload: []))
    harness.session.flush()
    try harness.run {
      harness.events.contains { if case .acknowledged(second, _) = $0 { true } else { false } }
    }
    let acknowledged = harness.events.compactMap { event -> UInt16? in
      if case .acknowledged(let packetID, _) = event { packetID } else { nil }
    }
    #expect(acknowledged == [first, second])
  }

  @Test func qosZeroIsNotAcknowledged() throws {
    try client.subscribe("a")
    try harness.session.publish(Publication(topic: "a", payload: "x".bytes, qos: 0))
    harness.session.flush()
    #expect(try client.waitForMessage().qos == 0)
    #expect(try harness.publish(Publication(topic: "b", payload: [])) < 0x80)
    let count = harness.events.reduce(0) { if case .acknowledged = $1 { $0 + 1 } else { $0 } }
    #expect(count == 1)
  }

  @Test func everyPropertyArrives() throws {
    try client.subscribe("a")
    let publication = Publication(
      topic: "a", payload: [0, 255], retain: true, expiry: 60, responseTopic: "reply/ü",
      correlationData: [1, 0, 2])
    #expect(try harness.publish(publication) == 0)
    let message = try client.waitForMessage()
    #expect(message.payload == [0, 255])
    #expect(message.isRetained)
    #expect(message.responseTopic == "reply/ü")
    #expect(message.correlationData == [1, 0, 2])
    #expect((59...60).contains(try #require(message.expiry)))
  }

  @Test func everyPropertyIsRead() throws {
    #expect(try harness.subscribe(Subscription("a/+")) == [1])
    try client.publish(
      "a/ü", [7, 0], retain: true, expiry: 100, responseTopic: "reply/x", correlationData: [0, 1])
    try harness.run { harness.messages.count == 1 }
    let message = harness.messages[0]
    #expect(message.topic == "a/ü")
    #expect(message.payload == [7, 0])
    #expect(message.qos == 1)
    #expect(message.packetID > 0)
    #expect(message.isRetained)
    #expect(message.responseTopic == "reply/x")
    #expect(message.correlationData == [0, 1])
    #expect((99...100).contains(try #require(message.expiry)))
  }

  @Test func messagesWithoutPropertiesHaveNone() throws {
    #expect(try harness.subscribe(Subscription("a"), Subscription("b")) == [1, 1])
    try client.publish("a", "", qos: 0)
    try client.publish("b", "")
    try harness.run { harness.messages.count == 2 }
    #expect(harness.messages[0] == IncomingMessage(topic: "a", payload: [], qos: 0))
    #expect(harness.messages[1].responseTopic == nil)
    #expect(harness.messages[1].correlationData == nil)
    #expect(harness.messages[1].expiry == nil)
  }

  @Test(arguments: [
    "", "#", "a/+", "a\0b", String(repeating: "x", count: 70_000),
  ])
  func aBadTopicIsRefusedAndTheConnectionStays(_ topic: String) throws {
    #expect(throws: PublicationError.badTopic) {
      try harness.session.publish(Publication(topic: topic, payload: []))
    }
    #expect(throws: PublicationError.badTopic) {
      let answered = Publication(topic: "a", payload: [], responseTopic: "x\0y")
      try harness.session.publish(answered)
    }
    #expect(try harness.publish(Publication(topic: "a", payload: [])) < 0x80)
  }

  @Test func withoutAConnectionNothingIsTaken() throws {
    let other = try SessionHarness(port: broker.port)
    #expect(throws: PublicationError.notConnected) {
      try other.session.publish(Publication(topic: "a", payload: []))
    }
    #expect(other.session.subscribe([Subscription("a")]) == nil)
    #expect(other.session.unsubscribe(["a"]) == nil)
    other.session.flush()
  }

  @Test func aPacketOverTheBrokersLimitIsRefusedBeforeItIsSent() throws {
    let broker = try Broker(configuration: "max_packet_size 2000")
    let harness = try SessionHarness(port: broker.port).connect()
    guard case .connected(_, 5, _, 2000) = harness.events.first else {
      throw TestFailure("not the broker's limits: \(harness.events)")
    }
    // Fixed header 3, topic 2 + 1, identifier 2, property length 1.
    let largest = Publication(topic: "a", payload: Array(repeating: 0, count: 2000 - 9))
    let larger = Publication(topic: "a", payload: largest.payload + [0])
    #expect(throws: PublicationError.tooLarge(2001, limit: 2000)) { try harness.session.publish(larger) }
    #expect(try harness.publish(largest) < 0x80)
    #expect(throws: PublicationError.tooLarge(2001, limit: 2000)) { try harness.session.publish(larger) }
    #expect(try harness.publish(Publication(topic: "a", payload: [])) < 0x80)
    #expect(harness.connections == 1)
    #expect(harness.failures == [])
  }

  @Test func beyondTheBrokersReceiveMaximumTheyWaitForFreeSlots() throws {
    let broker = try Broker(configuration: "max_inflight_messages 5")
    let harness = try SessionHarness(port: broker.port).connect()
    guard case .connected(_, _, 5, _) = harness.events.first else {
      throw TestFailure("not the broker's limits: \(harness.events)")
    }
    let client = try TestClient(port: broker.port)
    try client.subscribe("a")
    for number in 0..<50 { try harness.session.publish(Publication(topic: "a", payload: "\(number)".bytes)) }
    harness.session.flush()
    try harness.run { harness.events.count == 51 }
    let texts = try (0..<50).map { _ in try client.waitForMessage().text }
    #expect(texts == (0..<50).map { "\($0)" })
  }

  @Test func whatTheSocketDoesNotTakeFollowsByItself() throws {
    let forwarder = try Forwarder(to: broker.port)
    let harness = try SessionHarness(port: forwarder.port).connect()
    try client.subscribe("big")
    forwarder.freeze()
    let payload = [UInt8](repeating: 7, count: 900_000)
    for _ in 0..<15 { try harness.session.publish(Publication(topic: "big", payload: payload)) }
    harness.session.flush()
    try harness.run(for: .milliseconds(100))
    forwarder.pass()
    try harness.run { harness.events.count == 16 }
    #expect(harness.connections == 1)
    for _ in 0..<15 { #expect(try client.waitForMessage().payload == payload) }
  }
}

@Suite struct SubscribingTests {
  let broker: Broker
  let harness: SessionHarness
  let client: TestClient

  init() throws {
    broker = try Broker()
    harness = try SessionHarness(port: broker.port).connect()
    client = try TestClient(port: broker.port)
  }

  @Test func retainAsPublishedKeepsTheFlag() throws {
    #expect(
      try harness.subscribe(Subscription("kept"), Subscription("plain", retainAsPublished: false)) == [1, 1])
    try client.publish("kept", "1", retain: true)
    try client.publish("kept", "2")
    try client.publish("plain", "3", retain: true)
    try harness.run { harness.messages.count == 3 }
    #expect(harness.messages.map(\.isRetained) == [true, false, false])
  }

  @Test(arguments: [(RetainHandling.always, 2), (.ifNew, 1), (.never, 0)])
  func storedMessagesComeAsAskedFor(_ handling: RetainHandling, _ count: Int) throws {
    try client.publish("a", "stored", retain: true)
    #expect(try harness.subscribe(Subscription("a", retainHandling: handling)) == [1])
    #expect(try harness.subscribe(Subscription("a", retainHandling: handling)) == [1])
    #expect(try harness.subscribe(Subscription("end")) == [1])
    try client.publish("end", "")
    try harness.run { harness.messages.last?.topic == "end" }
    #expect(harness.messages.count == count + 1)
    #expect(harness.messages.dropLast().allSatisfy { $0.isRetained })
  }

  @Test func whatOneselfPublishesCanBeLeftOut() throws {
    #expect(try harness.subscribe(Subscription("quiet", noLocal: true), Subscription("loud")) == [1, 1])
    try harness.session.publish(Publication(topic: "quiet", payload: []))
    try harness.session.publish(Publication(topic: "loud", payload: []))
    harness.session.flush()
    try harness.run { harness.messages.count == 1 }
    #expect(harness.messages[0].topic == "loud")
  }

  @Test func differentOptionsGetOneAnswer() throws {
    let granted = try harness.subscribe(
      Subscription("a", qos: 0), Subscription("b"), Subscription("c"), Subscription("d", qos: 0))
    #expect(granted == [0, 1, 1, 0])
  }

  @Test(arguments: ["", "a#", "a/#/b", "+a", "a\0"])
  func whatIsNoFilterIsNotSent(_ filter: String) throws {
    #expect(harness.session.subscribe([Subscription("fine"), Subscription(filter)]) == nil)
    #expect(harness.session.unsubscribe([filter]) == nil)
    #expect(harness.session.isConnected)
  }

  @Test func afterUnsubscribingNothingComes() throws {
    #expect(try harness.subscribe(Subscription("a"), Subscription("b")) == [1, 1])
    let packetID = try #require(harness.session.unsubscribe(["a"]))
    harness.session.flush()
    try harness.run { harness.events.contains(.unsubscribed(packetID: packetID)) }
    try client.publish("a", "")
    try client.publish("b", "")
    try harness.run { !harness.messages.isEmpty }
    #expect(harness.messages.map(\.topic) == ["b"])
  }
}
