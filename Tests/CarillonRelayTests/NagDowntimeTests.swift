import CarillonModel
import CarillonStore
import Testing

@testable import CarillonRelay

/// A relay that is away in the middle of a nag.
@Suite struct NagDowntimeTests {
  /// `nagging`, 10 s after its first firing.
  private func begun(_ more: String = "") throws -> RelayBench {
    let bench = try RelayBench()
    try bench.send("{\(nagging)\(more)}")
    bench.advance(10_000)
    return bench
  }

  @Test func `A restart changes nothing`() throws {
    let bench = try begun()
    for _ in 0..<5 {
      try bench.restart()
      bench.advance(15_000)
    }
    bench.advance(7_200_000)
    #expect(
      bench.story() == [
        "kitchen 0", "kitchen 60 1/2", "kitchen 120 2/2", "bedroom 180", "bedroom 240 1/2", "bedroom 300 2/2",
      ])
  }

  /// How long it is off from second 10, and what then comes at once and as the next.
  @Test(arguments: [
    (off: 55, at: "kitchen 65 1/2", next: "kitchen 120 2/2"),
    (off: 109, at: "kitchen 119 1/2", next: "kitchen 120 2/2"),
    (off: 110, at: "kitchen 120 2/2", next: "bedroom 180"),
    (off: 171, at: "bedroom 181", next: "bedroom 240 1/2"),
    (off: 230, at: "bedroom 240 1/2", next: "bedroom 300 2/2"),
    (off: 350, at: "bedroom 360 2/2", next: nil),
    (off: 351, at: "bedroom 361 2/2 late", next: nil),
    (off: 86_400, at: "bedroom 86410 2/2 late", next: nil),
  ])
  func `Of all that was missed only the newest comes`(off: Int64, at: String, next: String?) throws {
    let bench = try begun()
    try bench.restart(after: off * 1000)
    #expect(bench.story() == ["kitchen 0", at])
    bench.advance(60_000)
    #expect(bench.story() == ["kitchen 0", at] + [next].compactMap { $0 })
  }

  @Test func `An answer that came meanwhile ends it before it can fire`() throws {
    let bench = try begun()
    let delivery = bench.sent[0].delivery
    try bench.restart(after: 170_000) { try bench.respond("kitchen", "dismissed", to: delivery) }
    bench.advance(7_200_000)
    #expect(bench.story() == ["kitchen 0"])
  }

  @Test func `A cancel that came meanwhile ends it before it can fire`() throws {
    let bench = try begun()
    var outcome: String?
    try bench.restart(after: 170_000) {
      outcome = try bench.send(#"{"command":"cancel","ids":["a"]}"#)?.outcome("a")
    }
    #expect(outcome == "cancelled")
    bench.advance(7_200_000)
    #expect(bench.story() == ["kitchen 0"])
  }

  @Test func `An occurrence that was missed with it takes its place`() throws {
    let bench = try RelayBench()
    try bench.send(#"{\#(nagging),"trigger":{"every":3600}}"#)
    bench.advance(3_610_000)
    try bench.restart(after: 3_700_000)
    bench.advance(60_000)
    #expect(bench.story() == ["kitchen 3600", "kitchen 7310 late", "kitchen 7370 1/2"])
  }

  @Test func `What was decided and not published goes out after the restart, the same delivery`() throws {
    let bench = try begun()
    bench.loseConnection()
    bench.advance(50_000)
    #expect(bench.story() == ["kitchen 0"])
    let decided = try bench.queue.live(id: "a").map { bench.relay.id(of: $0).text }
    try bench.restart(after: 1000)
    #expect(bench.story() == ["kitchen 0", "kitchen 61 1/2"])
    #expect(decided.contains(bench.sent[1].delivery))
  }

  @Test func `A decision whose transaction fails is made anew, once`() throws {
    let bench = try begun()
    bench.pass(50_000)
    let moment = bench.now()
    let counters = bench.queue.counters
    var draft = bench.relay
    #expect(throws: StoreError.full) {
      try bench.queue.transaction { () throws(StoreError) in
        let found = try draft.prepare(at: moment, wallClock: true, limit: 50)
        #expect(found.actions.count == 1)
        throw .full
      }
    }
    #expect(bench.queue.counters == counters)
    bench.finish()
    #expect(bench.story() == ["kitchen 0", "kitchen 60 1/2"])
    #expect(try bench.queue.nextFollowup() == moment.elapsed + 60_000)
  }

  @Test func `The clock may be set; a nag is elapsed time`() throws {
    let bench = try begun()
    bench.setClock(to: RelayBench.noon + 86_400_000)
    #expect(bench.firings("a").count == 1)
    bench.setClock(to: RelayBench.noon - 86_400_000)
    bench.advance(50_000)
    #expect(bench.firings("a").count == 2)
    #expect(bench.firings("a").last?.late == false)
    #expect(try bench.send(#"{"command":"withdraw","ids":["a"]}"#)?.outcome("a") == "withdrawn")
    #expect(
      bench.withdrawals(to: "kitchen").count == 2, "what has gone out has gone out, whatever the clock says")
  }

  @Test func `Before the clock has been set it goes on`() throws {
    let bench = try begun()
    bench.clock = RelayClock(
      RelayClock.Record(
        bootID: "before", offset: 0, wall: bench.wall, elapsed: bench.now().elapsed, isSet: true),
      RelayClock.Reading(bootID: "b", wall: 1000, boot: bench.boot, isSynchronised: false))
    #expect(!bench.clock.isSet)
    bench.advance(50_000)
    #expect(bench.firings("a").count == 2)
  }
}
