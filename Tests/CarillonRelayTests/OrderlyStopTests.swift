import CarillonModel
import CarillonStore
import Testing

@testable import CarillonRelay

/// What a relay that is stopped in an orderly way leaves to the next one.
@Suite struct OrderlyStopTests {
  private func stop(_ bench: RelayBench, thenAfter milliseconds: Int64) throws {
    bench.saveMarks()
    let moment = bench.now()
    try bench.queue.transaction { () throws(StoreError) in
      try bench.relay.takeBackPrepared(at: moment, limit: 1000)
    }
    try bench.restart(after: milliseconds)
  }

  private func deliveries(_ bench: RelayBench) -> Set<String> { Set(bench.sent.map(\.delivery)) }

  /// The second occurrence waits for the device, after a kill; the third has gone out before it, as far as the relay knows.
  @Test(arguments: [0, 300, 600, 900, 1500] as [Int64])
  func `Each occurrence comes, also where one waits for a device that the next has passed`(later: Int64)
    throws
  {
    let bench = try RelayBench()
    try bench.status("desk", "online")
    try bench.send(
      #"{"id":"a","title":"t","to":"desk","trigger":{"every":1,"count":4},"catchUp":"all"}"#)
    bench.advance(1100)
    #expect(deliveries(bench).count == 1)
    try bench.status("desk", "offline")
    bench.advance(500)
    try bench.restart(after: 600)
    bench.advance(500 + later)
    try stop(bench, thenAfter: 400)
    bench.advance(200)
    try bench.status("desk", "online")
    bench.advance(10_000)
    #expect(deliveries(bench).count == 4)
    #expect(try bench.queue.current("a")?.state == .finished)
    #expect(try bench.queue.current("a")?.occurrences == 4)
  }

  @Test(arguments: [0, 250, 500, 750] as [Int64])
  func `What is prepared can be cancelled while the relay is off, and comes once if it is not`(into: Int64)
    throws
  {
    for isCancelled in [true, false] {
      let bench = try RelayBench()
      try bench.status("desk", "online")
      try bench.send(#"{"id":"a","title":"t","to":"desk","trigger":{"after":2}}"#)
      bench.advance(1100 + into)
      try stop(bench, thenAfter: 100)
      if isCancelled {
        #expect(try bench.send(#"{"command":"cancel","ids":["a"]}"#)?["ids"]?["a"] == "cancelled")
      }
      bench.advance(5000)
      #expect(bench.sent.map(\.id) == (isCancelled ? [] : ["a"]))
    }
  }
}
