import CarillonModel

/// The days of a recurrence rule. They are found a year at a time, as bits: what each BY part allows, then the periods that
/// INTERVAL takes, then the places that BYSETPOS chooses. Nothing is laid out beyond the year that is looked at.
struct RecurrenceDays: DaySet, Hashable {
  /// What INTERVAL counts and BYSETPOS chooses from.
  enum Period: Hashable { case day, week, month, year }

  /// Places of days within their period, from 0 at either end.
  struct Ranks: Hashable {
    var fromStart: [Int] = []
    var fromEnd: [Int] = []
  }

  let period: Period
  let interval: Int
  /// The day from which periods are counted, which is in the first of them.
  let origin: CivilDate
  /// What months and numbers of days allow in common years, and in leap years.
  let numbered: [YearDays]
  /// Bit 0 stands for Monday; all seven where `places` are used.
  let weekdays: UInt64
  /// Weekdays of which only the nth is meant.
  let places: [RecurrenceParts.Day]
  /// Whether those are counted within each month, of `months`, rather than within the year.
  let placesInMonths: Bool
  let months: UnitSet
  /// BYWEEKNO; empty where every week will do.
  let weekNumbers: [Int]
  /// 0 for Monday.
  let weekStart: Int
  /// `nil` where every day of a period counts.
  let ranks: Ranks?
  /// How long it takes at most until a rule comes to itself again.
  let cycleYears: Int

  /// - Parameter parts: filled in with what the start says, see `RecurrenceParts.completed(by:)`.
  init(_ parts: RecurrenceParts, origin: CivilDate, ranks: Ranks?) {
    switch parts.frequency {
    case .secondly, .minutely, .hourly, .daily: period = .day
    case .weekly: period = .week
    case .monthly: period = .month
    case .yearly: period = .year
    }
    interval = parts.frequency >= .daily ? Int(parts.interval) : 1
    self.origin = origin
    self.ranks = ranks
    months = parts.months.map { UnitSet($0) } ?? .allMonths
    numbered = [false, true].map { RecurrenceDays.numbered(parts, isLeap: $0) }
    let days = parts.days ?? []
    let isPlaced = days.contains { $0.nth != 0 }
    let bits = days.reduce(0 as UInt64) { $0 | 1 << UInt64($1.weekday.rawValue - 1) }
    weekdays = isPlaced || days.isEmpty ? RecurrenceDays.week : bits
    places = isPlaced ? days : []
    placesInMonths = parts.frequency == .monthly || parts.months != nil
    weekNumbers = parts.weekNumbers ?? []
    weekStart = parts.weekStart.rawValue - 1
    cycleYears = RecurrenceDays.cycle(period, interval)
  }

  static let week: UInt64 = 0b111_1111
  static let lastYear = 9999

  /// The calendar repeats after 400 years; taking one period in `interval` meets all its days after as many cycles as the two
  /// have no factor in common.
  private static func cycle(_ period: Period, _ interval: Int) -> Int {
    let periods: Int
    switch period {
    case .day: periods = 146_097
    case .week: periods = 20_871
    case .month: periods = 4800
    case .year: periods = 400
    }
    return min(400 * (interval / greatestCommonDivisor(interval, periods)), lastYear)
  }

  func first(from day: Int) -> Int? {
    guard day <= writableDays.upperBound else { return nil }
    let start = CivilDate(daysSinceEpoch: max(day, writableDays.lowerBound))
    var year = Year(start.year)
    let place = max(day, writableDays.lowerBound) - year.firstDay
    if let found = matching(year).first(from: place) { return year.firstDay + found }
    let last = min(start.year + cycleYears, RecurrenceDays.lastYear)
    while let next = self.year(after: year), next.number <= last {
      year = next
      if let found = matching(year).first(from: 0) { return year.firstDay + found }
    }
    return nil
  }

  func count(in range: Range<Int>) -> Int {
    var count = 0
    forEachYear(in: range) { _, days in count += days.count }
    return count
  }

  /// The days of the set within a range, year by year, with the day on which the year begins.
  func forEachYear(in range: Range<Int>, _ body: (_ firstDay: Int, _ days: YearDays) -> Void) {
    let start = max(range.lowerBound, writableDays.lowerBound)
    let end = min(range.upperBound, writableDays.upperBound + 1)
    guard start < end else { return }
    var next: Year? = Year(CivilDate(daysSinceEpoch: start).year)
    while let year = next, year.firstDay < end {
      var days = matching(year)
      if year.firstDay < start || year.firstDay + year.length > end {
        days = days.within(max(start - year.firstDay, 0)..<min(end - year.firstDay, year.length))
      }
      if !days.isEmpty { body(year.firstDay, days) }
      next = self.year(after: year)
    }
  }

  /// The next year in which there can be a day.
  private func year(after year: Year) -> Year? {
    guard year.number < RecurrenceDays.lastYear else { return nil }
    guard period == .year, interval > 1 else { return year.next }
    let steps = (year.number - origin.year).flooredQuotient(by: interval) + 1
    let (found, overflow) = steps.multipliedReportingOverflow(by: interval)
    guard !overflow, found <= RecurrenceDays.lastYear - origin.year else { return nil }
    return Year(origin.year + found)
  }
}

/// A year of the calendar.
struct Year {
  let number: Int
  /// Days since 1970-01-01 of 1 January.
  let firstDay: Int
  let isLeap: Bool

  init(_ number: Int) {
    self.number = number
    // The rule of `CivilDate.daysSinceEpoch`, for 1 January: days of the years before it, from the year 1.
    let before = number - 1
    firstDay =
      before * 365 + before.flooredQuotient(by: 4) - before.flooredQuotient(by: 100)
      + before.flooredQuotient(by: 400) - 719_162
    isLeap = CivilDate.isLeap(number)
  }

  var length: Int { isLeap ? 366 : 365 }
  var next: Year { Year(number + 1) }
  var previous: Year { Year(number - 1) }
  /// Of 1 January, 0 for Monday; 1970-01-01 was a Thursday.
  var firstWeekday: Int { (firstDay + 3).flooredRemainder(by: 7) }

  /// The days of a month, 1 to 12.
  func days(of month: Int) -> Range<Int> {
    let start = Year.monthStarts[month - 1] + (isLeap && month > 2 ? 1 : 0)
    let end = month == 12 ? length : Year.monthStarts[month] + (isLeap && month > 1 ? 1 : 0)
    return start..<end
  }

  private static let monthStarts = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
}

extension Int {
  /// Rounded towards minus infinity, for positive divisors.
  func flooredQuotient(by divisor: Int) -> Int {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// Never negative, for positive divisors.
  func flooredRemainder(by divisor: Int) -> Int {
    let remainder = self % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }
}

func greatestCommonDivisor(_ left: Int, _ right: Int) -> Int {
  var (left, right) = (left, right)
  while right != 0 { (left, right) = (right, left % right) }
  return left
}
