import CarillonModel
import Testing

@testable import CarillonRelay

private let minute: Int64 = 60_000

/// How long a match holds, how long after it the request fires, and how often at most.
extension WatchingTests {
  private static func silent(_ more: String = "", _ beside: String = "") -> String {
    #"{"id":"a","title":"t","to":"d","trigger":{"when":{"topic":"home/phone","silent":"15m"\#(more)}\#(beside)}}"#
  }

  private func times(_ bench: RelayBench) -> [Int64] { bench.sent.map { $0.at - RelayBench.noon } }

  // MARK: for

  @Test func `With for, the match must hold that long`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home(#","for":"10m""#, #","repeats":true"#))
    try bench.publish(phone, "home")
    #expect(try bench.listed("a")?["next"] == "2027-05-10T12:10:00.000+00:00")
    bench.advance(9 * minute)
    try bench.publish(phone, "home")
    bench.advance(minute - 1)
    #expect(bench.sent.isEmpty)
    bench.advance(1)
    #expect(times(bench) == [10 * minute])
    bench.advance(30 * minute)
    #expect(bench.sent.count == 1)
  }

  @Test func `With for, a match that ends before is called off, in the last moment too`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home(#","for":"10m""#))
    try bench.publish(phone, "home")
    bench.advance(10 * minute - 1)
    try bench.publish(phone, "away")
    #expect(try bench.listed("a")?["next"] == .null)
    bench.advance(30 * minute)
    #expect(bench.sent.isEmpty)
    try bench.publish(phone, "home")
    bench.advance(10 * minute)
    #expect(times(bench) == [50 * minute - 1])
  }

