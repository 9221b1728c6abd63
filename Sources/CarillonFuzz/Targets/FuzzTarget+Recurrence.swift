import CarillonModel
import CarillonSchedule

extension FuzzTarget {
  /// The first line is the rule, the second its start, and each further one a time that is left out.
  static let recurrence = FuzzTarget(
    "rrule", "recurrence rules, and what they fire", longest: 1500,
    seeds: [
      "FREQ=DAILY", "FREQ=MONTHLY;BYDAY=-1FR\n2026-01-01T09:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;WKST=SU",
      "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29\n2024-02-29T00:00", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
      "FREQ=SECONDLY;INTERVAL=86401;BYMONTHDAY=-1;BYSETPOS=-1\n0001-01-01T00:00",
      "FREQ=MINUTELY;BYHOUR=1,2,3;BYSECOND=59;COUNT=1000000",
      "FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU;UNTIL=99991231T235959Z",
      "FREQ=HOURLY;BYYEARDAY=-366;BYSETPOS=1,-1", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=12",
      "FREQ=DAILY;COUNT=3\n2026-03-28T02:30\n2026-03-29T02:30\n2026-03-30T00:30:00Z", "RRULE:FREQ=DAILY",
      "FREQ=YEARLY;BYDAY=-53MO,53SU;BYSETPOS=366", "FREQ=DAILY;UNTIL=20260101\n9999-12-31T23:59:59",
      "freq=daily;count=1",
      "FREQ=SECONDLY;BYSECOND=60;INTERVAL=2147483647", "FREQ=WEEKLY;BYSETPOS=2;BYDAY=MO",
      "FREQ=DAILY;INTERVAL=0",
    ],
    words: [
      "FREQ=", "SECONDLY", "MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY", ";INTERVAL=",
      ";COUNT=",
      ";UNTIL=", ";BYSECOND=", ";BYMINUTE=", ";BYHOUR=", ";BYDAY=", ";BYMONTHDAY=", ";BYYEARDAY=",
      ";BYWEEKNO=",
      ";BYMONTH=", ";BYSETPOS=", ";WKST=", ",", "-", "+", "MO", "TU", "WE", "TH", "FR", "SA", "SU",
      "20261231T235959Z",
      "\n2026-12-24T18:00", "\n0001-01-01T00:00", "\n9999-12-31T23:59:59", "0", "1", "31", "366", "53",
      "2147483647",
      "9223372036854775808", "EXDATE", "BYEASTER=",
    ]
  ) { input throws(Violation) in
    let lines = lines(input, 8).map { text($0) }
    let times = lines.dropFirst().map { try? WrittenTime(parsing: $0) }
    let zone = someZone(for: input)
    let start = zone.reading(at: times.first.flatMap { $0.map(zone.instant) } ?? zone.instant(of: epoch))
    let rule: RecurrenceRule
    do throws(TextFault) {
      rule = try RecurrenceRule(parsing: lines[0], start: start, except: times.dropFirst().compactMap { $0 })
    } catch {
      try demandSound(error, in: lines[0])
      return .refused
    }
    try demandSound(rule, in: zone)
    return .taken
  }

  private static let epoch = WrittenTime.instant(WallTime(milliseconds: 0))
}
