import CarillonFuzz
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

  /// The minutes or seconds that are prime, or 1.
  private static let primes = "1,3,7,11,13,17,19,23,29,31,37,41,43,47,53,59"

  private static let mostDays = (1...31).filter { $0 != 24 && $0 != 25 }.map(String.init).joined(
    separator: ",")

  /// Large counts of rules whose interval hardly ever meets their times, positions among many times, rows and days that
  /// never come together, rows that take thousands of years to come to another weekday, and times that clocks only ever
  /// skip.
  static let recurrences = [
    "FREQ=SECONDLY;INTERVAL=3601;BYSECOND=\(primes);COUNT=10000000",
    "FREQ=SECONDLY;INTERVAL=4001;BYMINUTE=\(primes);COUNT=15000000",
    "FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,3,5,7,-1,-3;BYHOUR=1,2,3;COUNT=30000",
    "FREQ=SECONDLY;INTERVAL=86399;COUNT=1500000",
    "FREQ=SECONDLY;INTERVAL=7;BYHOUR=9,10,11,12,13,14,15,16,17;BYDAY=MO,WE,FR;COUNT=2000000000",
    "FREQ=SECONDLY;INTERVAL=86399;BYHOUR=12;BYMINUTE=0;BYSECOND=0;BYMONTH=2;BYMONTHDAY=29",
    "FREQ=HOURLY;INTERVAL=1073741823;BYDAY=WE,FR,SU;COUNT=7000000",
    "FREQ=SECONDLY;INTERVAL=146099;BYSECOND=\(primes);BYMONTHDAY=1,3,5,7,9,11,13,15;COUNT=342627",
    "FREQ=SECONDLY;INTERVAL=604801;BYMONTHDAY=2,3,5,7;BYYEARDAY=76,159,264;BYDAY=WE;COUNT=5700",
    "FREQ=HOURLY;INTERVAL=145;BYMONTH=3;BYMONTHDAY=9;BYDAY=SA;BYHOUR=2,3,5,7,11;COUNT=738",
    "FREQ=SECONDLY;INTERVAL=604802;BYMONTHDAY=\(mostDays);BYDAY=FR;COUNT=16643",
    "FREQ=SECONDLY;INTERVAL=604803;BYMINUTE=0,1,2,3,7,10,12,14,17,18,23,26,27,30,31,33,34,37,39;BYDAY=SU",
    "FREQ=SECONDLY;INTERVAL=302401;BYHOUR=12,13,14,15,16,17,18,19,20,21,22,23;BYDAY=WE",
    "FREQ=SECONDLY;INTERVAL=604799;BYDAY=WE;COUNT=2147483647", "FREQ=SECONDLY;INTERVAL=604801;BYDAY=TH",
    "FREQ=MINUTELY;INTERVAL=10080;BYDAY=TU", "FREQ=WEEKLY;INTERVAL=1200;BYDAY=MO;BYSETPOS=2",
    "FREQ=MONTHLY;INTERVAL=7;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=25", "FREQ=YEARLY;BYDAY=53MO,-53SU;BYMONTHDAY=15",
    "FREQ=HOURLY;BYMONTH=3;BYDAY=SU;BYMONTHDAY=8,9,10,11,12,13,14;BYHOUR=2",
    "FREQ=DAILY;INTERVAL=2147483647;COUNT=2147483647",
  ]

  @Test(arguments: recurrences) func `Nor does a recurrence rule`(_ text: String) throws {
    for start in ["2027-01-01T00:00:00", "0001-01-01T00:00:00", "9999-12-30T23:59:59"] {
      let rule = NastyRule(text, from: try reading(start))
      for zone in try ["UTC", "America/New_York"].map(installed) {
        let slowest = try SlowestStep(of: rule, in: zone)
        #expect(slowest.taken < NastyRuleTests.limit, "\(slowest) from \(start) in \(zone.name)")
      }
    }
  }

  @Test func `What is left out of a rule is as many times as fit into a command`() throws {
    let rule = try recurrence("FREQ=DAILY;BYHOUR=0,6,12,18", from: "2027-01-01T00:00:00")
    let zone = try installed("Europe/Berlin")
    for asInstants in [false, true] {
      var nasty = NastyRule("FREQ=DAILY;BYHOUR=0,6,12,18", from: try reading("2027-01-01T00:00:00"))
      nasty.leaveOut(4000, of: rule, in: zone, asInstants: asInstants)
      let slowest = try SlowestStep(of: nasty, in: zone)
      #expect(slowest.taken < NastyRuleTests.limit, "\(slowest)")
      let left = try nasty.parsed()
      #expect(
        left.first(after: 0, in: zone)
          == rule.upcoming(4001, after: 0, in: zone).last.map { Occurrence(due: $0.due, number: 1) })
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
