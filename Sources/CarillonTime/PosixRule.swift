import CarillonModel

/// The rule at the end of a TZif file, for the time after its table: standard time and, where it has one, daylight saving
/// time with the days of the year on which it begins and ends (POSIX `TZ`, with RFC 9636's extension of the hours).
struct PosixRule: Sendable {
  /// A day of the year and a time of that day on local clocks.
  struct Change: Hashable, Sendable {
    enum Day: Hashable, Sendable {
      /// 1 to 365, where 29 February is never counted.
      case julian(Int)
      /// 0 to 365, where 29 February is counted.
      case ordinal(Int)
      /// The `week`-th (5: the last) such weekday of a month; Sunday is 0.
      case weekday(month: Int, week: Int, day: Int)
    }
    var day: Day
    /// Seconds after midnight, from a week before to a week after.
    var time: Int64
  }

  struct Daylight: Sendable {
    var offset: Zone.Offset
    /// On clocks of standard time.
    var begins: Change
    /// On clocks of daylight saving time.
    var ends: Change
  }

  var standard: Zone.Offset
  var daylight: Daylight?

  func stretch(at seconds: Int64) -> Zone.Stretch {
    guard let daylight else { return Zone.Stretch(offset: standard, end: nil) }
    // The calendar repeats after 400 years, so every instant is looked up in the cycle that begins with 2000.
    let cycles = floorDivision(seconds.subtractingSaturated(PosixRule.cycleStart), PosixRule.cycle)
    let shift = cycles.multipliedSaturated(by: PosixRule.cycle)
    let moved = seconds.subtractingSaturated(shift)
    let year = CivilDate(daysSinceEpoch: Int(floorDivision(moved, 86_400))).year
    var search = ChangeSearch(moment: moved, standard: standard, daylight: daylight)
    for year in (year - 1)...(year + 1) { search.visit(year) }
    // A change may lie a week and a day outside its year, and with both of its year.
    if search.latest == .min { search.visit(year - 2) }
    if search.next == .max { search.visit(year + 2) }
    return Zone.Stretch(
      offset: search.isDaylight ? daylight.offset : standard, end: search.next.addingSaturated(shift))
  }

  private static let cycle: Int64 = 146_097 * 86_400
  private static let cycleStart: Int64 = 946_684_800

  private func floorDivision(_ value: Int64, _ divisor: Int64) -> Int64 {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

/// Finds the changes before and after a moment, of which those of a year may come in any order.
private struct ChangeSearch {
  let moment: Int64
  let standard: Zone.Offset
  let daylight: PosixRule.Daylight
  /// When the last change up to the moment is, and what it begins.
  var latest = Int64.min
  var isDaylight = false
  /// When the first change after the moment is.
  var next = Int64.max

  mutating func visit(_ year: Int) {
    let start = YearStart(year)
    let end = start.instant(daylight.ends) - Int64(daylight.offset.seconds)
    let begin = start.instant(daylight.begins) - Int64(standard.seconds)
    if end > moment { next = min(next, end) } else if end > latest { (latest, isDaylight) = (end, false) }
    // Where one ends as the next begins, daylight saving time holds all the year.
    if begin > moment {
      next = min(next, begin)
    } else if begin >= latest {
      (latest, isDaylight) = (begin, true)
    }
  }
}

/// The first day of a year, from which the year's changes are counted.
private struct YearStart {
  var year: Int
  /// Since 1970-01-01.
  var days: Int

  init(_ year: Int) {
    let before = year - 1
    self.year = year
    days = before * 365 + before / 4 - before / 100 + before / 400 - 719_162
  }

  /// The instant of a change as if local clocks showed UTC.
  func instant(_ change: PosixRule.Change) -> Int64 {
    Int64(days + dayOfYear(change.day)) * 86_400 + change.time
  }

  /// Counted from 0.
  private func dayOfYear(_ day: PosixRule.Change.Day) -> Int {
    switch day {
    case .julian(let day): return CivilDate.isLeap(year) && day >= 60 ? day : day - 1
    case .ordinal(let day): return day
    case .weekday(let month, let week, let weekday):
      let first = YearStart.daysBeforeMonth[month - 1] + (month > 2 && CivilDate.isLeap(year) ? 1 : 0)
      // 1970-01-01 was a Thursday, 4 as POSIX counts.
      let weekdayOfFirst = ((days + first + 4) % 7 + 7) % 7
      var day = (weekday - weekdayOfFirst + 7) % 7 + (week - 1) * 7
      if day >= CivilDate.days(in: month, of: year) { day -= 7 }
      return first + day
    }
  }

  private static let daysBeforeMonth = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
}
