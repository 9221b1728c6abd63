import CarillonModel
import CarillonTestSupport
import Testing

@testable import CarillonRelay

/// When tzdata is replaced, rows stay as they are; notes bring in time what is due earlier. It is noon UTC.
@Suite struct SettlingTests {
  private let hour: Int64 = 3_600_000
  /// 23:00 is at 21:00Z in Berlin, 14:00Z in Tokyo and 19:00Z in Dubai; 18:00 is at 16:00Z in Berlin, 22:00Z in New York
  /// and 14:00Z in Dubai.
  private let late = #"{"cron":"0 23 * * *"}"#
  private let evening = #"{"cron":"0 18 * * *"}"#

  @Test func `What is due earlier fires in time although its row says later`() throws {
    let house = try ZonesHouse(like: "Europe/Berlin")
    try house.add("cron", late)
    try house.replace(with: "Asia/Tokyo")
    #expect(try house.stored("cron") == "2027-06-01T21:00:00Z")
    #expect(try house.note() == "2027-06-01T14:00:00Z")
    #expect(try house.nextDue() == "2027-06-01T14:00:00Z")
    house.bench.advance(3 * hour)
    #expect(house.fired("cron") == ["2027-06-01T14:00:00Z"])
    #expect(try house.note() == nil)
    #expect(try house.stored("cron") == "2027-06-02T14:00:00Z")
    house.bench.advance(24 * hour)
    #expect(house.fired("cron") == ["2027-06-01T14:00:00Z", "2027-06-02T14:00:00Z"])
  }

  @Test func `So it does when the relay was off at that time`() throws {
    let house = try ZonesHouse(like: "Europe/Berlin")
    try house.add("cron", late)
    try house.replace(with: "Asia/Tokyo")
    try house.bench.restart(after: 3 * hour)
    #expect(house.bench.notifications("cron").map(\.late) == [true])
    #expect(try house.stored("cron") == "2027-06-02T14:00:00Z")
  }

  @Test func `What is due later does not fire at the time in its row`() throws {
    let house = try ZonesHouse(like: "Europe/Berlin")
    try house.add("cron", evening)
    try house.replace(with: "America/New_York")
    #expect(try house.stored("cron") == "2027-06-01T16:00:00Z")
    #expect(try house.note() == nil)
    house.bench.advance(5 * hour)
    #expect(house.bench.sent.isEmpty)
    #expect(try house.stored("cron") == "2027-06-01T22:00:00Z")
    house.bench.advance(6 * hour)
    #expect(house.fired("cron") == ["2027-06-01T22:00:00Z"])
  }

  @Test func `The next due time that is told is settled first`() throws {
    let house = try ZonesHouse(like: "Europe/Berlin")
    try house.add("evening", evening)
    try house.add("late", late)
    try house.replace(with: "America/New_York")
    #expect(try house.nextDue() == "2027-06-01T16:00:00Z")
    try house.settleHead()
    #expect(try house.nextDue() == "2027-06-01T22:00:00Z")
    #expect(try house.stored("late") == "2027-06-02T03:00:00Z", "it stood before")
    // A note of a request that is gone is no due time.
    try house.replace(with: "Asia/Tokyo")
    #expect(try house.nextDue() == "2027-06-01T14:00:00Z")
    try house.bench.send(#"{"command":"cancel","ids":["late"]}"#)
    try house.settleHead()
    #expect(try house.nextDue() == "2027-06-02T09:00:00Z")
    #expect(try house.next("evening") == "2027-06-02T18:00:00.000+09:00", "18:00 has passed in Tokyo")
  }

  @Test func `A reading that has fired does not come again when its row's time comes`() throws {
    let house = try ZonesHouse(like: "Europe/Berlin")
    try house.add("cron", #"{"cron":"30 14 * * *"}"#)
    house.bench.advance(hour)
    try house.replace(with: "Europe/London")
    house.bench.advance(48 * hour)
    #expect(house.fired("cron") == ["2027-06-01T12:30:00Z", "2027-06-02T13:30:00Z"])
  }

  @Test func `tzdata that is replaced and put back changes nothing`() throws {
    let house = try ZonesHouse(like: "Europe/Berlin")
    try house.add("late", late)
    try house.add("evening", evening)
    try house.replace(with: "Asia/Dubai")
    try house.replace(with: "America/New_York")
    try house.replace(with: "Europe/Berlin")
    house.bench.advance(24 * hour)
    #expect(house.fired("late") == ["2027-06-01T21:00:00Z"])
    #expect(house.fired("evening") == ["2027-06-01T16:00:00Z"])
    #expect(try house.note() == nil)
  }

  @Test func `A note of what was cancelled, replaced or held fires nothing`() throws {
    let house = try ZonesHouse(like: "Europe/Berlin")
    for id in ["cancelled", "replaced", "held", "free"] { try house.add(id, late) }
    try house.replace(with: "Asia/Tokyo")
    try house.bench.send(#"{"command":"cancel","ids":["cancelled"]}"#)
    try house.add("replaced", #"{"cron":"30 23 * * *"}"#)
    try house.bench.send(#"{"command":"pause","ids":["held","free"]}"#)
    house.bench.advance(hour)
    try house.bench.send(#"{"command":"resume","ids":["free"]}"#)
    house.bench.advance(2 * hour)
    #expect(Set(house.bench.sent.map(\.id)) == ["replaced", "free"])
    #expect(house.fired("free") == ["2027-06-01T14:00:00Z"])
    #expect(house.fired("replaced") == ["2027-06-01T14:30:00Z"])
    // What was held was due meanwhile, by the new clocks.
    try house.bench.send(#"{"command":"resume","all":true}"#)
    #expect(house.bench.notifications("held").map(\.late) == [true])
  }

  @Test func `All that was held goes on by the new clocks`() throws {
    let house = try ZonesHouse(like: "Europe/Berlin")
    for id in ["late", "evening"] { try house.add(id, id == "late" ? late : evening) }
    try house.bench.send(#"{"command":"pause","all":true}"#)
    try house.replace(with: "Asia/Dubai")
    try house.bench.send(#"{"command":"resume","all":true}"#)
    house.bench.advance(24 * hour)
    #expect(house.fired("late") == ["2027-06-01T19:00:00Z"])
    #expect(house.fired("evening") == ["2027-06-01T14:00:00Z"])
  }
}
