import CarillonModel

/// The days that have given numbers, months, weekdays and years. Nothing is laid out day by day: a month at a time is made
/// of bits, so a rule is a few words however it is asked.
public struct CivilDays: DaySet, Hashable {
  /// Ascending; `nil` where every year will do.
  public var years: [Int]?
  /// 1 to 12.
  public var months: UnitSet = .allMonths
  /// 1 to 31.
  public var days: UnitSet = .allDays
  /// As ISO 8601 numbers them.
  public var weekdays: UnitSet = .allWeekdays
  /// Which of the weekdays of its kind in the month a day may be, 1 to 5; from the end of the month in `nthsFromEnd`. Where
  /// both are empty, any of them.
  public var nths = UnitSet(bits: 0)
  public var nthsFromEnd = UnitSet(bits: 0)
  /// Whether a day must have either a number or a weekday of those given, and not both.
  public var joinsByOr = false

  public init() {}

  public func first(from day: Int) -> Int? {
    guard day <= writableDays.upperBound else { return nil }
    let start = CivilDate(daysSinceEpoch: max(day, writableDays.lowerBound))
    var month = Month(start.year, start.month)
    if allows(year: month.year), months.contains(month.month),
      let found = matching(month).first(from: start.day)
    {
      return month.firstDay + found - 1
    }
    // The calendar repeats after 400 years; what it does not hold by then, it does not hold.
    let last = min(start.year + 400, CivilDays.lastYear)
    while let next = self.month(after: month), next.year <= last || years != nil {
      month = next
      if let found = matching(month).first { return month.firstDay + found - 1 }
    }
    return nil
  }

  public func count(in range: Range<Int>) -> Int {
    let start = max(range.lowerBound, writableDays.lowerBound)
    let end = min(range.upperBound, writableDays.upperBound + 1)
    return start < end ? count(before: end, from: start) : 0
  }

  private func count(before end: Int, from start: Int) -> Int {
    let first = CivilDate(daysSinceEpoch: start)
    let last = CivilDate(daysSinceEpoch: end - 1)
    var count = 0
    var month: Month? = Month(first.year, first.month)
    if !allows(year: first.year) || !months.contains(first.month) {
      month = month.flatMap(self.month(after:))
    }
    while let current = month, (current.year, current.month) <= (last.year, last.month) {
      let days = matching(current)
      count += days.count
      if (current.year, current.month) == (first.year, first.month) { count -= days.count(before: first.day) }
      if (current.year, current.month) == (last.year, last.month) {
        count -= days.count - days.count(before: last.day + 1)
      }
      month = self.month(after: current)
    }
    return count
  }

  private func allows(year: Int) -> Bool {
    guard let years else { return true }
    let place = years.place(of: year)
    return place < years.count && years[place] == year
  }

  /// The next month of the set, of any year of the set.
  private func month(after month: Month) -> Month? {
    if allows(year: month.year), let next = months.first(from: month.month + 1) {
      return Month(month.year, next)
    }
    guard let first = months.first, let year = year(after: month.year) else { return nil }
    return Month(year, first)
  }

  private func year(after year: Int) -> Int? {
    guard let years else { return year < CivilDays.lastYear ? year + 1 : nil }
    let place = years.place(of: year + 1)
    return place < years.count ? years[place] : nil
  }

  private static let lastYear = 9999

  /// The days of a month that match, 1 to 31.
  private func matching(_ month: Month) -> UnitSet {
    let length = CivilDate.days(in: month.month, of: month.year)
    let all = UInt64.max >> UInt64(63 - length) & ~1
    let numbered = days.bits & all
    if numbered == 0 && !joinsByOr { return UnitSet(bits: 0) }
    let named = month.days(on: weekdays) & placed(length) & all
    return UnitSet(bits: joinsByOr ? numbered | named : numbered & named)
  }

  /// The days that are the first, second … of their weekday, counted from the given ends of the month.
  private func placed(_ length: Int) -> UInt64 {
    if nths.isEmpty && nthsFromEnd.isEmpty { return .max }
    var bits: UInt64 = 0
    for nth in 1...5 {
      let week: UInt64 = 0b111_1111
      if nths.contains(nth) { bits |= week << UInt64(nth * 7 - 6) }
      if nthsFromEnd.contains(nth) {
        let first = length - nth * 7 + 1
        bits |= first >= 0 ? week << UInt64(first) : week >> UInt64(-first)
      }
    }
    return bits
  }
}

extension UnitSet {
  public static let allMonths = UnitSet(1...12)
  public static let allDays = UnitSet(1...31)
  public static let allWeekdays = UnitSet(1...7)
}

/// A month of a year.
private struct Month {
  var year: Int
  var month: Int
  /// Days since 1970-01-01 of its first day.
  var firstDay: Int

  init(_ year: Int, _ month: Int) {
    self.year = year
    self.month = month
    firstDay = CivilDate(year: year, month: month, day: 1)?.daysSinceEpoch ?? .max
  }

  /// The days that fall on those weekdays; bit n stands for day n, also beyond the month's end.
  func days(on weekdays: UnitSet) -> UInt64 {
    // 1970-01-01 was a Thursday, three days after a Monday.
    let weekdayOfFirst = UInt64(((firstDay + 3) % 7 + 7) % 7)
    let fromMonday = weekdays.bits >> 1
    let week = (fromMonday >> weekdayOfFirst | fromMonday << (7 - weekdayOfFirst)) & 0b111_1111
    return (week | week << 7 | week << 14 | week << 21 | week << 28) << 1
  }
}
