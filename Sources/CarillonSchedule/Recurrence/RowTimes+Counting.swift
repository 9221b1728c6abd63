import CarillonModel

extension RowTimes {
  func count(in range: Range<Int64>) -> Int64 {
    let (cycles, rest) = (range.upperBound - range.lowerBound).quotientAndRemainder(dividingBy: cycle)
    guard cycles > 1 else { return countOnce(in: range) }
    let last = range.upperBound - rest
    return cycles * countOnce(in: last - cycle..<last) + countOnce(in: last..<range.upperBound)
  }

  private func countOnce(in range: Range<Int64>) -> Int64 {
    let count = row.count(in: range)
    if count == 0 || isEveryDay { return count }
    // To count on a day of the rule costs about a tenth of a step through the row, once all days of a cycle are laid out.
    let length = (range.upperBound - range.lowerBound) / RowTimes.day + 1
    return count < length / 16 || row.cycleDays > RowTimes.mostLaidOut
      ? countSteps(in: range, isLong: count > RowTimes.many) : countDays(in: range)
  }

  /// Days of a cycle, of four bytes each.
  private static let mostLaidOut: Int64 = 1 << 18

  /// So many steps are worth it to lay out the calendar.
  private static let many: Int64 = 4096

  private func countSteps(in range: Range<Int64>, isLong: Bool) -> Int64 {
    if isLong {
      let cycle = CalendarCycle(days)
      return countSteps(in: range) { cycle.first(from: $0) }
    }
    var search = DaySearch(days)
    let last = Int(range.upperBound.flooredQuotient(by: RowTimes.day))
    return countSteps(in: range) { search.first(from: $0, through: last) }
  }

  /// - Parameter first: the first day of the rule at or after another one.
  @inline(__always)
  private func countSteps(in range: Range<Int64>, first: (Int) -> Int?) -> Int64 {
    var count: Int64 = 0
    var turns = 0
    lazy var windows = self.windows()
    var walk = row.walk(from: range.lowerBound)
    while let time = walk.time, time < range.upperBound {
      let day = Int(time.flooredQuotient(by: RowTimes.day))
      guard let found = first(day) else { break }
      if found == day {
        count += 1
        turns = 0
        walk.step()
        continue
      }
      turns += 1
      if turns % RowTimes.patience == 0 {
        guard let later = windows.first(of: row, from: row.number(from: time)) else { break }
        if row.time(later) > time {
          walk = row.walk(from: row.time(later))
          continue
        }
      }
      // A leap costs as much as some steps.
      let midnight = Int64(found) * RowTimes.day
      if midnight - time < 8 * row.step { walk.step() } else { walk = row.walk(from: midnight) }
      while let time = walk.time, time < midnight { walk.step() }
    }
    return count
  }

  private func countDays(in range: Range<Int64>) -> Int64 {
    let first = Int(range.lowerBound.flooredQuotient(by: RowTimes.day))
    let last = Int(range.upperBound.flooredQuotient(by: RowTimes.day))
    return countDays(in: first..<last) - count(on: first, before: range.lowerBound)
      + count(on: last, before: range.upperBound)
  }

  private func countDays(in range: Range<Int>) -> Int64 {
    guard !range.isEmpty else { return 0 }
    if row.cycleDays == 1 {
      let midnight = Int64(range.lowerBound) * RowTimes.day
      return Int64(days.count(in: range)) * row.count(in: midnight..<midnight + RowTimes.day)
    }
    var count: Int64 = 0
    // For a few days it is not worth it to count on all of a cycle.
    let counts = Int64(range.count) * 16 > row.cycle + row.cycleDays ? row.countsPerDay() : []
    days.forEachYear(in: range) { firstDay, days in
      let start = firstDay.flooredRemainder(by: Int(row.cycleDays))
      for day in days.ascending {
        if counts.isEmpty {
          let midnight = Int64(firstDay + day) * RowTimes.day
          count += row.count(in: midnight..<midnight + RowTimes.day)
        } else {
          count += Int64(counts[start + day])
        }
      }
    }
    return count
  }

  private func count(on day: Int, before end: Int64) -> Int64 {
    let midnight = Int64(day) * RowTimes.day
    guard end > midnight, days.contains(day) else { return 0 }
    return row.count(in: midnight..<end)
  }
}
