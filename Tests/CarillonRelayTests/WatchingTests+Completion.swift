import CarillonModel
import Testing

@testable import CarillonRelay

private let minute: Int64 = 60_000

/// A match that must hold, and a delay behind it.
extension WatchingTests {
  private static let both = #","for":"10m","delay":"30m""#

  private func minutes(_ bench: RelayBench) -> [Int64] {
    bench.sent.map { ($0.at - RelayBench.noon) / minute }
  }

  @Test func `It fires a delay after the match has held, and says so from the start`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home(Self.both))
    try bench.publish(phone, "home")
    for _ in 0..<4 {
      #expect(try bench.listed("a")?["next"] == "2027-05-10T12:40:00.000+00:00")
      bench.advance(9 * minute)
    }
    bench.advance(4 * minute - 1)
    #expect(bench.sent.isEmpty)
    bench.advance(1)
    #expect(minutes(bench) == [40])
    #expect(bench.sent.map(\.late) == [false])
    #expect(bench.sent.map(\.due) == [RelayBench.noon + 40 * minute])
    #expect(bench.queue.counters.pending == 0)
  }

  @Test func `A match that ends before it has held calls all of it off, in the last moment too`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home(Self.both))
    try bench.publish(phone, "home")
    bench.advance(10 * minute - 1)
    try bench.publish(phone, "away")
    #expect(try bench.listed("a")?["next"] == .null)
    bench.advance(60 * minute)
    #expect(bench.sent.isEmpty)
    try bench.publish(phone, "home")
    bench.advance(40 * minute)
    #expect(bench.sent.count == 1)
  }

  @Test(arguments: [Int64(0), 1, 29 * minute])
  func `Once it has held, the delay runs whatever comes`(later: Int64) throws {
    let bench = try Self.bench()
    try bench.send(Self.home(Self.both, #","repeats":true"#))
    try bench.publish(phone, "home")
    bench.advance(10 * minute + later)
    for text in ["away", "home", "away"] { try bench.publish(phone, text) }
    #expect(try bench.listed("a")?["next"] == "2027-05-10T12:40:00.000+00:00")
    bench.advance(30 * minute - later)
    #expect(minutes(bench) == [40])
    // And then it begins again.
    try bench.publish(phone, "home")
    bench.advance(5 * minute)
    try bench.publish(phone, "away")
    bench.advance(60 * minute)
    try bench.publish(phone, "home")
    bench.advance(40 * minute)
    #expect(minutes(bench) == [40, 145])
  }

  @Test func `A match that ends in the turn in which it has held long enough has held long enough`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home(Self.both))
    try bench.publish(phone, "home")
    // The message is read before the relay has come to what is due.
    bench.pass(10 * minute)
    try bench.publish(phone, "away")
    bench.advance(30 * minute)
    #expect(minutes(bench) == [40])
  }

  @Test func `holdoff drops a match that has held too soon after the last firing`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home(Self.both, #","repeats":true,"holdoff":"61m""#))
    for text in ["home", "away", "home"] {
      try bench.publish(phone, text)
      bench.advance(45 * minute)
    }
    #expect(minutes(bench) == [40])
    try bench.publish(phone, "away")
    try bench.publish(phone, "home")
    bench.advance(40 * minute)
    #expect(minutes(bench) == [40, 175])
  }

  @Test func `It is refused where until leaves no time for both, and dropped where it would come after`()
    throws
  {
    let bench = try Self.bench()
    let until = #","repeats":true,"until":"2027-05-10T12:45:00""#
    #expect(try bench.send(Self.home(Self.both, until.replacing("12:45", with: "12:39")))?.code == "past")
    try bench.send(Self.home(Self.both, until))
    bench.advance(6 * minute)
    try bench.publish(phone, "home")
    bench.advance(60 * minute)
    #expect(bench.sent.isEmpty)
  }

  @Test func `For a device it is the same`() throws {
    let bench = try RelayBench()
    try bench.status("desk", "online")
    try bench.send(
      #"""
      {"id":"a","title":"t","to":"d","trigger":{"when":{"device":"desk","status":"offline","for":600,"delay":600}}}
      """#)
    try bench.status("desk", "offline")
    bench.advance(10 * minute)
    try bench.status("desk", "online")
    bench.advance(10 * minute)
    #expect(minutes(bench) == [20])
  }

  // MARK: Paused

  @Test func `What has held while it is paused runs on, and what has not is called off`() throws {
    for (held, expected) in [(12, [40]), (8, [])] as [(Int64, [Int64])] {
      let bench = try Self.bench()
      try bench.send(Self.home(Self.both))
      try bench.publish(phone, "home")
      try bench.send(#"{"command":"pause","ids":["a"]}"#)
      bench.advance(held * minute)
      try bench.publish(phone, "away")
      try bench.send(#"{"command":"resume","ids":["a"]}"#)
      bench.advance(60 * minute)
      #expect(minutes(bench) == expected)
      #expect(bench.sent.allSatisfy { !$0.late })
    }
  }

  @Test(arguments: [20, 50])
  func `Resumed, it is where it would be, or late`(after paused: Int64) throws {
    let bench = try Self.bench()
    try bench.send(Self.home(Self.both))
    try bench.publish(phone, "home")
    try bench.send(#"{"command":"pause","all":true}"#)
    bench.advance(paused * minute)
    try bench.send(#"{"command":"resume","all":true}"#)
    bench.advance(60 * minute)
    #expect(minutes(bench) == [max(40, paused)])
    #expect(bench.sent.map(\.late) == [paused > 40])
  }

  // MARK: Away

  /// The match begins at noon; the relay is away between two minutes, and finds a value stored.
  private func away(from start: Int64, to end: Int64, finds text: String) throws -> RelayBench {
    let bench = try Self.bench()
    try bench.send(Self.home(Self.both))
    try bench.publish(phone, "home", retain: true)
    bench.advance(start * minute)
    bench.killRelay()
    try bench.publish(phone, text, retain: true)
    bench.broker.kept = []
    try bench.startRelay(after: (end - start) * minute)
    try bench.connect()
    bench.advance(60 * minute)
    return bench
  }

  @Test func `A delay that runs goes on while the relay is away, whatever it finds`() throws {
    for text in ["home", "away"] {
      #expect(minutes(try away(from: 15, to: 30, finds: text)) == [40])
      let late = try away(from: 15, to: 50, finds: text)
      #expect(minutes(late) == [50])
      #expect(late.sent.map(\.late) == [true])
    }
  }

  @Test func `Whether a match has held while the relay was away is told by whether it is still there`() throws
  {
    #expect(minutes(try away(from: 5, to: 8, finds: "home")) == [40])
    #expect(minutes(try away(from: 5, to: 20, finds: "home")) == [40])
    let late = try away(from: 5, to: 50, finds: "home")
    #expect(minutes(late) == [50])
    #expect(late.sent.map(\.late) == [true])
    for end in [8, 20, 50] as [Int64] { #expect(minutes(try away(from: 5, to: end, finds: "away")) == []) }
  }

  @Test func `A match that was seen late counts from then, and its firing says so`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home(Self.both))
    try bench.publish(phone, "away", retain: true)
    bench.disconnect()
    try bench.publish(phone, "home", retain: true)
    bench.broker.kept = []
    bench.advance(10 * minute)
    try bench.connect()
    bench.advance(60 * minute)
    #expect(minutes(bench) == [50])
    #expect(bench.sent.map(\.late) == [true])
  }
}
