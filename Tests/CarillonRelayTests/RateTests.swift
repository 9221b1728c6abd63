import CarillonModel
import CarillonTestSupport
import Testing

@testable import CarillonRelay
@testable import CarillonStore

/// How many commands a publisher may send in a minute.
@Suite struct RateTests {
  private func bench(_ perMinute: Int64) throws -> RelayBench {
    let bench = try RelayBench()
    var configuration = bench.relay.configuration
    configuration.ratePerMinute = perMinute
    try bench.begin(configuration) {}
    try bench.reconnect()
    bench.mayFire = true
    return bench
  }

  private let command = #"{"id":"a","title":"t","to":"desk","trigger":{"after":3600}}"#

  private func isTaken(_ reply: JSONObject?) -> Bool { reply?["ok"] == true }

  @Test func `A minute's commands may come at once, then each when its share of a minute has passed`() throws
  {
    let bench = try bench(6)
    for _ in 0..<6 { #expect(isTaken(try bench.send(command))) }
    let refused = try bench.send(command)
    #expect(refused?.code == "limit")
    let message = refused?["error"]?["message"]?.text
    #expect(message?.contains("more than 6 commands a minute") == true)
    #expect(message?.hasSuffix("try again in 10s") == true)
    #expect(isTaken(try bench.send(command, from: "q")), "another is not held up")
    bench.pass(9999)
    #expect(try bench.send(command)?["error"]?["message"]?.text?.hasSuffix("try again in 1s") == true)
    bench.pass(1)
    #expect(isTaken(try bench.send(command)))
    #expect(try bench.send(command)?.code == "limit")
    bench.setClock(to: bench.wall + 3_600_000)
    #expect(try bench.send(command)?.code == "limit", "it is elapsed time")
  }

  @Test func `Each command of a list counts, and what is bad does too`() throws {
    let bench = try bench(3)
    #expect(try bench.send(#"{"nonsense":1}"#)?.code == "unknown-field")
    #expect(try bench.send(#"{"#)?.code == "malformed")
    let list = bench.arrival("carillon/command/p", "[\(command),\(command)]", 9)
    var replies: [JSON] = []
    let moment = bench.now()
    let actions = try bench.queue.transaction { () throws(StoreError) in
      try bench.relay.handle([list], at: moment)
    }
    for case .reply(_, _, let payload) in actions {
      if case .array(let elements)? = try? JSON(parsing: payload) { replies = elements }
    }
    #expect(replies.map { $0["ok"] } == [true, false])
    #expect(replies.last?["error"]?["code"] == "limit")
    #expect(try bench.send(#"{"#)?.code == "limit")
    #expect(try bench.send(#"{"nonsense":1}"#)?.code == "limit")
  }

  @Test func `What was taken before may come again however fast`() throws {
    let bench = try bench(2)
    let keyed = #"{"id":"k","title":"t","to":"desk","key":"1","trigger":{"after":60}}"#
    let first = try bench.send(keyed)
    #expect(isTaken(first))
    #expect(isTaken(try bench.send(command, packet: 77)))
    for _ in 0..<20 { #expect(try bench.send(keyed) == first) }
    #expect(try bench.send(command)?.code == "limit")
    // The broker sends again what it has no acknowledgement for.
    try bench.reconnect()
    #expect(isTaken(try bench.send(command, packet: 77)))
    #expect(try bench.send(command, packet: 78)?.code == "limit")
  }

  /// The commands of hours come at once then, and were not sent at once.
  @Test func `What the broker kept while the relay was away does not count`() throws {
    let bench = try bench(2)
    for _ in 0..<10 {
      var kept = bench.arrival("carillon/command/p", command, 1)
      kept.isBacklog = true
      #expect(isTaken(try bench.take([kept]).first))
    }
    for _ in 0..<2 { #expect(isTaken(try bench.send(command))) }
    #expect(try bench.send(command)?.code == "limit")
  }

  @Test func `A decision that could not be stored takes nothing`() throws {
    let bench = try bench(1)
    let arrival = bench.arrival("carillon/command/p", command, 1)
    for _ in 0..<3 {
      var draft = bench.relay
      let moment = bench.now()
      #expect(throws: StoreError.busy) {
        try bench.queue.transaction { () throws(StoreError) in
          _ = try draft.handle([arrival], at: moment)
          throw StoreError.busy
        }
      }
    }
    #expect(isTaken(try bench.send(command)))
  }

  // MARK: The buckets

  @Test(arguments: [1, 7, 60, 999_999, 1_000_000_000] as [Int64])
  func `The wait that is told is exact, and none is given away`(perMinute: Int64) {
    var rates = CommandRates(perMinute: perMinute)
    let burst = min(perMinute, 2000)
    for _ in 0..<burst { #expect(rates.take(nil, at: 5) == nil) }
    guard perMinute == burst else { return }
    var taken: Int64 = 0
    var time: Int64 = 5
    while taken < 50 {
      guard let wait = rates.take(nil, at: time) else {
        taken += 1
        continue
      }
      #expect(wait > 0)
      var early = rates
      #expect(wait == 1 || early.take(nil, at: time + wait - 1) != nil)
      time += wait
    }
    #expect(taken <= (time - 5) * perMinute / 60_000)
  }

  @Test func `Any number of names takes a bounded memory, and frees nobody who has used up his minute`()
    throws
  {
    var rates = CommandRates(perMinute: 3)
    let busy = try Name("busy")
    for _ in 0..<3 { #expect(rates.take(busy, at: 0) == nil) }
    for number in 0..<5000 { #expect(rates.take(try Name("n\(number)"), at: 1) == nil) }
    #expect(rates.take(busy, at: 2) != nil)
    #expect(rates.count <= CommandRates.publishers)
    #expect(rates.take(busy, at: 60_000) == nil)
  }
}
