import CarillonModel

/// Those times of a row that fall on the days of a rule: what INTERVAL makes of HOURLY and finer.
struct RowTimes: WallReadings, Hashable {
  let days: RecurrenceDays
  let row: RunningRow
  private let hours: UnitSet
  let isEveryDay: Bool

  static let day: Int64 = 86_400

  /// - Parameter hours: those in which the row has times.
  init(days: RecurrenceDays, row: RunningRow, hours: UnitSet) {
    (self.days, self.row, self.hours) = (days, row, hours)
    isEveryDay = days.isEveryDay
  }

  /// The row and the days take turns, and each goes as far as it can, so it takes no more steps than the scarcer of the two
  /// has days. Where that has not led to anything for a while, the row goes on at once to where the week allows it.
  func first(from reading: Int64) -> Int64? {
    let limit = min(latestSecond, reading.addingSaturated(cycle))
    var search = DaySearch(days)
    var number = row.firstAllowed(from: row.number(from: reading))
    var turns = 0
    lazy var windows = self.windows()
    while let current = number {
      let time = row.time(current)
      guard time <= limit else { return nil }
      let day = Int(time.flooredQuotient(by: RowTimes.day))
      guard let found = search.first(from: day) else { return nil }
      if found == day { return time }
      var next = row.number(from: Int64(found) * RowTimes.day)
      turns += 1
      if turns % RowTimes.patience == 0 {
        guard let later = windows.first(of: row, from: next) else { return nil }
        next = later
      }
      number = row.firstAllowed(from: next)
    }
    return nil
  }

  /// When in a week one of the times may be.
  func windows() -> WeekWindows { WeekWindows(weekdays: days.weekdays, hours: hours) }

  /// So many turns cost about as much as to look where the week allows the row.
  static let patience = 64

  /// How long it takes until days of the calendar and times of the row come together as before.
  var cycle: Int64 {
    let common = greatestCommonDivisor(Int(row.cycleDays), days.cycleDays)
    return row.cycleDays.multipliedSaturated(by: Int64(days.cycleDays / common) * RowTimes.day)
  }
}
