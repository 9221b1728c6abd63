import CarillonModel
import CarillonStore
import Testing

@testable import CarillonRelay

private let minute: Int64 = 60_000

/// A relay that was away: what it finds when it is back.
extension WatchingTests {
  private static let repeating = #","repeats":true"#

  /// A bench whose relay is away and has come back.
  private func away(
    _ request: String, before: [String], during: [String], isRetained: Bool, for time: Int64 = 5 * minute
  ) throws -> RelayBench {
    let bench = try Self.bench()
    try bench.send(request)
    for text in before { try bench.publish(phone, text, retain: isRetained) }
    bench.forgetSent()
    bench.advance(2000)
    bench.stopRelay()
    // What was stored is there even where the broker keeps no messages.
    for text in during { try bench.publish(phone, text, retain: isRetained) }
    if isRetained { bench.broker.kept = [] }
    try bench.startRelay(after: time)
    #expect(bench.sent.isEmpty, "nothing fires before it is up to date")
    try bench.connect()
    return bench
  }

  @Test(arguments: [
    (before: [], during: ["home"], fires: true), (before: ["away"], during: ["home"], fires: true),
    (before: ["home"], during: ["home"], fires: false), (before: ["away"], during: ["away"], fires: false),
    (before: ["home"], during: ["away"], fires: false), (before: [], during: [], fires: false),
  ])
  func `The stored value is compared with how it stood, and a change is a late edge`(
    before: [String], during: [String], fires: Bool
  ) throws {
    let bench = try away(Self.home("", Self.repeating), before: before, during: during, isRetained: true)
    #expect(bench.sent.map(\.late) == (fires ? [true] : []))
    bench.forgetSent()
    bench.advance(2000)
    try bench.publish(phone, "away")
    try bench.publish(phone, "home")
    #expect(bench.sent.map(\.late) == [false], "and then it goes on as ever")
  }

  @Test func `Messages that the broker has kept are late edges too`() throws {
    let bench = try away(
      Self.home("", Self.repeating), before: ["home"], during: ["away", "home", "away"], isRetained: false)
    #expect(bench.sent.map(\.late) == [true])
  }

