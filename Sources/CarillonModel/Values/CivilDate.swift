/// A day of the proleptic Gregorian calendar, without a zone.
public struct CivilDate: Hashable, Sendable {
  /// Astronomical: the year before 1 is 0.
  public let year: Int
  /// 1 to 12.
  public let month: Int
  /// 1 to 31.
  public let day: Int

  /// The years within which a date can be composed; wider than what can be written, so that arithmetic near the ends
  /// of the calendar needs no care.
  public static let years = -1_000_000...1_000_000

  /// `nil` for a day that the calendar does not have, such as 30 February.
  public init?(year: Int, month: Int, day: Int) {
    guard CivilDate.years.contains(year), (1...12).contains(month),
      day >= 1, day <= CivilDate.days(in: month, of: year)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// The day that is that many days after 1970-01-01. Beyond the reach of `WallTime` the day at its end.
  ///
  /// Years are counted from March, so that the leap day comes last; 146,097 days are the calendar's cycle of 400 years.
  public init(daysSinceEpoch: Int) {
    let shifted = min(max(daysSinceEpoch, -CivilDate.reach), CivilDate.reach) + 719_468
    let cycle = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfCycle = shifted - cycle * 146_097
    let yearOfCycle =
      (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days from the epoch to either end of 64-bit milliseconds.
  private static let reach = 106_751_991_168

  /// Days since 1970-01-01, negative before it.
  public var daysSinceEpoch: Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let cycle = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfCycle = shiftedYear - cycle * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
    return cycle * 146_097 + dayOfCycle - 719_468
  }

  public var weekday: Weekday {
    // 1970-01-01 was a Thursday, the fourth day.
    let index = (daysSinceEpoch % 7 + 7 + 3) % 7
    return Weekday.allCases[index]
  }

  /// The day that many days later, or earlier.
  public func adding(days: Int) -> CivilDate {
    CivilDate(daysSinceEpoch: daysSinceEpoch + min(max(days, -2 * CivilDate.reach), 2 * CivilDate.reach))
  }

  public static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  /// The length of a month; `month` is 1 to 12.
  public static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension CivilDate: Comparable {
  public static func < (left: CivilDate, right: CivilDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }
}

extension CivilDate: CustomStringConvertible {
  /// `2026-12-24`, as in RFC 3339.
  public var description: String {
    var text = ASCIIWriter()
    text.date(self)
    return text.text
  }
}
