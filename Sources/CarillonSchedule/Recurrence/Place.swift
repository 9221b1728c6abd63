import CarillonModel

/// The nth weekdays of BYDAY that share their number: of seven days of a month or a year, some weekdays.
struct Place: Hashable {
  /// From 0, counted in weeks from either end.
  let week: Int
  let isFromEnd: Bool
  /// Bit 0 stands for Monday.
  var weekdays: UInt64

  /// Those that have a number.
  static func all(of days: [RecurrenceParts.Day]) -> [Place] {
    Dictionary(grouping: days.filter { $0.nth != 0 }, by: \.nth).sorted { $0.key < $1.key }.map { nth, days in
      Place(week: abs(nth) - 1, isFromEnd: nth < 0, weekdays: RecurrenceDays.bits(days))
    }
  }

  /// Adds its days of a month, or of the year.
  func insert(of range: Range<Int>, _ year: Year, into days: inout YearDays) {
    let first = isFromEnd ? range.upperBound - 7 * (week + 1) : range.lowerBound + 7 * week
    guard first < range.upperBound, first > range.lowerBound - 7 else { return }
    let weekday = UInt64((year.firstWeekday + first).flooredRemainder(by: 7))
    var bits = (weekdays >> weekday | weekdays << (7 - weekday)) & RecurrenceDays.week
    let (before, after) = (range.lowerBound - first, first + 7 - range.upperBound)
    if before > 0 { bits &= RecurrenceDays.week << UInt64(before) }
    if after > 0 { bits &= RecurrenceDays.week >> UInt64(after) }
    days.insert(week: bits, at: first)
  }
}
