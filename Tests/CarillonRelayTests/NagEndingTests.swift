import CarillonModel
import CarillonStore
import CarillonTestSupport
import Testing

@testable import CarillonRelay

/// What ends a nag besides an answer, and what holds it.
@Suite struct NagEndingTests {
  /// A nag that has come once.
  private func running(_ more: String = "") throws -> RelayBench {
    let bench = try RelayBench.withDevices("kitchen", "bedroom")
    try bench.send("{\(nagging)\(more)}")
    bench.advance(70_000)
    #expect(bench.story() == ["kitchen 0", "kitchen 60 1/2"])
    return bench
  }

  private func expectSilence(_ bench: RelayBench) throws {
    #expect(try bench.queue.nextFollowup() == nil)
    let count = bench.firings("a").count
    bench.advance(7_200_000)
    #expect(bench.firings("a").count == count)
  }

  // MARK: Expiry

  @Test func `None comes at or after the expiry of the first, and all expire with it`() throws {
    let bench = try RelayBench()
    try bench.send("{\(nagging),\"expires\":180}")
    bench.advance(7_200_000)
    #expect(bench.story() == ["kitchen 0", "kitchen 60 1/2", "kitchen 120 2/2"])
    #expect(bench.sent.map(\.expires) == Array(repeating: RelayBench.noon + 180_000, count: 3))
    #expect(try bench.queue.nextFollowup() == nil)
  }

  @Test func `One that expires before its first repetition does not nag`() throws {
    let bench = try RelayBench()
    try bench.send("{\(nagging),\"expires\":60}")
    #expect(try bench.queue.nextFollowup() == nil)
  }

  @Test func `What has expired while the relay was off does not come`() throws {
    let bench = try RelayBench()
    try bench.send("{\(nagging),\"expires\":200}")
    try bench.restart(after: 200_000)
    #expect(bench.story() == ["kitchen 0"])
    try expectSilence(bench)
  }

  // MARK: Cancel, withdraw, replacement

