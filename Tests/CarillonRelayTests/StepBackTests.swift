import CarillonModel
import CarillonSchedule
import CarillonTime
import Testing

@testable import CarillonRelay

/// A clock that was ahead of its time, and is set right.
@Suite struct StepBackTests {
  private static let second: Int64 = 1000
  private static let hour: Int64 = 3_600_000
  private static let day: Int64 = 86_400_000

  @Test func `Dense occurrences that come by again are neither fired nor counted again`() throws {
    let bench = try RelayBench()
    try bench.send(
      #"{"id":"a","title":"t","to":"d","trigger":{"rrule":"FREQ=SECONDLY","start":"2027-05-10T12:00","count":3000}}"#
    )
    bench.advance(2000 * StepBackTests.second)
    #expect(bench.sent.count == 2000)
    bench.setClock(to: bench.wall - 1500 * StepBackTests.second)
    bench.advance(3000 * StepBackTests.second)
    #expect(bench.sent.count == 3000)
    #expect(Set(bench.sent.map(\.delivery)).count == 3000)
    #expect(bench.sent.allSatisfy { !$0.late && $0.missed == 0 })
    #expect(bench.queue.counters.pending == 0)
  }

  @Test func `A slice of such requests is shorter`() throws {
    let bench = try RelayBench()
    for number in 0..<8 {
      try bench.send(
        #"{"id":"\#(number)","title":"t","to":"d","trigger":{"rrule":"FREQ=SECONDLY","start":"2027-05-10T12:00"}}"#
      )
    }
    bench.advance(200 * StepBackTests.second)
    bench.recalculates = false
    bench.recalculationSlice = 64
    bench.setClock(to: bench.wall - 190 * StepBackTests.second)
    var slices = 0
    while bench.relay.recalculation != nil {
      bench.recalculate()
      slices += 1
    }
    // 190 looks each, eight of which are as much as a request: three requests a slice, and one slice for what rests.
    #expect(slices == 4)
    let count = bench.sent.count
    bench.advance(200 * StepBackTests.second)
    #expect(bench.sent.count == count + 8 * 10)
  }

  @Test func `Newer firings take the place of those from a clock that was ahead`() throws {
    let bench = try RelayBench()
    try bench.status("d", "online")
    try bench.status("d", "offline")
    try bench.send(#"{"id":"a","title":"t","to":"d","trigger":{"cron":"0 * * * *"}}"#)
    bench.setClock(to: bench.wall + 10 * 365 * StepBackTests.day)
    bench.advance(StepBackTests.hour)
    bench.setClock(to: RelayBench.noon)
    bench.advance(5 * StepBackTests.hour)
    try bench.status("d", "online")
    #expect(bench.notifications("a").map(\.at) == [bench.wall], "the newest alone has waited")
    let reply = try bench.send(#"{"command":"withdraw","ids":["a"]}"#)
    #expect(reply?.outcome("a") == "withdrawn")
    #expect(bench.withdrawals(to: "d").map(\.delivery) == bench.notifications("a").map(\.delivery))
  }

  @Test func `The sun follows a place that is told, taken away, and told again`() throws {
    let berlin = try SunLocation(latitude: 52.5, longitude: 13.4)
    let bench = try RelayBench(location: berlin)
    let reply = try bench.send(
      #"{"id":"a","title":"t","to":"d","trigger":{"sun":"sunset","repeats":true}}"#)
    let first = try #require(reply?["next"]?.text)
    func next(_ location: SunLocation?) throws -> String? {
      var configuration = bench.relay.configuration
      configuration.location = location
      try bench.begin(configuration) { bench.pass(1000) }
      return try bench.send(#"{"command":"pending"}"#)?["items"]?.elements?.first?["next"]?.text
    }
    #expect(try next(nil) == nil, "nobody knows when")
    #expect(try next(berlin) == first)
    let tokyo = try #require(try next(SunLocation(latitude: 35.7, longitude: 139.7)))
    #expect(tokyo != first)
    #expect(tokyo.hasPrefix("2027-05-11T09"))
  }
}
