import CarillonModel

/// When in a week a row of times may be: what its weekdays and hours leave of it.
///
/// A row whose step is nearly a whole number of weeks, or of some part of one, moves through the week by a few seconds a
/// step, and may need thousands of years to come from one weekday to another. Here it is found by arithmetic when it does.
struct WeekWindows: Hashable {
  /// Seconds from the begin of a week that begins as 1970-01-01 did, ascending.
  private let windows: [ClosedRange<Int>]

  private static let week = 604_800

  /// - Parameter weekdays: bit 0 stands for Monday.
  init(weekdays: UInt64, hours: UnitSet) {
    var windows: [ClosedRange<Int>] = []
    // 1970-01-01 was a Thursday.
    for day in 0..<7 where weekdays >> UInt64((day + 3) % 7) & 1 == 1 {
      for hour in hours.numbers {
        let start = (day * 24 + hour) * 3600
        if let last = windows.last, last.upperBound == start - 1 {
          windows[windows.count - 1] = last.lowerBound...start + 3599
        } else {
          windows.append(start...start + 3599)
        }
      }
    }
    self.windows = windows
  }

  /// The number of the first time of a row, from one on, that lies in a window; `nil` where none does.
  func first(of row: RunningRow, from number: Int64) -> Int64? {
    let start = Int(row.time(number).flooredRemainder(by: Int64(WeekWindows.week)))
    let step = Int(row.step % Int64(WeekWindows.week))
    var least: Int?
    for window in windows {
      if window.contains(start) { return number }
      let low = (window.lowerBound - start).flooredRemainder(by: WeekWindows.week)
      let bounds = low...low + window.count - 1
      if let steps = firstStep(of: step, modulo: WeekWindows.week, into: bounds) {
        least = min(least ?? steps, steps)
      }
    }
    return least.map { number + Int64($0) }
  }
}
