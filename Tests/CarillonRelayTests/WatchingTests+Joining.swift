import CarillonModel
import Testing

@testable import CarillonRelay

private let minute: Int64 = 60_000

/// Requests that join others on a topic: what is stored there is news to them alone.
extension WatchingTests {
  private static let repeating = #","repeats":true"#

  @Test func `A stored value that comes because another joined is no edge for those who were there`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home("", Self.repeating))
    try bench.publish(phone, "home", retain: true)
    #expect(bench.sent.count == 1)
    try bench.publish(phone, "away")
    bench.advance(5000)
    for id in ["b", "c"] { try bench.send(Self.home("", Self.repeating, id: id)) }
    #expect(bench.sent.count == 1)
    // It is away for the first and home for those who have joined.
    try bench.publish(phone, "home")
    #expect(bench.sent.map(\.id) == ["a", "a"])
    bench.advance(5000)
    try bench.publish(phone, "away")
    try bench.publish(phone, "home")
    #expect(bench.sent.map(\.id) == ["a", "a", "a", "b", "c"])
  }

  @Test func `A stored value that comes because another joined calls nothing off`() throws {
    let bench = try Self.bench()
    try bench.publish(phone, "away", retain: true)
    try bench.send(Self.home(#","for":"10m""#))
    try bench.publish(phone, "home")
    bench.advance(5 * minute)
    try bench.send(Self.home(#","for":"10m""#, "", id: "b"))
    bench.advance(5 * minute)
    #expect(bench.sent.map(\.id) == ["a"])
    try bench.publish(phone, "home")
    bench.advance(10 * minute)
    #expect(bench.sent.map(\.id) == ["a", "b"])
  }

  @Test func `Each that joins learns where it begins, also where the value comes behind the echo`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home("", Self.repeating))
    try bench.publish(phone, "home", retain: true)
    try bench.publish(phone, "away")
    bench.advance(5000)
    bench.broker.isSlow = true
    try bench.send(Self.home("", Self.repeating, id: "b"))
    let (stored, echo) = (bench.broker.sending[0], bench.broker.sending[1])
    bench.broker.sending = []
    try bench.take([echo])
    try bench.take([stored])
    #expect(bench.sent.count == 1)
    try bench.publish(phone, "home")
    #expect(bench.sent.map(\.id) == ["a", "a"])
  }

  @Test func `Of two that join before the first has learnt anything, both learn it`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home("", Self.repeating))
    try bench.publish(phone, "home", retain: true)
    bench.broker.isSlow = true
    for id in ["b", "c"] { try bench.send(Self.home("", Self.repeating, id: id)) }
    bench.broker.isSlow = false
    try bench.takeFromBroker()
    bench.advance(5000)
    try bench.publish(phone, "home")
    #expect(bench.sent.map(\.id) == ["a"])
  }

  @Test func `After a reconnect the stored value is compared again, whoever has joined before`() throws {
    let bench = try Self.bench()
    try bench.publish(phone, "away", retain: true)
    for id in ["a", "b"] { try bench.send(Self.home("", Self.repeating, id: id)) }
    bench.disconnect()
    try bench.publish(phone, "home", retain: true)
    bench.broker.kept = []
    try bench.connect()
    #expect(bench.sent.map(\.id) == ["a", "b"])
    #expect(bench.sent.map(\.late) == [true, true])
  }

  @Test func `One that joins by a command from the backlog keeps nothing from the others`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home("", Self.repeating))
    try bench.publish(phone, "away", retain: true)
    bench.stopRelay()
    try bench.publish(phone, "home", retain: true)
    bench.broker.kept = [
      bench.arrival("carillon/command/p", Self.home("", Self.repeating, id: "b"), 7)
    ]
    try bench.startRelay()
    try bench.connect()
    #expect(bench.sent.map(\.id) == ["a"])
    #expect(bench.sent.map(\.late) == [true])
  }

  @Test func `A topic that was given up and is watched again begins anew`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home("", Self.repeating))
    try bench.publish(phone, "home", retain: true)
    try bench.send(#"{"command":"cancel","ids":["a"]}"#)
    bench.forgetSent()
    try bench.send(Self.home("", Self.repeating, id: "b"))
    try bench.publish(phone, "home")
    #expect(bench.sent.isEmpty)
    try bench.publish(phone, "away")
    try bench.publish(phone, "home")
    #expect(bench.sent.map(\.id) == ["b"])
  }
}
