import CarillonModel
import Testing

@testable import CarillonRelay

/// What a relay does about what fell due while it was off.
@Suite struct DowntimeTests {
  private static let minute: Int64 = 60_000

  /// A request that repeats every ten minutes, over an hour and a half in which the relay is off.
  private func after(_ catchUp: String, _ more: String = "", minutes: Int64 = 95) throws -> RelayBench {
    let bench = try RelayBench()
    try bench.send(
      #"{"id":"a","title":"t","to":"d","catchUp":"\#(catchUp)","trigger":{"every":"10m"\#(more)}}"#)
    bench.mayFire = false
    bench.pass(minutes * DowntimeTests.minute)
    bench.mayFire = true
    bench.finish()
    return bench
  }

  @Test func `By default the newest missed one fires, with the number of the others`() throws {
    let bench = try after("latest")
    let fired = try #require(bench.notifications("a").first)
    #expect(bench.sent.count == 1)
    #expect(fired.late)
    #expect(fired.missed == 8)
    bench.advance(5 * DowntimeTests.minute)
    #expect(bench.notifications("a").last?.at == RelayBench.noon + 100 * DowntimeTests.minute)
    #expect(bench.notifications("a").last?.late == false)
  }

  @Test func `All of them fire on request, at most the hundred newest`() throws {
    #expect(try after("all").sent.count == 9)
    let bench = try after("all", minutes: 2005)
    #expect(bench.sent.count == 100)
    #expect(bench.sent.allSatisfy { $0.late })
    #expect(Set(bench.sent.map(\.delivery)).count == 100)
  }

  @Test func `None fires on request`() throws {
    let bench = try after("none")
    #expect(bench.sent.isEmpty)
    bench.advance(5 * DowntimeTests.minute)
    #expect(bench.sent.count == 1)
  }

  @Test func `Missed ones count`() throws {
    let bench = try after("latest", #","count":9"#)
    #expect(bench.sent.count == 1)
    bench.advance(60 * DowntimeTests.minute)
    #expect(bench.sent.count == 1)
  }

  @Test func `One that is reached within a minute was not missed`() throws {
    let bench = try after("none", minutes: 11)
    #expect(bench.sent.map(\.late) == [false])
  }

  @Test func `A single one fires late, unless it has expired`() throws {
    let bench = try RelayBench()
    try bench.send(#"{"id":"a","title":"t","to":"d","trigger":{"after":60}}"#)
    try bench.send(#"{"id":"b","title":"t","to":"d","expires":"1h","trigger":{"after":60}}"#)
    try bench.send(#"{"id":"c","title":"t","to":"d","expires":60,"trigger":{"after":60}}"#)
    bench.mayFire = false
    bench.pass(10 * DowntimeTests.minute)
    // A command that the broker has kept comes first.
    try bench.send(#"{"command":"cancel","ids":["a"]}"#)
    bench.mayFire = true
    bench.finish()
    #expect(bench.sent.map(\.id) == ["b"])
    #expect(bench.sent.allSatisfy { $0.late })
  }

  @Test func `What was missed goes out in the order of its due times, whatever its clock`() throws {
    let bench = try RelayBench()
    for minute in 1...40 {
      let trigger =
        minute.isMultiple(of: 2)
        ? #"{"after":"\#(minute)m"}"# : #"{"at":\#(RelayBench.noon / 1000 + Int64(minute) * 60)}"#
      try bench.send(#"{"id":"\#(minute)","title":"t","to":"d","trigger":\#(trigger)}"#)
    }
    try bench.send(#"{"id":"x","title":"t","to":"d","catchUp":"all","trigger":{"every":"13m"}}"#)
    bench.mayFire = false
    bench.pass(41 * DowntimeTests.minute)
    bench.mayFire = true
    bench.finish()
    let expected = (1...40).flatMap { $0.isMultiple(of: 13) ? ["\($0)", "x"] : ["\($0)"] }
    #expect(bench.sent.map(\.id) == expected)
  }
}
