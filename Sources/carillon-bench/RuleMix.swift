import CarillonModel
import CarillonTestSupport

/// Triggers such as people write them, drawn at random and always the same for one seed.
struct RuleMix {
  private var random: SplitMix

  init(seed: UInt64) { random = SplitMix(seed: seed) }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  mutating func one<Element>(of elements: [Element]) -> Element {
    elements[number(0...elements.count - 1)]
  }

  /// A cron expression.
  ///
  /// - Parameter frequent: whether it may fire several times a day.
  mutating func cron(frequent: Bool = true) -> String {
    let (minute, hour, day) = (number(0...59), number(0...23), number(1...31))
    let daily = [
      "\(minute) \(hour) * * *", "\(minute) \(hour) * * mon-fri", "\(minute) \(hour) * * sat,sun",
      "\(minute) \(hour) * * \(number(0...7))", "\(minute) \(hour) \(day) * *",
      "\(minute) \(hour) \(min(day, 28)) \(number(1...12)) *", "\(minute) \(hour) 1-7 * mon",
      "\(minute) \(hour) 1,15 */3 *", "\(minute) \(hour) 29 2 *",
    ]
    let oftener = [
      "*/\(one(of: [5, 10, 15, 20])) * * * *", "\(minute) * * * *", "\(minute) */\(number(2...6)) * * *",
      "\(minute),\(59 - minute) 8-18 * * 1-5", "*/\(number(2...30)) 7-22 * * *",
    ]
    return one(of: frequent ? daily + oftener : daily)
  }

  /// The components of a calendar trigger, as JSON.
  mutating func calendar(frequent: Bool = true) -> JSON {
    let (minute, hour, day) = (
      JSON.integer(Int64(number(0...59))), JSON.integer(Int64(number(0...23))),
      JSON.integer(Int64(number(1...31)))
    )
    let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"].map { JSON.string($0) }
    let month = JSON.integer(Int64(number(1...12)))
    let (one, other) = (self.one(of: weekdays), self.one(of: weekdays))
    let daily: [JSON] = [
      ["hour": hour, "minute": minute], ["hour": [7, 12, 19], "minute": minute],
      ["weekday": one, "hour": hour], ["weekday": .array([one, other]), "hour": hour, "minute": minute],
      ["day": day, "hour": hour], ["month": month, "day": 1],
      ["weekday": one, "nth": .integer(Int64(self.one(of: [1, 2, 3, 4, -1]))), "hour": hour],
      ["month": 2, "day": 29, "hour": hour],
    ]
    let oftener: [JSON] = [["minute": minute], ["minute": [0, 15, 30, 45]], ["second": minute]]
    return self.one(of: frequent ? daily + oftener : daily)
  }

  /// A recurrence rule, and the reading from which it counts.
  mutating func recurrence(frequent: Bool = true) -> (text: String, start: String) {
    let days = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
    let (day, other, interval) = (one(of: days), one(of: days), number(2...5))
    let daily = [
      "FREQ=DAILY", "FREQ=DAILY;INTERVAL=\(interval)", "FREQ=DAILY;BYHOUR=8,20;BYMINUTE=\(number(0...59))",
      "FREQ=WEEKLY;BYDAY=\(day),\(other)", "FREQ=WEEKLY;INTERVAL=\(interval);BYDAY=\(day)",
      "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "FREQ=MONTHLY;BYMONTHDAY=\(number(1...31))",
      "FREQ=MONTHLY;BYDAY=-1\(day)", "FREQ=MONTHLY;BYDAY=\(number(1...4))\(day)",
      "FREQ=MONTHLY;BYMONTHDAY=-1",
      "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "FREQ=MONTHLY;INTERVAL=3;BYDAY=1\(day)",
      "FREQ=YEARLY", "FREQ=YEARLY;BYMONTH=\(number(1...12));BYDAY=\(number(1...4))\(day)",
      "FREQ=YEARLY;BYWEEKNO=\(number(1...52));BYDAY=\(day)", "FREQ=YEARLY;BYYEARDAY=\(number(1...365))",
      "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
    ]
    let oftener = [
      "FREQ=HOURLY;INTERVAL=\(interval)", "FREQ=HOURLY;BYDAY=\(day);BYHOUR=9,10,11,12",
      "FREQ=MINUTELY;INTERVAL=\(number(7...90))",
    ]
    let start = CivilTime(utc: WallTime(seconds: Int64(number(1_577_836_800...1_893_456_000) / 60 * 60)))
    return (one(of: frequent ? daily + oftener : daily), start.description)
  }
}
