import CarillonModel
import CarillonSchedule
import CarillonTestSupport
import CarillonTime

/// The kinds of rules that live on the wall clock, and random ones of each. All of them can fire, and few are rare.
enum RuleKind: CaseIterable, Sendable {
  case calendar, cron, recurrence, sun

  /// Those of which a step costs microseconds; a place of the sun is some hundred times as much.
  static let quick: [RuleKind] = [.calendar, .cron, .recurrence]

  func random(_ random: inout SplitMix) throws -> any WallRule {
    switch self {
    case .calendar: try RuleKind.randomCalendar(&random)
    case .cron: try CarillonScheduleTests.cron(RuleKind.randomExpression(&random))
    case .recurrence: try RuleKind.randomRecurrence(&random)
    case .sun: try RuleKind.randomSun(&random)
    }
  }

  private static func randomCalendar(_ random: inout SplitMix) throws -> CalendarRule {
    func number(_ range: ClosedRange<Int64>) -> JSON { .integer(Int64.random(in: range, using: &random)) }
    let components: [JSON] = [
      ["minute": number(0...59), "second": number(0...59)], ["second": [0, number(1...59)]],
      ["hour": [0, 1, 2, number(0...23)], "minute": number(0...59)], ["hour": number(0...23)],
      ["weekday": "sun", "nth": -1, "hour": number(0...3), "minute": number(0...59)],
      ["weekday": ["sat", "sun"], "hour": [0, number(0...23)]], ["day": [number(1...28), 31]],
      ["month": number(1...12), "day": number(1...28), "hour": number(0...23)],
      ["month": 2, "day": 29, "hour": number(0...23)],
    ]
    return try CarillonScheduleTests.calendar(components.randomElement(using: &random) ?? .null)
  }

  private static func randomExpression(_ random: inout SplitMix) -> String {
    let minute = Int.random(in: 0...59, using: &random)
    let hour = Int.random(in: 0...23, using: &random)
    let day = Int.random(in: 1...28, using: &random)
    let expressions = [
      "\(minute) \(hour) * * *", "*/\(minute + 1) * * * *", "\(minute) 0-4 * * 0", "* \(hour) * * *",
      "0,\(minute) */2 \(day) * 1-5", "\(minute) * * * *", "\(minute) 0,2 \(day),31 * sun",
      "\(minute) \(hour) 29 2 *", "0 0 */\(day) * *", "@daily", "@monthly",
    ]
    return expressions.randomElement(using: &random) ?? "@daily"
  }

  private static func randomRecurrence(_ random: inout SplitMix) throws -> RecurrenceRule {
    let minute = Int.random(in: 0...59, using: &random)
    let hour = Int.random(in: 0...23, using: &random)
    let interval = Int.random(in: 1...90, using: &random)
    let texts = [
      "FREQ=DAILY;INTERVAL=\(interval)", "FREQ=DAILY;BYHOUR=0,1,2,\(hour);BYMINUTE=0,\(minute)",
      "FREQ=WEEKLY;INTERVAL=\(interval % 5 + 1);BYDAY=SA,SU;BYHOUR=0,2,\(hour)",
      "FREQ=MONTHLY;BYDAY=-1SU,1SU,2SU", "FREQ=MONTHLY;BYMONTHDAY=-1,29,31;BYHOUR=\(hour)",
      "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "FREQ=YEARLY;BYMONTH=3,10;BYDAY=-1SU;BYHOUR=0,1,2,3",
      "FREQ=HOURLY;INTERVAL=\(interval)", "FREQ=MINUTELY;INTERVAL=\(interval)",
      "FREQ=SECONDLY;INTERVAL=\(interval * 20 + 1)",
    ]
    let start = CivilTime(
      utc: WallTime(seconds: Int64.random(in: -86_400 * 400 ... -86_400 * 2, using: &random)))
    return try RecurrenceRule(parsing: texts.randomElement(using: &random) ?? "FREQ=DAILY", start: start)
  }

  /// Between the polar circles and beyond them, on both halves of the earth.
  private static func randomSun(_ random: inout SplitMix) throws -> SunRule {
    let isPolar = Int.random(in: 0..<4, using: &random) == 0
    let latitude = Double.random(in: isPolar ? -85...85 : -60...60, using: &random)
    let place = try SunLocation(latitude: latitude, longitude: .random(in: -180...180, using: &random))
    return try SunRule(
      SunEvent.allCases.randomElement(using: &random) ?? .noon, at: place,
      offset: .seconds([0, 0, -1800, 3600, -86_400, 86_400].randomElement(using: &random) ?? 0),
      weekdays: Bool.random(using: &random) ? nil : [.saturday, .sunday])
  }
}

/// 1970 to 2100.
private let years: ClosedRange<Int64> = 0...4_102_444_800_000

extension Zone {
  /// The instants from 1970 to 2100 at which its clocks are changed.
  func changes() -> [WallTime] {
    var found: [WallTime] = []
    var time = WallTime(milliseconds: years.lowerBound)
    while let change = nextTransition(after: time), change.milliseconds <= years.upperBound {
      found.append(change)
      time = change
    }
    return found
  }

  /// An instant from 1970 to 2100, half of the time one near a change of the clocks.
  func moment(_ random: inout SplitMix) -> WallTime {
    let time = WallTime(milliseconds: Int64.random(in: years, using: &random))
    guard Bool.random(using: &random), let change = nextTransition(after: time) else { return time }
    return change + .milliseconds(Int64.random(in: -100_000_000...10_000_000, using: &random))
  }
}
