import CarillonModel
import CarillonTestSupport

/// A rule whose INTERVAL is nearly a whole number of minutes, hours, days or weeks, so that it moves slowly through what
/// its lists leave of them; and the same by stepping from one of its times to the next.
struct SteppedRow {
  let text: String
  let start: CivilTime
  private let step: Int64
  private let lists: [String: Set<Int>]

  private static let weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

  init(_ random: inout SplitMix) {
    let base = [60, 3600, 86_400, 151_200, 201_600, 302_400, 604_800, 604_800, 1_209_600]
    let drift = [0, 1, -1, 2, 3, -7, 59, 60, 1800, 3600, -3601].randomElement(using: &random) ?? 0
    step = Int64(max(1, (base.randomElement(using: &random) ?? 1) + drift))
    var lists: [String: Set<Int>] = [:]
    for (name, range, share) in [
      ("BYSECOND", 0...59, 5), ("BYMINUTE", 0...59, 5), ("BYHOUR", 0...23, 3), ("BYMONTH", 1...12, 5),
      ("BYMONTHDAY", 1...31, 4), ("BYYEARDAY", 1...366, 8), ("BYDAY", 1...7, 2),
    ] where Int.random(in: 0..<share, using: &random) == 0 {
      let share = [2, 4, range.count].randomElement(using: &random) ?? 2
      let some = range.filter { _ in Int.random(in: 0..<share, using: &random) == 0 }
      lists[name] = Set(some.isEmpty ? [range.lowerBound] : some)
    }
    self.lists = lists
    text =
      (["FREQ=SECONDLY", "INTERVAL=\(step)"]
      + lists.sorted { $0.key < $1.key }.map { name, numbers in
        let texts = numbers.sorted().map { name == "BYDAY" ? SteppedRow.weekdays[$0 - 1] : "\($0)" }
        return "\(name)=\(texts.joined(separator: ","))"
      }).joined(separator: ";")
    let day = Int.random(in: -719_162...100_000, using: &random)
    start = CivilTime(
      utc: WallTime(seconds: Int64(day) * 86_400 + .random(in: 0..<86_400, using: &random)))
  }

  /// Those of its first times that fire in UTC, to the end of the calendar, and the last that was looked at.
  func firings(of steps: Int) -> (found: [Int64], last: Int64) {
    var found: [Int64] = []
    var time = start.utc.seconds
    let last = min(time + Int64(steps - 1) * step, WallTime.writable.upperBound.seconds)
    while time <= last {
      if matches(time) { found.append(time) }
      time += step
    }
    return (found, last)
  }

  private func matches(_ time: Int64) -> Bool {
    let day = Int((time - 86_399 * (time < 0 ? 1 : 0)) / 86_400)
    let second = Int(time) - day * 86_400
    // 719,169 days before 1970-01-01 was a Monday.
    guard allows("BYDAY", (day + 719_169) % 7 + 1), allows("BYHOUR", second / 3600),
      allows("BYMINUTE", second / 60 % 60), allows("BYSECOND", second % 60)
    else { return false }
    guard lists["BYMONTH"] != nil || lists["BYMONTHDAY"] != nil || lists["BYYEARDAY"] != nil else {
      return true
    }
    let date = CivilDate(daysSinceEpoch: day)
    let newYear = CivilDate(year: date.year, month: 1, day: 1)?.daysSinceEpoch ?? day
    return allows("BYMONTH", date.month) && allows("BYMONTHDAY", date.day)
      && allows("BYYEARDAY", day - newYear + 1)
  }

  private func allows(_ name: String, _ number: Int) -> Bool {
    lists[name].map { $0.contains(number) } ?? true
  }
}
