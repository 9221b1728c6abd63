import CarillonModel
import CarillonTestSupport
import CarillonTime
import Testing

@testable import CarillonRelay

/// tzdata that is replaced while requests are pending: their due times are computed ahead, and have to follow.
@Suite struct ZonesReplacedTests {
  @Test func `What is pending follows its wall time`() throws {
    let house = try ZonesHouse(like: "Europe/Berlin")
    try house.add("cron", #"{"cron":"0 18 * * *"}"#)
    try house.add("at", #"{"at":"2027-06-01T18:00"}"#)
    try house.add("instant", #"{"at":"2027-06-01T18:00:00Z"}"#)
    try house.add("rule", #"{"rrule":"FREQ=DAILY","start":"2027-05-01T18:00"}"#)
    try house.add("sub", #"{"cron":"*/30 * * * *"}"#)
    try house.add("elapsed", #"{"every":"6h"}"#)
    try house.replace(with: "America/New_York")
    #expect(try house.next("cron") == "2027-06-01T18:00:00.000-04:00")
    #expect(try house.next("at") == "2027-06-01T18:00:00.000-04:00")
    #expect(try house.next("instant") == "2027-06-01T14:00:00.000-04:00")
    #expect(try house.next("rule") == "2027-06-01T18:00:00.000-04:00")
    #expect(try house.next("sub") == "2027-06-01T08:30:00.000-04:00")
    #expect(try house.next("elapsed") == "2027-06-01T14:00:00.000-04:00")
    house.bench.advance(86_400_000)
    #expect(house.fired("cron") == ["2027-06-01T22:00:00Z"])
    #expect(house.fired("at") == ["2027-06-01T22:00:00Z"])
    #expect(house.fired("instant") == ["2027-06-01T18:00:00Z"])
    #expect(house.fired("sub").count == 48)
  }

  @Test func `A reading that has fired does not come again an hour later`() throws {
    let house = try ZonesHouse(like: "Europe/Berlin")
    try house.add("cron", #"{"cron":"30 14 * * *"}"#)
    house.bench.advance(1_800_000)
    #expect(house.fired("cron") == ["2027-06-01T12:30:00Z"])
    // It is 13:30 again by the clocks of London.
    try house.replace(with: "Europe/London")
    #expect(try house.next("cron") == "2027-06-02T14:30:00.000+01:00")
  }

  @Test func `Each request is found anew before it fires, however many are still to come`() throws {
    let house = try ZonesHouse(like: "Europe/Berlin")
    // Its stored time comes in a minute; with the new zone it is not for six hours.
    try house.add("soon", #"{"cron":"1 14 * * *"}"#)
    for number in 0..<30 { try house.add("n\(number)", #"{"cron":"0 13 * * *"}"#) }
    house.bench.recalculates = false
    try house.replace(with: "America/New_York")
    house.bench.advance(120_000)
    #expect(house.bench.sent.isEmpty)
    #expect(try house.next("soon") == "2027-06-01T14:01:00.000-04:00")
    while house.bench.relay.recalculation != nil { house.bench.recalculate() }
    // When it was accepted, the clocks had shown 13:00 that day.
    #expect(try house.next("n29") == "2027-06-02T13:00:00.000-04:00")
  }

  @Test func `It is gone on with after a restart`() throws {
    let house = try ZonesHouse(like: "Europe/Berlin")
    for number in 0..<1500 { try house.add("n\(number)", #"{"cron":"\#(number % 60) 23 * * *"}"#) }
    house.bench.recalculates = false
    house.bench.recalculationSlice = 300
    try house.replace(with: "Asia/Tokyo")
    for _ in 0..<3 { house.bench.recalculate() }
    try house.bench.restart()
    #expect(house.bench.relay.recalculation != nil)
    var slices = 0
    while house.bench.relay.recalculation != nil {
      house.bench.recalculate()
      slices += 1
    }
    #expect(
      slices == 5,
      "of the three before, two were stored; one more sees that they are all, and one is for what is paused")
    #expect(try house.next("n1499") == "2027-06-01T23:59:00.000+09:00")
    #expect(try house.next("n0") == "2027-06-01T23:00:00.000+09:00")
  }

  @Test func `tzdata that was replaced while the relay was off is noticed at its start`() throws {
    let house = try ZonesHouse(like: "Europe/Berlin")
    try house.add("cron", #"{"cron":"0 15 * * *"}"#)
    try house.add("missed", #"{"cron":"30 14 * * *"}"#)
    house.bench.mayFire = false
    try house.replace(with: "Europe/London")
    try house.bench.restart(after: 2 * 3_600_000 - 120_000)
    house.bench.mayFire = true
    house.bench.finish()
    // 14:30 by London's clocks, half an hour ago.
    #expect(house.bench.notifications("missed").map(\.late) == [true])
    #expect(house.bench.notifications("cron").isEmpty)
    house.bench.advance(180_000)
    #expect(house.fired("cron") == ["2027-06-01T14:00:00Z"])
  }

  @Test func `A zone that goes parks its requests, and they come back with it`() throws {
    let house = try ZonesHouse(like: "Europe/Berlin")
    try house.add("cron", #"{"cron":"0 18 * * *"}"#)
    try house.add("paused", #"{"cron":"0 19 * * *"}"#)
    try house.bench.send(#"{"command":"pause","ids":["paused"]}"#)
    house.remove()
    let listed = try house.bench.send(#"{"command":"pending"}"#)?["items"]?.elements ?? []
    #expect(listed.compactMap { $0["state"]?.text } == ["invalid", "paused"])
    #expect(house.bench.queue.counters.pending == 2)
    try house.replace(with: "Europe/London")
    #expect(try house.next("cron") == "2027-06-01T18:00:00.000+01:00")
    #expect(try house.next("paused") == "2027-06-01T19:00:00.000+01:00")
    house.bench.advance(86_400_000)
    #expect(house.bench.sent.map(\.id) == ["cron"])
  }

  @Test func `Elapsed time goes on without its zone`() throws {
    let house = try ZonesHouse(like: "Europe/Berlin")
    try house.add("after", #"{"after":"1h"}"#)
    try house.add("every", #"{"every":"30m"}"#)
    house.remove()
    try house.bench.restart()
    house.bench.advance(3_600_000)
    #expect(house.bench.sent.map(\.id).sorted() == ["after", "every", "every"])
  }

  @Test func `What goes on while due times are found anew is found anew too`() throws {
    let house = try ZonesHouse(like: "Europe/Berlin")
    for number in 0..<30 { try house.add("n\(number)", #"{"cron":"\#(number) 20 * * *"}"#) }
    try house.add("early", #"{"cron":"1 14 * * *"}"#)
    try house.bench.send(#"{"command":"pause","ids":["early","n3"]}"#)
    house.bench.recalculates = false
    try house.replace(with: "America/New_York")
    for _ in 0..<2 { house.bench.recalculate() }
    try house.bench.send(#"{"command":"resume","all":true}"#)
    house.bench.advance(120_000)
    #expect(house.bench.sent.isEmpty, "14:01 by the old clocks")
    while house.bench.relay.recalculation != nil { house.bench.recalculate() }
    #expect(try house.next("early") == "2027-06-01T14:01:00.000-04:00")
    #expect(try house.next("n3") == "2027-06-01T20:03:00.000-04:00")
  }

  @Test func `What is paused follows too`() throws {
    let house = try ZonesHouse(like: "Europe/Berlin")
    try house.add("cron", #"{"cron":"0 18 * * *"}"#)
    try house.bench.send(#"{"command":"pause","ids":["cron"]}"#)
    try house.replace(with: "America/New_York")
    #expect(try house.next("cron") == "2027-06-01T18:00:00.000-04:00")
    try house.bench.send(#"{"command":"resume","ids":["cron"]}"#)
    house.bench.advance(86_400_000)
    #expect(house.fired("cron") == ["2027-06-01T22:00:00Z"])
  }
}