  @Test func `A command in the backlog counts before what its messages made due`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home())
    bench.stopRelay()
    try bench.publish(phone, "home")
    bench.broker.kept.append(
      bench.arrival("carillon/command/p", #"{"command":"cancel","ids":["a"]}"#, 7))
    try bench.startRelay()
    try bench.connect()
    #expect(bench.sent.isEmpty)
    #expect(bench.broker.subscribed == [])
  }

  @Test func `Killed before it had heard how a topic stands, it takes what is stored as the beginning`()
    throws
  {
    let bench = try Self.bench()
    try bench.publish(phone, "home", retain: true)
    bench.broker.isSlow = true
    try bench.send(Self.home())
    bench.broker.isSlow = false
    bench.stopRelay()
    bench.broker.sending = []
    try bench.startRelay()
    try bench.connect()
    #expect(bench.sent.isEmpty)
    try bench.publish(phone, "away", retain: true)
    try bench.publish(phone, "home", retain: true)
    #expect(bench.sent.map(\.late) == [false])
  }

  @Test func `A reconnect is no different from a restart`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home("", Self.repeating))
    try bench.publish(phone, "away", retain: true)
    bench.disconnect()
    try bench.publish(phone, "home", retain: true)
    bench.broker.kept = []
    bench.advance(2000)
    try bench.connect()
    #expect(bench.sent.map(\.late) == [true])
  }

  // MARK: What was due

  @Test(arguments: [5, 20])
  func `A match that was to hold, and still does, fires at its time or late`(away minutes: Int64) throws {
    let bench = try away(
      Self.home(#","for":"10m""#), before: ["home"], during: ["home"], isRetained: true,
      for: minutes * minute)
    bench.advance(10 * minute)
    #expect(bench.sent.map(\.late) == [minutes > 10])
  }

  @Test(arguments: [5, 20])
  func `A match that was to hold, and does not any more, is called off`(away minutes: Int64) throws {
    let bench = try away(
      Self.home(#","for":"10m""#), before: ["home"], during: ["away"], isRetained: true,
      for: minutes * minute)
    bench.advance(30 * minute)
    #expect(bench.sent.isEmpty)
  }

  @Test func `While the connection is away nothing fires that a message might have called off`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home(#","for":"10m""#))
    try bench.send(
      #"{"id":"s","title":"t","to":"d","trigger":{"when":{"topic":"home/phone","silent":"10m"}}}"#)
    try bench.publish(phone, "home", retain: true)
    bench.disconnect()
    bench.advance(9 * minute)
    try bench.publish(phone, "away", retain: true)
    bench.advance(9 * minute)
    #expect(bench.sent.isEmpty)
    try bench.connect()
    #expect(bench.sent.isEmpty)
    bench.advance(10 * minute)
    #expect(bench.sent.map(\.id) == ["s"])
  }

  @Test(arguments: [5, 20])
  func `A delay goes on while the relay is away`(away minutes: Int64) throws {
    let bench = try away(
      Self.home(#","delay":"10m""#), before: ["home"], during: ["away"], isRetained: true,
      for: minutes * minute)
    bench.advance(10 * minute)
    #expect(bench.sent.map(\.late) == [minutes > 10])
    #expect(bench.sent.map { $0.at - RelayBench.noon } == [minutes > 10 ? 20 * minute + 2000 : 10 * minute])
  }

  @Test func `A late edge with a delay fires that long after it was seen, and says that it is late`() throws {
    let bench = try away(
      Self.home(#","delay":"10m""#), before: ["away"], during: ["home"], isRetained: true)
    bench.advance(10 * minute - 1)
    #expect(bench.sent.isEmpty)
    bench.advance(1)
    #expect(bench.sent.map(\.late) == [true])
  }

  @Test func `A silence goes on while the relay is away, unless the broker has kept a message`() throws {
    let silent = #"{"id":"a","title":"t","to":"d","trigger":{"when":{"topic":"home/phone","silent":"10m"}}}"#
    let quiet = try away(silent, before: ["x"], during: [], isRetained: false, for: 20 * minute)
    #expect(quiet.sent.map(\.late) == [true])
    let spoken = try away(silent, before: ["x"], during: ["y"], isRetained: false, for: 20 * minute)
    #expect(spoken.sent.isEmpty)
    spoken.advance(10 * minute)
    #expect(spoken.sent.map(\.late) == [false])
  }

  @Test(arguments: [false, true])
  func `A silence is exact over a stop, and early by a hundredth at most where the relay is killed`(
    isKilled: Bool
  ) throws {
    let bench = try Self.bench()
    try bench.send(
      #"{"id":"a","title":"t","to":"d","trigger":{"when":{"topic":"home/phone","silent":"10m"}}}"#)
    for _ in 0..<20 {
      bench.advance(250)
      try bench.publish(phone, "x")
    }
    isKilled ? bench.killRelay() : bench.stopRelay()
    try bench.startRelay(after: minute)
    try bench.connect()
    bench.advance(20 * minute)
    let exact = RelayBench.noon + 10 * minute + 5000
    let fired = try #require(bench.sent.first?.at)
    #expect(isKilled ? (exact - 6000...exact).contains(fired) : fired == exact)
    #expect(bench.sent.count == 1)
  }

  @Test func `How soon after a firing another may come is remembered`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home("", #","repeats":true,"holdoff":"10m""#))
    try bench.publish(phone, "home")
    try bench.publish(phone, "away")
    bench.stopRelay()
    try bench.startRelay(after: 9 * minute)
    try bench.connect()
    try bench.publish(phone, "home")
    try bench.publish(phone, "away")
    #expect(bench.sent.count == 1)
    bench.advance(minute)
    try bench.publish(phone, "home")
    #expect(bench.sent.count == 2)
  }

  @Test func `Messages that the broker sends again turn nothing back and forth once more`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home("", Self.repeating))
    let batch = ["away", "away", "home", "home", "away"].enumerated().map {
      bench.arrival(phone, $0.element, UInt16($0.offset + 100))
    }
    try bench.take(batch)
    #expect(bench.sent.count == 1)
    bench.stopRelay()
    bench.broker.kept = batch
    try bench.startRelay(after: 5 * minute)
    try bench.connect()
    #expect(bench.sent.count == 1)
    // Packet identifiers are used again.
    try bench.take(batch)
    #expect(bench.sent.count == 2)
  }

  @Test func `A transaction that is undone leaves nothing in memory`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home("", Self.repeating))
    try bench.publish(phone, "away")
    var draft = bench.relay
    let moment = bench.now()
    #expect(throws: StoreError.busy) {
      try bench.queue.transaction { () throws(StoreError) in
        _ = try draft.handle([bench.arrival(phone, "home", 5)], at: moment)
        throw .busy
      }
    }
    #expect(bench.sent.isEmpty)
    try bench.take([bench.arrival(phone, "home", 5)])
    #expect(bench.sent.count == 1)
  }
}
