import CarillonModel

/// Looks for the days of a rule, one after another, and keeps the year at which it is.
struct DaySearch {
  private let days: RecurrenceDays
  private var year = Year(1970)
  private var known = YearDays.none
  /// The days of the year that is known, since 1970-01-01; empty before the first look.
  private var range = 0..<0

  init(_ days: RecurrenceDays) { self.days = days }

  /// The first day at or after another one; `nil` where there is none, or none that can be written.
  ///
  /// - Parameter end: in which year the search ends at the latest.
  mutating func first(from day: Int, through end: Int = writableDays.upperBound) -> Int? {
    if !range.contains(day) {
      guard day <= writableDays.upperBound else { return nil }
      look(at: Year(of: max(day, writableDays.lowerBound)))
    }
    if let place = known.first(from: max(day - range.lowerBound, 0)) { return range.lowerBound + place }
    let last = min(year.number + days.cycleYears, RecurrenceDays.lastYear)
    while let next = days.year(after: year), next.number <= last, next.firstDay <= end {
      look(at: next)
      if let place = known.first(from: 0) { return range.lowerBound + place }
    }
    return nil
  }

  private mutating func look(at year: Year) {
    self.year = year
    known = days.matching(year)
    range = year.firstDay..<year.firstDay + year.length
  }
}
