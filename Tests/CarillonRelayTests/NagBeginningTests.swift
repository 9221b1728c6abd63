import CarillonModel
import CarillonStore
import Testing

@testable import CarillonRelay

private let minute: Int64 = 60_000

/// When a nag begins: with its first firing, whatever clock that is on, and not before.
@Suite struct NagBeginningTests {
  private static let due = RelayBench.noon + 5000

  /// What went out since a reading of the boot clock, as `second n`: in elapsed time, whatever the wall clock showed.
  private func story(_ bench: RelayBench, since start: Int64) -> [String] {
    bench.firings("a").map { sent in
      "\((sent.boot - start) / 1000)" + (sent.series?.repetition.map { " \($0)" } ?? "")
    }
  }

  // MARK: Events

  @Test(arguments: [0, -60 * minute, 60 * minute], [false, true])
  func `What waits for something nags alike, fired by that or on command, however the clock was set`(
    step: Int64, byCommand: Bool
  ) throws {
    let bench = try RelayBench(watchable: ["home/#"])
    try bench.send(
      #"""
      {"id":"a","title":"t","to":"d","nag":{"every":60,"times":2},
       "trigger":{"when":{"topic":"home/x","equals":1},"repeats":true}}
      """#)
    bench.setClock(to: bench.wall + step)
    let start = bench.boot
    if byCommand { try bench.send(#"{"command":"fire","id":"a"}"#) } else { try bench.publish("home/x", "1") }
    bench.advance(10 * minute)
    #expect(story(bench, since: start) == ["0", "60 1", "120 2"])
    let firings = try bench.queue.live(id: "a")
    #expect(firings.allSatisfy { $0.axis == .elapsed })
  }

  // MARK: The wall clock set in the last second

  /// A request that nags is due in half a second, and prepared.
  private func prepared(_ more: String = "") throws -> RelayBench {
    let bench = try RelayBench()
    try bench.send(
      #"{"id":"a","title":"t","to":"k","nag":{"every":60,"times":2},"trigger":{"at":\#(Self.due / 1000)}\#(more)}"#
    )
    bench.advance(4500)
    #expect(try bench.queue.current("a")?.state == .finished, "it is prepared")
    return bench
  }

  @Test func `Where the clock is set back before the first firing, its nag waits with it`() throws {
    let bench = try prepared()
    let start = bench.boot
    bench.setClock(to: bench.wall - 10 * minute)
    bench.advance(20 * minute)
    #expect(story(bench, since: start) == ["600", "660 1", "720 2"])
    #expect(bench.firings("a").first?.at == Self.due)
  }

  @Test func `Where it is then set right again, the nag counts from when the first firing came out`() throws {
    let bench = try prepared()
    let start = bench.boot
    bench.setClock(to: bench.wall - 10 * minute)
    bench.advance(150_000)
    bench.setClock(to: bench.wall + 10 * minute)
    bench.saveMarks()
    bench.advance(10 * minute)
    #expect(story(bench, since: start) == ["150", "210 1", "270 2"])
  }

  @Test func `Cancelled while it waits for the clock, neither comes`() throws {
    let bench = try prepared()
    bench.setClock(to: bench.wall - 10 * minute)
    bench.advance(3 * minute)
    #expect(try bench.send(#"{"command":"cancel","ids":["a"]}"#)?.outcome("a") == "cancelled")
    bench.advance(30 * minute)
    #expect(bench.sent.isEmpty)
    #expect(try bench.queue.nextFollowup() == nil)
  }

  @Test func `Set forward before the first firing, it counts from that`() throws {
    let bench = try prepared()
    let start = bench.boot
    bench.setClock(to: bench.wall + 10 * minute)
    bench.advance(10 * minute)
    #expect(story(bench, since: start) == ["0", "60 1", "120 2"])
  }

  @Test func `Prepared before a stop and published after it, it nags from then on`() throws {
    let bench = try prepared()
    try bench.restart(after: 10 * minute)
    let start = bench.boot
    #expect(bench.firings("a").count == 1)
    bench.advance(minute - 1)
    #expect(bench.firings("a").count == 1)
    bench.advance(1)
    #expect(bench.firings("a").count == 2)
    #expect(bench.boot == start + minute)
  }

  // MARK: Taking the place of one that runs

  /// One that nags every minute comes every two and a half; it is 150 ms before the second time.
  private func running(_ more: String = "") throws -> RelayBench {
    let bench = try RelayBench.withDevices("kitchen")
    try bench.send(
      #"{"id":"a","title":"t","to":"kitchen","nag":{"every":60,"times":5},"trigger":{"every":150}\#(more)}"#)
    bench.advance(299_850)
    #expect(bench.story() == ["kitchen 150", "kitchen 210 1/5", "kitchen 270 2/5"])
    return bench
  }

  @Test func `An occurrence that is paused in its last second leaves the nag that runs`() throws {
    let bench = try running(#","catchUp":"none""#)
    try bench.send(#"{"command":"pause","ids":["a"]}"#)
    bench.advance(10_000)
    try bench.send(#"{"command":"resume","ids":["a"]}"#)
    bench.advance(100_000)
    #expect(bench.story().dropFirst(3) == ["kitchen 330 3/5", "kitchen 390 4/5"])
  }

  @Test func `Its nag goes on until the occurrence is out, in its last second too`() throws {
    let bench = try RelayBench()
    try bench.send(
      #"{"id":"a","title":"t","to":"kitchen","nag":{"every":50.4,"times":5},"trigger":{"every":101}}"#)
    bench.advance(210_000)
    #expect(
      bench.story() == ["kitchen 101", "kitchen 151 1/5", "kitchen 201 2/5", "kitchen 202"])
  }

  @Test func `An answer in the last second ends the nag that runs, and not the one to come`() throws {
    let bench = try running()
    try bench.respond("kitchen", "dismissed")
    bench.advance(70_000)
    #expect(bench.story().dropFirst(3) == ["kitchen 300", "kitchen 360 1/5"])
  }

  @Test func `A firing on command in the last second leaves the occurrence its nag`() throws {
    let bench = try running()
    try bench.send(#"{"command":"fire","id":"a"}"#)
    bench.advance(70_000)
    #expect(bench.story().dropFirst(3) == ["kitchen 299", "kitchen 300", "kitchen 360 1/5"])
  }

  @Test func `One without time for a repetition takes the place of one that runs all the same`() throws {
    let bench = try RelayBench()
    let more = #""title":"t","to":"k","expires":200,"trigger":{"every":150}"#
    try bench.send(#"{"id":"a","nag":{"every":140,"times":2},\#(more)}"#)
    bench.advance(620_000)
    #expect(bench.story() == ["k 150", "k 290 1/2", "k 300", "k 440 1/2", "k 450", "k 590 1/2", "k 600"])
  }

  @Test func `Answered before its beginning was written down, it has ended the older one too`() throws {
    let bench = try running()
    // The relay dies after the occurrence was released, and finds the answer in what the broker has kept.
    let deliveries = try bench.queue.live(id: "a").map { bench.relay.id(of: $0).text }
    try bench.restart(after: 1000) { try bench.respond("kitchen", "dismissed", to: deliveries.last) }
    bench.advance(140_000)
    #expect(bench.firings("a").count == 4)
    #expect(try bench.queue.nextFollowup() == nil)
  }

  @Test(arguments: [#""ids":["a"]"#, #""all":true"#])
  func `A withdrawal in the last second ends the nag that runs only`(selection: String) throws {
    let bench = try running()
    #expect(try bench.send(#"{"command":"withdraw",\#(selection)}"#)?.outcome("a") == "withdrawn")
    bench.advance(70_000)
    #expect(bench.story().dropFirst(3) == ["kitchen 300", "kitchen 360 1/5"])
  }
}