  @Test func `With for, what is stored at acceptance counts for nothing`() throws {
    let bench = try Self.bench()
    try bench.publish(phone, "home", retain: true)
    try bench.send(Self.home(#","for":"10m""#))
    bench.advance(30 * minute)
    #expect(bench.sent.isEmpty)
  }

  // MARK: delay

  @Test func `With delay, it fires that long after the edge, whatever comes in between`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home(#","delay":"30m""#, #","repeats":true"#))
    try bench.publish(phone, "home")
    bench.advance(minute)
    try bench.publish(phone, "away")
    bench.advance(minute)
    try bench.publish(phone, "home")
    try bench.publish(phone, "away")
    bench.advance(27 * minute)
    #expect(bench.sent.isEmpty)
    bench.advance(minute)
    #expect(times(bench) == [30 * minute])
    bench.advance(2 * minute)
    try bench.publish(phone, "home")
    bench.advance(30 * minute)
    #expect(times(bench) == [30 * minute, 62 * minute])
  }

  // MARK: silent

  @Test func `A silence begins with acceptance, and anew with each message whatever it holds`() throws {
    let bench = try Self.bench()
    let reply = try bench.send(Self.silent("", #","repeats":true"#))
    #expect(reply?["next"] == "2027-05-10T12:15:00.000+00:00")
    #expect(reply?["upcoming"] == .array([.string("2027-05-10T12:15:00.000+00:00")]))
    for text in ["", "home", "\u{0}", "{"] {
      bench.advance(14 * minute)
      try bench.publish(phone, text)
    }
    #expect(bench.sent.isEmpty)
    bench.advance(15 * minute - 1)
    #expect(bench.sent.isEmpty)
    bench.advance(1)
    #expect(times(bench) == [71 * minute])
    // Not again before somebody has spoken.
    bench.advance(60 * minute)
    #expect(bench.sent.count == 1)
    try bench.publish(phone, "x")
    bench.advance(15 * minute)
    #expect(times(bench) == [71 * minute, 146 * minute])
  }

  @Test func `A silence ends exactly, however many messages were heard, and few of them are written`() throws
  {
    let bench = try Self.bench()
    try bench.send(Self.silent())
    var writes: Set<Int64> = []
    for _ in 0..<4000 {
      bench.advance(250)
      try bench.publish(phone, "tick")
      if let due = try bench.queue.request(1)?.due { writes.insert(due) }
    }
    #expect(writes.count < 130)
    #expect(try bench.listed("a")?["next"] == "2027-05-10T12:31:40.000+00:00")
    bench.advance(15 * minute - 1)
    #expect(bench.sent.isEmpty)
    bench.advance(1)
    #expect(times(bench) == [1_000_000 + 15 * minute])
  }

  @Test func `What is stored is not heard`() throws {
    let bench = try Self.bench()
    try bench.publish(phone, "x", retain: true)
    try bench.send(Self.silent())
    bench.advance(10 * minute)
    try bench.send(Self.home("", "", id: "b"))
    bench.advance(5 * minute)
    #expect(bench.notifications("a").count == 1)
  }

  @Test func `A silence with a delay fires that long after it has been silent, whoever speaks in between`()
    throws
  {
    let bench = try Self.bench()
    try bench.send(Self.silent(#","delay":"10m""#))
    bench.advance(10 * minute)
    try bench.publish(phone, "x")
    bench.advance(15 * minute)
    try bench.publish(phone, "x")
    bench.advance(10 * minute - 1)
    #expect(bench.sent.isEmpty)
    bench.advance(1)
    #expect(times(bench) == [35 * minute])
  }

  // MARK: How often

  @Test func `There is at most one firing a second`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home("", #","repeats":true"#))
    for _ in 0..<100 {
      try bench.publish(phone, "home")
      try bench.publish(phone, "away")
      bench.advance(30)
    }
    #expect(times(bench) == [0, 1020, 2040])
  }

  @Test func `Edges within holdoff after a firing are dropped`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home("", #","repeats":true,"holdoff":"10m""#))
    for _ in 0..<25 {
      try bench.publish(phone, "home")
      try bench.publish(phone, "away")
      bench.advance(minute)
    }
    #expect(times(bench) == [0, 10 * minute, 20 * minute])
  }

  @Test func `A match that has held long enough counts where it did so, within holdoff or behind it`() throws
  {
    let bench = try Self.bench()
    try bench.send(Self.home(#","for":"5m""#, #","repeats":true,"holdoff":"10m""#))
    func pass(_ text: String, _ minutes: Int64) throws {
      try bench.publish(phone, text)
      bench.advance(minutes * minute)
    }
    try pass("home", 6)
    try pass("away", 1)
    // It would count 12 minutes after the start: 7 after the firing.
    try pass("home", 6)
    try pass("away", 1)
    // 19 after the start.
    try pass("home", 6)
    #expect(times(bench) == [5 * minute, 19 * minute])
  }

  @Test func `A late firing counts for holdoff from when it came out`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home(#","delay":"1m""#, #","repeats":true,"holdoff":"10m""#))
    try bench.publish(phone, "home")
    bench.stopRelay()
    try bench.startRelay(after: 20 * minute)
    try bench.connect()
    #expect(times(bench) == [20 * minute])
    try bench.publish(phone, "away")
    bench.advance(5 * minute)
    try bench.publish(phone, "home")
    bench.advance(5 * minute)
    #expect(bench.sent.count == 1)
  }

  // MARK: The end

  @Test func `It ends after count firings`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home("", #","repeats":true,"count":2"#))
    for _ in 0..<5 {
      try bench.publish(phone, "home")
      try bench.publish(phone, "away")
      bench.advance(2000)
    }
    #expect(bench.sent.count == 2)
    #expect(bench.queue.counters.pending == 0)
    #expect(bench.broker.subscribed == [])
  }

  @Test func `It ends with until, inclusive, also without a message`() throws {
    let bench = try Self.bench()
    for id in ["a", "b"] {
      try bench.send(Self.home("", #","repeats":true,"until":"2027-05-10T12:10:00""#, id: id))
    }
    bench.advance(10 * minute)
    try bench.keepHouse()
    try bench.publish(phone, "home")
    #expect(bench.sent.map(\.id) == ["a", "b"])
    bench.advance(1)
    try bench.publish(phone, "away")
    try bench.publish(phone, "home")
    #expect(bench.queue.counters.pending == 2)
    try bench.keepHouse()
    #expect(bench.queue.counters.pending == 0)
    #expect(bench.broker.subscribed == [])
    #expect(bench.sent.count == 2)
  }

  @Test func `What would fire after until does not, and what could not fire before it is refused`() throws {
    let bench = try Self.bench()
    let until = #","repeats":true,"until":"2027-05-10T12:10:00""#
    try bench.send(Self.home(#","delay":"6m""#, until))
    bench.advance(5 * minute)
    try bench.publish(phone, "home")
    bench.advance(20 * minute)
    #expect(bench.sent.isEmpty)
    #expect(try bench.send(Self.home("", until))?.code == "past")
    let late = until.replacing("12:10", with: "12:30")
    #expect(try bench.send(Self.home(#","delay":"6m""#, late))?.code == "past")
    #expect(try bench.send(Self.home(#","for":"6m""#, late))?.code == "past")
    #expect(try bench.send(Self.silent("", late))?.code == "past")
  }

  @Test func `A silence that a message has put off beyond until does not fire`() throws {
    let bench = try Self.bench()
    try bench.send(Self.silent("", #","repeats":true,"until":"2027-05-10T12:20:00""#))
    // In steps so small that the store does not follow each.
    for _ in 0..<301 {
      bench.advance(1000)
      try bench.publish(phone, "x")
    }
    bench.advance(20 * minute)
    try bench.keepHouse()
    #expect(bench.sent.isEmpty)
    #expect(bench.queue.counters.pending == 0)
  }

  @Test func `Setting the wall clock moves nothing that an event made due`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home(#","delay":"30m""#))
    try bench.publish(phone, "home")
    bench.setClock(to: RelayBench.noon - 100 * minute)
    bench.advance(30 * minute - 1)
    #expect(bench.sent.isEmpty)
    bench.advance(1)
    #expect(bench.sent.count == 1)
  }
}
