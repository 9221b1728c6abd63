import CarillonModel
import CarillonTestSupport
import Testing

@testable import CarillonRelay

/// A scheduled firing is prepared a second before it is due; what comes in that second still counts.
@Suite struct LastSecondTests {
  /// A request that is due in 5 s, 300 ms before that.
  private func prepared(_ more: String = "") throws -> RelayBench {
    let bench = try RelayBench()
    try bench.status("desk", "online")
    try bench.send(#"{"id":"a","title":"old","trigger":{"after":5}\#(more)}"#)
    bench.advance(4700)
    #expect(bench.sent.isEmpty)
    #expect(try bench.queue.current("a")?.state == .finished, "it is prepared")
    return bench
  }

  @Test func `Cancelled in its last second, it never fires`() throws {
    let bench = try prepared()
    #expect(try bench.send(#"{"command":"cancel","ids":["a"]}"#)?.outcome("a") == "cancelled")
    bench.advance(5000)
    #expect(bench.sent.isEmpty)
    #expect(bench.queue.counters.pending == 0)
  }

  @Test func `Replaced in its last second, only the new one fires`() throws {
    let bench = try prepared()
    let reply = try bench.send(#"{"id":"a","title":"new","trigger":{"after":5}}"#)
    #expect(reply?["replaced"] == .bool(true))
    #expect(reply?["was"] == .null)
    bench.advance(10_000)
    #expect(bench.notifications("a").map(\.content) == [#""title":"new""#])
  }

  @Test func `Paused in its last second, it fires once it is resumed`() throws {
    let bench = try prepared()
    #expect(try bench.send(#"{"command":"pause","ids":["a"]}"#)?.outcome("a") == "paused")
    bench.advance(20_000)
    #expect(bench.sent.isEmpty)
    #expect(bench.queue.counters.pending == 1)
    #expect(try bench.send(#"{"command":"resume","ids":["a"]}"#)?.outcome("a") == "pending")
    bench.advance(1000)
    #expect(bench.notifications("a").count == 1)
  }

  @Test func `A repeating one that is paused in its last second keeps that occurrence`() throws {
    let bench = try RelayBench()
    try bench.send(#"{"id":"a","title":"t","to":"desk","trigger":{"every":10,"count":3}}"#)
    bench.advance(9500)
    try bench.send(#"{"command":"pause","all":true}"#)
    bench.advance(3000)
    try bench.send(#"{"command":"resume","all":true}"#)
    bench.advance(60_000)
    #expect(bench.notifications("a").count == 3)
    #expect(try bench.queue.current("a")?.state == .finished)
  }

  @Test func `What had fired is answered so, and travels on`() throws {
    let bench = try prepared()
    bench.advance(300)
    #expect(bench.notifications("a").count == 1)
    #expect(try bench.send(#"{"command":"cancel","ids":["a"]}"#)?.outcome("a") == "fired")
    #expect(bench.withdrawals(to: "desk").isEmpty)
  }

  @Test func `A cancelled repetition fires no more, whenever it is cancelled`() throws {
    var generator = SplitMix(seed: 45)
    let bench = try RelayBench()
    for _ in 0..<500 {
      try bench.send(#"{"id":"r","title":"old","to":"desk","trigger":{"every":1}}"#)
      bench.advance(Int64.random(in: 0...3500, using: &generator))
      try bench.send(#"{"command":"cancel","ids":["r"]}"#)
      try bench.send(#"{"id":"r","title":"new","to":"desk","trigger":{"every":3600}}"#)
      bench.forgetSent()
      bench.advance(4000)
      #expect(bench.sent.isEmpty)
    }
  }

  @Test func `Around the due time it is cancelled or fired, never both`() throws {
    let bench = try RelayBench()
    var generator = SplitMix(seed: 46)
    var outcomes: Set<String> = []
    for round in 0..<500 {
      try bench.send(#"{"id":"r\#(round)","title":"t","to":"desk","trigger":{"after":2}}"#)
      bench.advance(1900)
      // The clock may be read later than the timer would have gone off.
      bench.pass(100 + Int64.random(in: -5...5, using: &generator))
      let outcome = try bench.send(#"{"command":"cancel","ids":["r\#(round)"]}"#)?.outcome("r\(round)")
      bench.advance(2000)
      #expect(bench.notifications("r\(round)").count == (outcome == "cancelled" ? 0 : 1))
      outcomes.insert(outcome ?? "none")
      bench.forgetSent()
    }
    #expect(outcomes == ["cancelled", "fired"])
  }

  @Test func `Taken back, it gives its place back to the one that waits for an absent device`() throws {
    let bench = try RelayBench()
    try bench.status("desk", "offline")
    try bench.send(#"{"id":"a","title":"t","trigger":{"every":10}}"#)
    bench.advance(19_500)
    #expect(try bench.send(#"{"command":"cancel","ids":["a"]}"#)?.outcome("a") == "cancelled")
    bench.advance(5000)
    try bench.status("desk", "online")
    #expect(bench.notifications("a").count == 1, "the one that had fired still travels")
  }

  @Test func `More than memory holds is due at one instant`() throws {
    let bench = try RelayBench(memoryLimit: 10)
    for device in ["a", "b"] { try bench.status(device, "online") }
    for number in 0..<40 { try bench.send(#"{"id":"\#(number)","title":"t","trigger":{"after":5}}"#) }
    try bench.send(#"{"id":"last","title":"t","trigger":{"after":6}}"#)
    bench.advance(7000)
    #expect(bench.sent.count == 82)
    #expect(Set(bench.sent.map { "\($0.device) \($0.id)" }).count == 82)
    #expect(bench.sent.filter { $0.id == "last" }.allSatisfy { $0.at == RelayBench.noon + 6000 })
  }
}
