import CarillonModel

/// Looks for the days of a rule, one after another, and keeps the year at which it is.
struct DaySearch {
  private let days: RecurrenceDays
  private var year = Year(1970)
  private var found: YearDays?

  init(_ days: RecurrenceDays) { self.days = days }

  /// The first day at or after another one; `nil` where there is none, or none that can be written.
  ///
  /// - Parameter end: in which year the search ends at the latest.
  mutating func first(from day: Int, through end: Int = writableDays.upperBound) -> Int? {
    guard day <= writableDays.upperBound else { return nil }
    let day = max(day, writableDays.lowerBound)
    if let known = found, (year.firstDay..<year.firstDay + year.length).contains(day) {
      if let place = known.first(from: day - year.firstDay) { return year.firstDay + place }
    } else {
      year = Year(of: day)
      if let place = look().first(from: day - year.firstDay) { return year.firstDay + place }
    }
    let last = min(year.number + days.cycleYears, RecurrenceDays.lastYear)
    while let next = days.year(after: year), next.number <= last, next.firstDay <= end {
      year = next
      if let place = look().first(from: 0) { return year.firstDay + place }
    }
    return nil
  }

  private mutating func look() -> YearDays {
    let matching = days.matching(year)
    found = matching
    return matching
  }
}
