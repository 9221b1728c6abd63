import CarillonModel
import CarillonSchedule
import CarillonTime

/// Rules that can never fire, or hardly ever, and that a search step by step would go on with for seconds or for ever.
enum NeverRules {
  /// Triggers as a publisher writes them.
  private static let triggers = [
    #"{"cron":"* * 30 2 *"}"#, #"{"cron":"*/5 * 31 2,4,6,9,11 *"}"#,
    #"{"calendar":{"month":2,"day":30,"second":1}}"#,
    #"{"calendar":{"month":2,"day":29,"weekday":"mon","nth":4}}"#,
    #"{"calendar":{"year":[2027,2029,2030,2100],"month":2,"day":29}}"#,
    rule("FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30"), rule("FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30"),
    rule("FREQ=HOURLY;BYMONTH=4,6,9,11;BYMONTHDAY=31"),
    rule("FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=29;BYYEARDAY=61"),
    rule("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=4MO"), rule("FREQ=MONTHLY;BYMONTHDAY=1;BYDAY=2FR"),
    rule("FREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=29"), rule("FREQ=YEARLY;BYWEEKNO=20;BYMONTH=12"),
    rule("FREQ=YEARLY;BYYEARDAY=1;BYMONTH=2;BYDAY=MO"), rule("FREQ=DAILY;INTERVAL=7;BYDAY=TU"),
    rule("FREQ=DAILY;INTERVAL=9973;BYMONTH=2;BYMONTHDAY=30"), rule("FREQ=MONTHLY;INTERVAL=12;BYMONTH=3"),
    rule("FREQ=HOURLY;INTERVAL=7;BYDAY=TU;BYHOUR=1"),
    rule("FREQ=HOURLY;INTERVAL=9999;BYMONTH=2;BYMONTHDAY=30"),
    rule("FREQ=SECONDLY;INTERVAL=2;BYSECOND=1"), rule("FREQ=SECONDLY;INTERVAL=86399;BYMONTH=2;BYMONTHDAY=30"),
    rule("FREQ=MONTHLY;BYDAY=1MO;BYSETPOS=2"), rule("FREQ=WEEKLY;BYDAY=MO;BYSETPOS=-2"),
    rule("FREQ=SECONDLY;BYHOUR=1;BYSETPOS=2"),
    rule(
      "FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=1,2,3;BYMINUTE=1,2,3;BYSECOND=1,2;BYMONTH=2;BYSETPOS=366"
    ),
    rule(
      "FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;BYHOUR=0;BYMINUTE=0;BYSECOND=0;UNTIL=20270601T000000"),
    // These can, but not soon.
    rule("FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO"),
    rule("FREQ=SECONDLY;INTERVAL=86399;BYMONTH=2;BYMONTHDAY=29;BYHOUR=0"),
    rule("FREQ=DAILY;INTERVAL=9973;BYMONTH=2;BYMONTHDAY=29"),
  ]

  private static func rule(_ text: String) -> String { #"{"rrule":"\#(text)","start":"2027-01-01T00:00"}"# }

  private static let tries = 5
  private static let limit = 100.0

  /// As at the acceptance of a request: the trigger is read, asked why it never fires, and else for its first firing.
  static func measure(_ report: Report) throws {
    let zone = try ZoneDatabase().zone(named: "Europe/Berlin")
    // 2027-01-01T00:00:00Z.
    let now = WallTime(seconds: 1_798_761_600)
    let context = TriggerSchedule.Context(
      zone: zone, location: nil, moment: Moment(wall: now, elapsed: 0), accepted: now)
    var worst = 0.0
    var rows: [Report.Row] = []
    for text in triggers {
      let json = try JSON(parsing: Array(text.utf8))
      var times: [Double] = []
      var outcome = ""
      for _ in 0..<tries {
        let watch = Stopwatch()
        let schedule = try TriggerSchedule(try Trigger.read(json, at: "trigger"), context)
        outcome = schedule.whyNever ?? ""
        let first = outcome.isEmpty ? schedule.first(from: now.milliseconds) : nil
        times.append(watch.microseconds / 1000)
        if outcome.isEmpty { outcome = first.map { "\(WallTime(milliseconds: $0.due))" } ?? "none left" }
      }
      let spread = Distribution(times)
      worst = max(worst, spread.max)
      rows.append(
        .init(
          label(json), [.number(spread.median), .number(spread.max), .text(outcome)]))
    }
    let target = Report.Target("max ≤ \(Int(limit)) ms", worst <= limit)
    rows.append(.init("all", [.none, .number(worst), .text("")], target))
    report.table(
      "never", "from JSON to \"never\", or to the first firing, ms: \(tries) tries each",
      [.init("median", "ms"), .init("max", "ms"), .init("outcome")], rows)
  }

  private static func label(_ trigger: JSON) -> String {
    if let text = trigger["rrule"]?.text ?? trigger["cron"]?.text { return text }
    return String(decoding: (trigger["calendar"] ?? .null).encoded, as: UTF8.self)
  }
}
