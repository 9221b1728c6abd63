import CarillonModel
import CarillonTime
import Testing

struct FixedTimeTests {
  @Test(arguments: [
    ("Asia/Tokyo", "2027-06-10T09:00:00", "2027-06-10T00:00:00Z"),
    ("Europe/Kyiv", "2027-07-01T08:00", "2027-07-01T05:00:00Z"),
    ("Europe/Kiev", "2027-07-01T08:00", "2027-07-01T05:00:00Z"),
    ("America/Chicago", "2027-03-15T00:00", "2027-03-15T05:00:00Z"),
    ("Asia/Kathmandu", "2027-06-10T09:00", "2027-06-10T03:15:00Z"),
  ])
  func `A wall time is one instant`(zone: String, local: String, utc: String) throws {
    #expect(try installed(zone).resolve(reading(local)) == .unique(instant(utc)))
    #expect(try installed(zone).instant(of: WrittenTime(parsing: local)) == instant(utc))
  }

  @Test(arguments: [
    ("America/New_York", "2027-03-14T02:30", "2027-03-14T07:00:00Z"),
    ("Europe/Berlin", "2027-03-28T02:00", "2027-03-28T01:00:00Z"),
    ("Europe/Berlin", "2027-03-28T02:59:59.999", "2027-03-28T01:00:00Z"),
    ("Australia/Sydney", "2027-10-03T02:30", "2027-10-02T16:00:00Z"),
    ("Australia/Lord_Howe", "2027-10-03T02:15", "2027-10-02T15:30:00Z"),
    ("Pacific/Chatham", "2027-09-26T03:00", "2027-09-25T14:00:00Z"),
    ("Antarctica/Troll", "2027-03-28T02:30", "2027-03-28T01:00:00Z"),
    // Across midnight, so the firing falls on the next day.
    ("America/Nuuk", "2023-03-25T22:30", "2023-03-26T01:00:00Z"),
    ("America/Nuuk", "2027-03-27T23:30", "2027-03-28T01:00:00Z"),
    // A whole day that Samoa skipped.
    ("Pacific/Apia", "2011-12-30T12:00", "2011-12-30T10:00:00Z"),
  ])
  func `A wall time that the clocks skip is the first instant after the gap`(
    zone: String, local: String, utc: String
  ) throws {
    #expect(try installed(zone).resolve(reading(local)) == .gap(firstInstantAfter: instant(utc)))
    #expect(try installed(zone).instant(of: reading(local)) == instant(utc))
  }

  @Test(arguments: [
    ("Europe/London", "2027-10-31T01:30", "2027-10-31T00:30:00Z", "2027-10-31T01:30:00Z"),
    ("America/New_York", "2027-11-07T01:30", "2027-11-07T05:30:00Z", "2027-11-07T06:30:00Z"),
    ("Australia/Lord_Howe", "2027-04-04T01:45", "2027-04-03T14:45:00Z", "2027-04-03T15:15:00Z"),
    ("Antarctica/Troll", "2027-10-31T01:30", "2027-10-30T23:30:00Z", "2027-10-31T01:30:00Z"),
  ])
  func `A wall time that occurs twice is the first of the two`(
    zone: String, local: String, first: String, second: String
  ) throws {
    #expect(
      try installed(zone).resolve(reading(local)) == .repeated(first: instant(first), second: instant(second))
    )
    #expect(try installed(zone).instant(of: reading(local)) == instant(first))
  }

  @Test(arguments: [WallTime(milliseconds: .min), WallTime(milliseconds: .max), WallTime(milliseconds: 0)])
  func `Nothing traps at the ends of the axis`(time: WallTime) throws {
    for name in ["Europe/Berlin", "Pacific/Apia", "Etc/UTC", "Pacific/Kiritimati", "Etc/GMT+12"] {
      let zone = try installed(name)
      _ = zone.offset(at: time)
      _ = zone.nextTransition(after: time)
      _ = zone.resolve(CivilTime(utc: time))
      _ = zone.timestamp(time)
    }
  }

  @Test func `A written instant keeps its own offset, and is printed with the zone's`() throws {
    let zone = try installed("Europe/Berlin")
    let time = try zone.instant(of: WrittenTime(parsing: "2026-12-01T18:00:00.5Z"))
    #expect(zone.timestamp(time) == "2026-12-01T19:00:00.500+01:00")
    #expect(zone.timestamp(time, milliseconds: false) == "2026-12-01T19:00:00+01:00")
    #expect(Zone.utc.timestamp(time) == "2026-12-01T18:00:00.500+00:00")
  }

  @Test func `The rule goes on for ever`() throws {
    let zone = try installed("Europe/Berlin")
    for year in [2400, 2800, 9998, 20_000] {
      let summer = try #require(
        CivilDate(year: year, month: 7, day: 1).flatMap { CivilTime($0, hour: 12, minute: 0) })
      let winter = try #require(
        CivilDate(year: year, month: 1, day: 1).flatMap { CivilTime($0, hour: 12, minute: 0) })
      #expect(zone.offset(at: zone.instant(of: summer)).abbreviation == "CEST")
      #expect(zone.offset(at: zone.instant(of: winter)).abbreviation == "CET")
    }
  }
}
