import CarillonModel

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

  /// - Parameter day: days since 1970-01-01.
  init(of day: Int) { self.init(CivilDate(daysSinceEpoch: day).year) }

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