  @Test(arguments: [#""ids":["a"]"#, #""thread":"x""#, #""all":true"#])
  func `A cancel ends it, and says so`(selection: String) throws {
    let bench = try running(#","thread":"x""#)
    try bench.send(#"{"id":"b","title":"t","to":"kitchen","thread":"x"}"#)
    #expect(try bench.send(#"{"command":"cancel",\#(selection)}"#)?["ids"] == ["a": "cancelled"])
    #expect(bench.withdrawals(to: "kitchen").isEmpty, "what has fired travels on")
    #expect(try bench.send(#"{"command":"cancel","ids":["a"]}"#)?.outcome("a") == "unknown")
    #expect(try bench.send(#"{"command":"cancel","all":true}"#)?["ids"] == [:])
    try expectSilence(bench)
  }

  @Test(arguments: [#""ids":["a"]"#, #""all":true"#])
  func `A cancel of a repeating request ends both`(selection: String) throws {
    let bench = try RelayBench()
    try bench.send(#"{\#(nagging),"trigger":{"every":600}}"#)
    bench.advance(670_000)
    #expect(try bench.send(#"{"command":"cancel",\#(selection)}"#)?["ids"] == ["a": "cancelled"])
    #expect(bench.queue.counters.pending == 0)
    try expectSilence(bench)
  }

  @Test func `A cancel of a thread leaves other threads' nags alone`() throws {
    let bench = try running(#","thread":"x""#)
    #expect(try bench.send(#"{"command":"cancel","thread":"y"}"#)?["ids"] == [:])
    bench.advance(60_000)
    #expect(bench.firings("a").count == 3)
  }

  @Test func `Cancelled in its last second, the firing has no nag either`() throws {
    let bench = try RelayBench()
    try bench.send(#"{\#(nagging),"trigger":{"after":5}}"#)
    bench.advance(4500)
    #expect(try bench.send(#"{"command":"cancel","ids":["a"]}"#)?.outcome("a") == "cancelled")
    try expectSilence(bench)
    #expect(bench.sent.isEmpty)
  }

  @Test(arguments: [#""ids":["a"]"#, #""thread":"x""#, #""all":true"#])
  func `A withdrawal takes back the whole series and ends it`(selection: String) throws {
    let bench = try running(#","thread":"x""#)
    #expect(try bench.send(#"{"command":"withdraw",\#(selection)}"#)?["ids"] == ["a": "withdrawn"])
    #expect(
      bench.withdrawals(to: "kitchen").map(\.delivery) == bench.firings("a").map(\.delivery))
    #expect(try bench.send(#"{"command":"withdraw",\#(selection)}"#)?.outcome("a") != "withdrawn")
    try expectSilence(bench)
  }

  @Test func `A withdrawal leaves alone what is about to fire`() throws {
    let bench = try RelayBench()
    try bench.send(#"{\#(nagging),"trigger":{"after":5}}"#)
    bench.advance(4500)
    #expect(try bench.send(#"{"command":"withdraw","ids":["a"]}"#)?.outcome("a") == "unknown")
    #expect(try bench.send(#"{"command":"withdraw","all":true}"#)?["ids"] == [:])
    bench.advance(70_000)
    #expect(bench.story() == ["kitchen 5", "kitchen 65 1/2"])
  }

  @Test func `A replacement ends it`() throws {
    let bench = try running()
    let reply = try bench.send(#"{"id":"a","title":"new","to":"kitchen"}"#)
    #expect(reply?["was"] == "finished")
    try expectSilence(bench)
  }

  @Test func `The same revision again changes nothing about it`() throws {
    let bench = try running(#","revision":1"#)
    try bench.send("{\(nagging),\"revision\":1}")
    bench.advance(60_000)
    #expect(bench.story().last == "kitchen 120 2/2")
  }

  @Test func `The next occurrence takes its place`() throws {
    let bench = try RelayBench()
    try bench.send(#"{\#(nagging),"trigger":{"every":120}}"#)
    bench.advance(400_000)
    #expect(
      bench.story() == ["kitchen 120", "kitchen 180 1/2", "kitchen 240", "kitchen 300 1/2", "kitchen 360"])
  }

  @Test func `A firing on command takes its place`() throws {
    let bench = try RelayBench()
    try bench.send(#"{\#(nagging),"trigger":{"every":3600}}"#)
    for _ in 0..<2 {
      try bench.send(#"{"command":"fire","id":"a"}"#)
      bench.advance(90_000)
    }
    #expect(bench.story() == ["kitchen 0", "kitchen 60 1/2", "kitchen 90", "kitchen 150 1/2"])
  }

  // MARK: Pause

  @Test(arguments: [#""ids":["a"]"#, #""all":true"#])
  func `Paused, it is held; resumed, it goes on where it is by then`(selection: String) throws {
    let bench = try running()
    #expect(try bench.send(#"{"command":"pause",\#(selection)}"#)?["ids"] == ["a": "paused"])
    #expect(try bench.queue.nextFollowup() == nil, "nobody wakes for what is held")
    bench.advance(210_000)
    #expect(bench.firings("a").count == 2)
    #expect(try bench.send(#"{"command":"resume",\#(selection)}"#)?["ids"] == ["a": "pending"])
    #expect(bench.story().last == "bedroom 280 1/2", "only the newest of what was missed")
    bench.advance(7_200_000)
    #expect(bench.story().last == "bedroom 300 2/2")
    #expect(bench.story().count == 4)
  }

  @Test func `Of a request that is paused the nag is held and the occurrences too`() throws {
    let bench = try RelayBench()
    try bench.send(#"{\#(nagging),"trigger":{"every":600}}"#)
    bench.advance(610_000)
    #expect(try bench.send(#"{"command":"pause","ids":["a"]}"#)?.outcome("a") == "paused")
    try bench.send(#"{"command":"fire","id":"a"}"#)
    bench.advance(100_000)
    #expect(bench.story() == ["kitchen 600", "kitchen 610"], "fired on command, it nags once it is resumed")
    #expect(try bench.send(#"{"command":"resume","ids":["a"]}"#)?.outcome("a") == "pending")
    #expect(bench.story().last == "kitchen 710 1/2")
    bench.advance(20_000)
    #expect(bench.story().last == "kitchen 730 2/2")
  }

  @Test func `An occurrence that was missed in the pause takes its place`() throws {
    let bench = try RelayBench()
    try bench.send(#"{\#(nagging),"trigger":{"every":600}}"#)
    bench.advance(610_000)
    try bench.send(#"{"command":"pause","all":true}"#)
    bench.advance(600_000)
    try bench.send(#"{"command":"resume","all":true}"#)
    bench.advance(60_000)
    #expect(bench.story() == ["kitchen 600", "kitchen 1210 late", "kitchen 1270 1/2"])
  }

  @Test func `Held, it is cancelled and answered as if it ran`() throws {
    let bench = try running()
    try bench.send(#"{"command":"pause","ids":["a"]}"#)
    #expect(try bench.send(#"{"command":"cancel","ids":["a"]}"#)?.outcome("a") == "cancelled")
    #expect(try bench.send(#"{"command":"resume","ids":["a"]}"#)?.outcome("a") == "unknown")
    try expectSilence(bench)
  }
}
