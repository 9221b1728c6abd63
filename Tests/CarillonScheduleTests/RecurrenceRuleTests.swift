import CarillonModel
import CarillonSchedule
import CarillonTestSupport
import CarillonTime
import Testing

struct RecurrenceRuleTests {
  /// A rule, its start, and its first occurrences.
  static let days: [(String, String, [String])] = [
    (
      "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "2028-02-29T08:00",
      ["2028-02-29", "2032-02-29", "2036-02-29", "2040-02-29"]
    ),
    ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "2096-02-01T08:00", ["2096-02-29", "2104-02-29"]),
    (
      "FREQ=MONTHLY;BYDAY=2TU", "2027-01-01T08:00",
      [
        "2027-01-12", "2027-02-09", "2027-03-09", "2027-04-13", "2027-05-11", "2027-06-08", "2027-07-13",
        "2027-08-10", "2027-09-14", "2027-10-12", "2027-11-09", "2027-12-14",
      ]
    ),
    (
      "FREQ=MONTHLY;BYDAY=5FR", "2027-01-01T08:00",
      ["2027-01-29", "2027-04-30", "2027-07-30", "2027-10-29", "2027-12-31"]
    ),
    (
      "FREQ=MONTHLY;BYDAY=5FR", "2027-01-31T08:00",
      ["2027-04-30", "2027-07-30", "2027-10-29", "2027-12-31"]
    ),
    (
      "FREQ=MONTHLY;BYDAY=1MO", "2027-06-01T08:00",
      [
        "2027-06-07", "2027-07-05", "2027-08-02", "2027-09-06", "2027-10-04", "2027-11-01", "2027-12-06",
        "2028-01-03",
      ]
    ),
    (
      "FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO", "2026-01-01T08:00",
      ["2026-12-28", "2032-12-27", "2037-12-28", "2043-12-28"]
    ),
    ("FREQ=YEARLY;BYWEEKNO=53;BYDAY=FR", "2026-01-01T08:00", ["2027-01-01", "2032-12-31"]),
    // A month without the start's day is passed over, and the next one has it again.
    ("FREQ=MONTHLY", "2027-01-31T08:00", ["2027-01-31", "2027-03-31", "2027-05-31", "2027-07-31"]),
    ("FREQ=YEARLY", "2028-02-29T08:00", ["2028-02-29", "2032-02-29"]),
    ("FREQ=MONTHLY;BYMONTHDAY=-1", "2027-12-31T08:00", ["2027-12-31", "2028-01-31", "2028-02-29"]),
    // The start is an occurrence only where the rule matches it.
    ("FREQ=MONTHLY;BYDAY=-1FR", "2026-01-28T17:00", ["2026-01-30", "2026-02-27", "2026-03-27"]),
    // The examples of RFC 5545 in which the start of weeks makes the difference.
    (
      "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO", "1997-08-05T09:00",
      ["1997-08-05", "1997-08-10", "1997-08-19", "1997-08-24"]
    ),
    (
      "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU", "1997-08-05T09:00",
      ["1997-08-05", "1997-08-17", "1997-08-19", "1997-08-31"]
    ),
    (
      "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "1997-09-02T09:00",
      ["1998-02-13", "1998-03-13", "1998-11-13", "1999-08-13", "2000-10-13"]
    ),
    (
      "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8", "1996-11-05T09:00",
      ["1996-11-05", "2000-11-07", "2004-11-02"]
    ),
    (
      "FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", "1997-09-04T09:00",
      ["1997-09-04", "1997-10-07", "1997-11-06"]
    ),
    (
      "FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200", "1997-01-01T09:00",
      ["1997-01-01", "1997-04-10", "1997-07-19", "2000-01-01", "2000-04-09", "2000-07-18", "2003-01-01"]
    ),
    ("FREQ=YEARLY;BYDAY=20MO", "1997-05-19T09:00", ["1997-05-19", "1998-05-18", "1999-05-17"]),
    // A week is chosen from as a whole, however late in it the start is.
    (
      "FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=1,-1", "2027-06-02T08:00",
      ["2027-06-04", "2027-06-07", "2027-06-11"]
    ),
    (
      "FREQ=YEARLY;BYDAY=MO,2TU", "2027-01-01T08:00",
      ["2027-01-04", "2027-01-11", "2027-01-12", "2027-01-18"]
    ),
    ("FREQ=YEARLY;INTERVAL=1000", "2027-01-01T08:00", ["2027-01-01", "3027-01-01", "4027-01-01"]),
  ]

  @Test(arguments: days) func `Days are those of RFC 5545`(text: String, start: String, days: [String]) throws
  {
    let found = try recurrence(text, from: start).occurrences(days.count)
    #expect(found.map { String($0.prefix(10)) } == days)
    #expect(found.allSatisfy { $0.dropFirst(10) == start.dropFirst(10) + ":00" })
  }

  @Test func `First Mondays of a month are found at once, in a zone as in none`() throws {
    let elapsed = try processorTime {
      let rule = try recurrence("FREQ=MONTHLY;BYDAY=1MO", from: "2027-06-01T08:00")
      #expect(
        try rule.firings(8, after: "2027-05-31T22:00:00Z", in: "Europe/Berlin")
          == [
            "2027-06-07T08:00:00+02:00", "2027-07-05T08:00:00+02:00", "2027-08-02T08:00:00+02:00",
            "2027-09-06T08:00:00+02:00", "2027-10-04T08:00:00+02:00", "2027-11-01T08:00:00+01:00",
            "2027-12-06T08:00:00+01:00", "2028-01-03T08:00:00+01:00",
          ])
    }
    #expect(elapsed < Sanitizer.allowing(.seconds(1)))
  }

  @Test func `A rule of which nothing is left has no next`() throws {
    let rule = try recurrence("FREQ=DAILY;COUNT=1", from: "2020-01-01T08:00")
    #expect(rule.whyNever == nil)
    #expect(rule.next(after: try instant("2027-01-01T00:00:00Z"), in: .utc) == nil)
    #expect(rule.first(after: try instant("2027-01-01T00:00:00Z").milliseconds, in: .utc) == nil)
  }

  /// A rule, its start, and its first occurrences in full.
  static let times: [(String, String, [String])] = [
    (
      "FREQ=DAILY;BYHOUR=8,12,18;BYSETPOS=-1", "2027-06-01T00:00",
      ["2027-06-01T18:00:00", "2027-06-02T18:00:00"]
    ),
    (
      "FREQ=MONTHLY;BYDAY=SA,SU;BYHOUR=9,21;BYSETPOS=2,-2", "2027-06-01T00:15",
      ["2027-06-05T21:15:00", "2027-06-27T09:15:00", "2027-07-03T21:15:00", "2027-07-31T09:15:00"]
    ),
    (
      "FREQ=HOURLY;BYMINUTE=0,15,30;BYSETPOS=-1", "2027-06-01T10:20:05",
      ["2027-06-01T10:30:05", "2027-06-01T11:30:05"]
    ),
    // An interval that does not divide the day is counted over its end.
    (
      "FREQ=HOURLY;INTERVAL=7", "2027-06-01T20:30",
      ["2027-06-01T20:30:00", "2027-06-02T03:30:00", "2027-06-02T10:30:00"]
    ),
    (
      "FREQ=HOURLY;INTERVAL=36;BYDAY=WE", "2027-06-01T00:00",
      ["2027-06-02T12:00:00", "2027-06-16T00:00:00", "2027-06-23T12:00:00"]
    ),
    (
      "FREQ=MINUTELY;INTERVAL=45;BYHOUR=9,10", "2027-06-01T09:10",
      ["2027-06-01T09:10:00", "2027-06-01T09:55:00", "2027-06-01T10:40:00", "2027-06-02T09:10:00"]
    ),
    (
      "FREQ=SECONDLY;INTERVAL=86399;BYHOUR=12;BYMINUTE=0;BYSECOND=0", "2027-06-01T12:00:01",
      ["2027-06-02T12:00:00", "2263-12-21T12:00:00"]
    ),
    (
      "FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=29;BYHOUR=23;BYMINUTE=59", "2027-06-01T00:00:30",
      ["2028-02-29T23:59:30", "2032-02-29T23:59:30"]
    ),
    (
      "FREQ=DAILY;COUNT=3;BYHOUR=9,17", "2027-06-01T12:00",
      ["2027-06-01T17:00:00", "2027-06-02T09:00:00", "2027-06-02T17:00:00"]
    ),
    ("FREQ=DAILY;UNTIL=20270602T120000", "2027-06-01T12:00", ["2027-06-01T12:00:00", "2027-06-02T12:00:00"]),
    ("FREQ=DAILY;UNTIL=20270602", "2027-06-01T12:00", ["2027-06-01T12:00:00", "2027-06-02T12:00:00"]),
    (
      "freq=daily;until=2027-06-02T12:00", "2027-06-01T12:00", ["2027-06-01T12:00:00", "2027-06-02T12:00:00"]
    ),
    (
      "FREQ=DAILY;UNTIL=20270602T120000Z", "2027-06-01T12:00", ["2027-06-01T12:00:00", "2027-06-02T12:00:00"]
    ),
    ("FREQ=DAILY;UNTIL=20270602T135959+0200", "2027-06-01T12:00", ["2027-06-01T12:00:00"]),
  ]

  @Test(arguments: times)
  func `Times are those of RFC 5545`(text: String, start: String, times: [String]) throws {
    let limit = text.uppercased().contains("COUNT") || text.uppercased().contains("UNTIL") ? 10 : times.count
    #expect(try recurrence(text, from: start).occurrences(limit) == times)
  }

  @Test func `What is left out still counts`() throws {
    let except = ["2027-06-02T12:00", "2027-06-03T12:00:00Z", "2027-06-03T13:00", "2027-06-09T12:00"]
    let rule = try recurrence("FREQ=DAILY;COUNT=4", from: "2027-06-01T12:00", except: except)
    #expect(try rule.occurrences(9) == ["2027-06-01T12:00:00", "2027-06-04T12:00:00"])
    let (start, end) = (try instant("2027-06-01T00:00:00Z"), try instant("2028-01-01T00:00:00Z"))
    #expect(rule.count(after: start, through: end, in: .utc) == 2)
  }

  @Test func `An occurrence that the clocks skip is left out by its own wall time`() throws {
    let all = try recurrence("FREQ=DAILY", from: "2027-03-13T02:30")
    let zone = "America/New_York"
    #expect(
      try all.firings(3, after: "2027-03-13T00:00:00Z", in: zone)
        == ["2027-03-13T02:30:00-05:00", "2027-03-14T03:00:00-04:00", "2027-03-15T02:30:00-04:00"])
    let some = try recurrence("FREQ=DAILY", from: "2027-03-13T02:30", except: ["2027-03-14T02:30"])
    #expect(
      try some.firings(2, after: "2027-03-13T00:00:00Z", in: zone)
        == ["2027-03-13T02:30:00-05:00", "2027-03-15T02:30:00-04:00"])
  }

  @Test func `A rule of hours fires in both passes of a repeated one, and not in a skipped one`() throws {
    let rule = try recurrence("FREQ=HOURLY", from: "2027-01-01T00:30")
    #expect(
      try rule.firings(4, after: "2027-10-30T23:00:00Z", in: "Europe/Berlin")
        == [
          "2027-10-31T01:30:00+02:00", "2027-10-31T02:30:00+02:00", "2027-10-31T02:30:00+01:00",
          "2027-10-31T03:30:00+01:00",
        ])
    #expect(
      try rule.firings(2, after: "2027-03-28T00:00:00Z", in: "Europe/Berlin")
        == ["2027-03-28T01:30:00+01:00", "2027-03-28T03:30:00+02:00"])
    let daily = try recurrence("FREQ=DAILY;BYHOUR=1,2,3", from: "2027-01-01T00:30")
    #expect(
      try daily.firings(3, after: "2027-10-30T23:00:00Z", in: "Europe/Berlin").count(where: {
        $0.contains("T02")
      }) == 1)
  }

  @Test func `Counting is quick, and as exact as walking`() throws {
    let texts = [
      "FREQ=MINUTELY;INTERVAL=7", "FREQ=SECONDLY;INTERVAL=7;BYHOUR=1,2;BYMINUTE=3",
      "FREQ=HOURLY;INTERVAL=5;BYDAY=MO,TU",
      "FREQ=SECONDLY;INTERVAL=4001;BYSECOND=0,30", "FREQ=HOURLY;INTERVAL=100;BYMONTH=2",
      "FREQ=MINUTELY;INTERVAL=11;BYMINUTE=0,5",
      "FREQ=HOURLY;BYMINUTE=0,1,2;BYSETPOS=-1,1", "FREQ=DAILY;INTERVAL=3;BYHOUR=1,2",
      "FREQ=WEEKLY;BYDAY=MO,FR;BYSETPOS=-1",
    ]
    let zone = try installed("Europe/Berlin")
    for text in texts {
      let rule = try recurrence(text, from: "2027-03-20T00:10:00")
      let start = try instant("2027-03-26T10:11:12Z")
      let end = try instant("2027-03-29T21:34:00Z")
      var walked: Int64 = 0
      var time = start
      while let next = rule.next(after: time, in: zone), next <= end {
        walked += 1
        time = next
      }
      #expect(rule.count(after: start, through: end, in: zone) == walked, "\(text)")
      let late = try instant("2084-01-01T00:00:00Z")
      let elapsed = processorTime { _ = rule.count(after: start, through: late, in: zone) }
      #expect(elapsed < Sanitizer.allowing(.milliseconds(800)), "\(text)")
    }
  }

  @Test func `The next occurrence is always later, in every zone`() throws {
    var random = SplitMix(seed: 11)
    let database = ZoneDatabase(directory: ZoneDatabase.systemDirectory)
    let texts = [
      "FREQ=DAILY;BYHOUR=0,1,2,3;BYMINUTE=0,30", "FREQ=HOURLY;INTERVAL=3", "FREQ=MINUTELY;INTERVAL=25",
      "FREQ=WEEKLY;BYDAY=SU;BYHOUR=0,2", "FREQ=SECONDLY;INTERVAL=1801",
      "FREQ=MONTHLY;BYDAY=-1SU,1SU,2SU;BYHOUR=2",
    ]
    let rules = try texts.map { try recurrence($0, from: "1971-01-03T00:00") }
    for name in database.allNames() {
      let zone = try database.zone(named: name)
      for rule in rules {
        let time = WallTime(
          milliseconds: Int64.random(in: 40_000_000_000...4_102_444_800_000, using: &random))
        let change = zone.nextTransition(after: time) ?? time
        for start in [time, change - .milliseconds(1), change + .seconds(-1800), change] {
          let next = try #require(rule.next(after: start, in: zone))
          #expect(next > start)
          #expect(rule.next(after: next - .milliseconds(1), in: zone) == next)
        }
      }
    }
  }

  @Test func `Nothing comes before the start or after the calendar`() throws {
    let rule = try recurrence("FREQ=DAILY", from: "9999-12-30T12:00:00.5")
    #expect(try rule.occurrences(9) == ["9999-12-31T12:00:00"])
    #expect(rule.next(after: WallTime(milliseconds: .max), in: .utc) == nil)
    let early = try recurrence("FREQ=WEEKLY;INTERVAL=2", from: "0001-01-01T00:00")
    #expect(
      early.next(after: WallTime(milliseconds: .min), in: .utc) == WallTime.writable.lowerBound)
  }
}
