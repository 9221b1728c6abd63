import CarillonModel

/// The days of a recurrence rule. They are found a year at a time, as bits: what each BY part allows, and the periods that
/// INTERVAL takes. Nothing is laid out beyond the year that is looked at, and what repeats with the calendar is counted
/// once.
struct RecurrenceDays: DaySet, Hashable {
  /// What INTERVAL counts and BYSETPOS chooses from.
  enum Period: Hashable { case day, week, month, year }

  let period: Period
  let interval: Int
  /// The day from which periods are counted, which is in the first of them.
  let origin: CivilDate
  /// What months and numbers of days allow in common years, and in leap years.
  let numbered: [YearDays]
  /// Bit 0 stands for Monday; all seven where `places` are used.
  let weekdays: UInt64
  /// Weekdays of which only the nth is meant.
  let places: [Place]
  /// Weekdays that are meant each time although others are only meant the nth.
  let placedWeekdays: UInt64
  /// Whether those are counted within each month, of `months`, rather than within the year.
  let placesInMonths: Bool
  let months: UnitSet
  /// BYWEEKNO in years of 52 weeks, and of 53; bit 0 stands for the first. `nil` where every week will do.
  let weekNumbers: [UInt64]?
  /// 0 for Monday.
  let weekStart: Int
  /// How many years it takes until the same days come again.
  let cycleYears: Int

  /// - Parameter parts: filled in with what the start says, see `RecurrenceParts.completed(by:)`.
  init(_ parts: RecurrenceParts, origin: CivilDate) {
    switch parts.frequency {
    case .secondly, .minutely, .hourly, .daily: period = .day
    case .weekly: period = .week
    case .monthly: period = .month
    case .yearly: period = .year
    }
    interval = parts.frequency >= .daily ? Int(parts.interval) : 1
    self.origin = origin
    months = parts.months.map { UnitSet($0) } ?? .allMonths
    numbered = [false, true].map { RecurrenceDays.numbered(parts, isLeap: $0) }
    let days = parts.days ?? []
    let isPlaced = days.contains { $0.nth != 0 }
    weekdays = isPlaced || days.isEmpty ? RecurrenceDays.week : RecurrenceDays.bits(days)
    places = Place.all(of: days)
    placedWeekdays = isPlaced ? RecurrenceDays.bits(days.filter { $0.nth == 0 }) : 0
    placesInMonths = parts.frequency == .monthly || parts.months != nil
    weekNumbers = parts.weekNumbers.map { numbers in
      [52, 53].map { RecurrenceDays.weekNumbers(numbers, of: $0) }
    }
    weekStart = parts.weekStart.rawValue - 1
    cycleYears = RecurrenceDays.cycle(period, interval)
  }

  static let week: UInt64 = 0b111_1111
  static let lastYear = 9999

  static func bits(_ days: [RecurrenceParts.Day]) -> UInt64 {
    days.reduce(0) { $0 | 1 << UInt64($1.weekday.rawValue - 1) }
  }

  private static func weekNumbers(_ numbers: [Int], of count: Int) -> UInt64 {
    numbers.reduce(0) { bits, number in
      let week = number > 0 ? number - 1 : count + number
      return (0..<count).contains(week) ? bits | 1 << UInt64(week) : bits
    }
  }

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
    return 400 * (interval / greatestCommonDivisor(interval, periods))
  }

  /// The same in days.
  var cycleDays: Int { cycleYears / 400 * 146_097 }

  /// Whether it is every day of the calendar.
  var isEveryDay: Bool {
    period == .day && interval == 1 && weekdays == RecurrenceDays.week && places.isEmpty
      && numbered == [YearDays(0..<365), YearDays(0..<366)]
  }

  /// How many days of a week, month or year there can be.
  var mostInPeriod: Int {
    switch period {
    case .day: 1
    case .week: weekdays.nonzeroBitCount
    case .month: 31
    case .year: 366
    }
  }

  func first(from day: Int) -> Int? {
    var search = DaySearch(self)
    return search.first(from: day)
  }

  func count(in range: Range<Int>) -> Int {
    let start = max(range.lowerBound, writableDays.lowerBound)
    let end = min(range.upperBound, writableDays.upperBound + 1)
    guard start < end else { return 0 }
    return sum(over: start..<end) { range in
      var count = 0
      forEachYear(in: range) { _, days in count += days.count }
      return count
    }
  }

  /// What is found in a range of days that is not empty, where the same is found in each cycle.
  func sum(over range: Range<Int>, _ found: (Range<Int>) -> Int) -> Int {
    let (cycles, rest) = range.count.quotientAndRemainder(dividingBy: cycleDays)
    guard cycles > 1 else { return found(range) }
    let last = range.upperBound - rest
    return cycles * found(last - cycleDays..<last) + (rest > 0 ? found(last..<range.upperBound) : 0)
  }

  /// The days of the set within a range, year by year, with the day on which the year begins.
  func forEachYear(in range: Range<Int>, _ body: (_ firstDay: Int, _ days: YearDays) -> Void) {
    let start = max(range.lowerBound, writableDays.lowerBound)
    let end = min(range.upperBound, writableDays.upperBound + 1)
    guard start < end else { return }
    var next: Year? = Year(of: start)
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
  func year(after year: Year) -> Year? {
    guard year.number < RecurrenceDays.lastYear else { return nil }
    guard period == .year, interval > 1 else { return year.next }
    let steps = (year.number - origin.year).flooredQuotient(by: interval) + 1
    let (found, overflow) = steps.multipliedReportingOverflow(by: interval)
    guard !overflow, found <= RecurrenceDays.lastYear - origin.year else { return nil }
    return Year(origin.year + found)
  }
}
