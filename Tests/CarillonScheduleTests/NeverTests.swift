import CarillonModel
import CarillonSchedule
import CarillonTime
import Testing

/// Rules that can never fire, and rules that hardly ever do.
struct NeverTests {
  static let calendars: [(JSON, String)] = [
    (["month": 2, "day": 30], "30 February does not exist"),
    (["month": 2, "day": [30, 31]], "February has no day 30 or later"),
    (["month": [4, 6, 11], "day": 31], "April, June and November have no day 31"),
    (["year": 2027, "month": 2, "day": 29], "29 February does not exist in 2027"),
    (
      ["year": [2025, 2026, 2027, 2029, 2030], "month": 2, "day": 29],
      "29 February does not exist in 2025, 2026, 2027, 2029 …"
    ),
    (["year": 2100, "month": 2, "day": 29], "29 February does not exist in 2100"),
    (["day": 1, "weekday": "mon", "nth": 2], "day 1 is never the 2nd Monday"),
    (["day": [1, 2], "weekday": "fri", "nth": [2, -1]], "day 1 or 2 is never the 2nd or last Friday"),
    (["year": 2027, "month": 2, "weekday": "mon", "nth": 5], "there is no 5th Monday of February in 2027"),
    (["year": 2027, "month": 2, "day": 1, "weekday": "tue"], "day 1 of February is never Tuesday in 2027"),
    (
      ["year": 2027, "month": 2, "weekday": ["mon", "tue"], "nth": -5],
      "there is no 5th to last Monday or Tuesday of February in 2027"
    ),
  ]

  @Test(arguments: calendars) func `A calendar that never matches says why`(_ json: JSON, _ reason: String)
    throws
  {
    let rule = try calendar(json)
    #expect(rule.whyNever == reason)
    #expect(!rule.isSatisfiable)
    #expect(rule.next(after: WallTime(milliseconds: 0), in: try installed("Europe/Berlin")) == nil)
  }

  static let crons = [
    ("0 0 30 2 *", "30 February does not exist"), ("0 0 31 4 *", "31 April does not exist"),
    ("0 0 31 2 *", "31 February does not exist"), ("* * 30-31 2 *", "February has no day 30 or later"),
    ("*/5 * 31 2,4,6,9,11 */2", "February, April, June, September and November have no day 31"),
  ]

  @Test(arguments: crons) func `A cron expression that never fires says why`(_ text: String, _ reason: String)
    throws
  {
    let rule = try cron(text)
    #expect(rule.whyNever == reason)
    #expect(rule.next(after: WallTime(milliseconds: 0), in: try installed("America/New_York")) == nil)
  }

  @Test(arguments: ["0 0 29 2 *", "0 0 31 2 1", "* * 29 2 *", "0 0 29 2 */3", "* 2 14 3 *"])
  func `A rule that fires now and then can fire`(_ text: String) throws {
    #expect(try cron(text).whyNever == nil)
    #expect(try !cron(text).firings(1, after: "2027-01-01T00:00:00Z", in: "America/New_York").isEmpty)
  }

  @Test func `Nothing holds up the relay`() throws {
    let years = JSON.array((1...9999).map { .integer($0) })
    let common = JSON.array((1...9999).filter { !CivilDate.isLeap(Int($0)) }.map { .integer($0) })
    let rules: [any WallRule] = [
      try cron("* * 30 2 *"), try cron("* * 29 2 */7"), try cron("* 2 14 3 *"),
      try calendar(["year": common, "month": 2, "day": 29]),
      try calendar(["year": years, "day": 31, "weekday": "sun", "nth": 4]),
      try calendar(["month": 2, "day": 29, "weekday": "mon", "nth": 5]),
    ]
    let zones = try ["America/New_York", "Africa/El_Aaiun", "Pacific/Apia"].map(installed)
    for rule in rules {
      for zone in zones {
        for start in [WallTime(milliseconds: .min), WallTime(milliseconds: 0), WallTime(milliseconds: .max)] {
          let taken = processorTime {
            _ = rule.whyNever
            _ = rule.next(after: start, in: zone)
          }
          #expect(taken < .milliseconds(100))
        }
      }
    }
  }

  private static let primes = "1,3,7,11,13,17,19,23,29,31,37,41,43,47,53,59"

  @Test(arguments: [
    "FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30", "FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=29",
    "FREQ=MINUTELY;INTERVAL=10081;BYMONTH=2;BYMONTHDAY=29;BYHOUR=0;BYMINUTE=0",
    "FREQ=SECONDLY;INTERVAL=3601;BYSECOND=\(primes);COUNT=10000000",
    "FREQ=SECONDLY;INTERVAL=4001;BYMINUTE=\(primes);COUNT=15000000",
    "FREQ=SECONDLY;INTERVAL=86399;COUNT=1500000",
    "FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,3,5,7,-1,-3;BYHOUR=1,2,3;COUNT=30000",
    "FREQ=WEEKLY;BYDAY=MO,SU,FR;BYSECOND=57,17,32;BYSETPOS=2,-4,-40;COUNT=2147483647",
    "FREQ=WEEKLY;BYDAY=MO,TU;BYHOUR=18,19;BYSECOND=31,41,12;BYSETPOS=-114;COUNT=2147483647",
    "FREQ=HOURLY;INTERVAL=7;BYDAY=SU,MO;BYMINUTE=44,41,13;BYSECOND=19,38;BYSETPOS=21,1,32;COUNT=1000000",
  ])
  func `No recurrence rule holds up the relay`(_ text: String) throws {
    let zone = try installed("Europe/Berlin")
    for start in ["0001-01-01T00:00", "1970-01-01T00:00", "2026-11-30T12:00"] {
      let start = try reading(start)
      let taken = try processorTime {
        let rule = try RecurrenceRule(parsing: text, start: start)
        _ = rule.whyNever
        _ = rule.upcoming(3, after: 1_800_000_000_000, in: zone)
        _ = rule.count(
          after: WallTime(milliseconds: 0), through: WallTime(milliseconds: 4_000_000_000_000), in: zone)
      }
      #expect(taken < .milliseconds(500), "without optimisation; a tenth with it")
    }
  }

  @Test func `A rule of past years can fire, but has nothing left`() throws {
    let rule = try calendar(["year": 2026, "month": 2])
    #expect(rule.isSatisfiable)
    #expect(rule.next(after: try instant("2027-01-01T00:00:00Z"), in: .utc) == nil)
    #expect(rule.first(after: (try instant("2027-01-01T00:00:00Z")).milliseconds, in: .utc) == nil)
  }

  @Test func `The end of writable time is the end of every rule`() throws {
    let rule = try cron("0 0 * * *")
    let last = try #require(rule.next(after: try instant("9999-12-30T12:00:00Z"), in: .utc))
    #expect(last == (try instant("9999-12-31T00:00:00Z")))
    #expect(rule.next(after: last, in: .utc) == nil)
    for end in [WallTime(milliseconds: .max), WallTime.writable.upperBound] {
      #expect(rule.next(after: end, in: try installed("Pacific/Kiritimati")) == nil)
    }
    let first = try #require(rule.next(after: WallTime(milliseconds: .min), in: .utc))
    #expect(first == WallTime.writable.lowerBound)
    #expect(
      rule.count(after: WallTime(milliseconds: .min), through: WallTime(milliseconds: .max), in: .utc)
        == 3_652_059)
  }
}
