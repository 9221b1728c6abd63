import CarillonModel

/// A row of times with the same distance, and which of them fall on allowed times of day. It has no begin and no end; each
/// has a number, 0 at the origin.
///
/// After a number of steps the row comes to the same times of day again, so it is looked through once, and what is asked of
/// any stretch of it is found by arithmetic.
struct RunningRow: Hashable {
  /// In seconds.
  let origin: Int64
  let step: Int64
  /// After so many steps, and so many days, the times of day are the same again.
  let cycle: Int64
  let cycleDays: Int64
  /// The numbers within the first cycle whose time of day is allowed, ascending; `nil` where all are.
  fileprivate let allowed: [Int]?

  private static let day: Int64 = 86_400

  /// - Parameter times: the allowed times of day; `nil` where all times of the row are.
  init(origin: Int64, step: Int64, times: TimesOfDay?) {
    self.origin = origin
    self.step = step
    let common = Int64(greatestCommonDivisor(Int(step), Int(RunningRow.day)))
    cycle = RunningRow.day / common
    cycleDays = step / common
    allowed = times.map {
      RunningRow.allowed(
        $0, from: Int(origin.flooredRemainder(by: RunningRow.day)), step: Int(step % RunningRow.day),
        cycle: Int(RunningRow.day / common))
    }
  }

  /// Only the time of day counts here: steps of more than a day are like their rest.
  private static func allowed(_ times: TimesOfDay, from start: Int, step: Int, cycle: Int) -> [Int] {
    guard step > 0 else { return times.first(from: start) == start ? [0] : [] }
    var found: [Int] = []
    var (number, second) = (0, start)
    while number < cycle {
      let next = times.first(from: second) ?? TimesOfDay.day
      var steps = 1
      if next == second { found.append(number) } else { steps = (next - second + step - 1) / step }
      number += steps
      second += steps * step
      if second >= TimesOfDay.day { second -= TimesOfDay.day }
    }
    return found
  }

  func time(_ number: Int64) -> Int64 { origin + number * step }

  /// The number of the first time at or after another one.
  func number(from time: Int64) -> Int64 { -(origin - time).flooredQuotient(by: step) }

  /// The first allowed one at or after a number.
  func firstAllowed(from number: Int64) -> Int64? {
    guard let allowed else { return number }
    guard let least = allowed.first else { return nil }
    let start = number - number.flooredRemainder(by: cycle)
    let place = allowed.place(of: Int(number - start))
    return start + (place < allowed.count ? Int64(allowed[place]) : cycle + Int64(least))
  }

  /// Goes from one allowed time to the next, which takes less than to look for each.
  struct Walk {
    private let row: RunningRow
    /// The begin of the cycle, and the place of the time among the allowed ones of it.
    private var start: Int64
    private var place: Int

    fileprivate init(_ row: RunningRow, from number: Int64) {
      self.row = row
      let offset = number.flooredRemainder(by: row.cycle)
      start = row.time(number - offset)
      place = row.allowed?.place(of: Int(offset)) ?? Int(offset)
      if place == row.countPerCycle { enterNextCycle() }
    }

    /// Where it is; `nil` where no time is allowed.
    var time: Int64? {
      row.countPerCycle > 0 ? start + Int64(row.allowed?[place] ?? place) * row.step : nil
    }

    mutating func step() {
      place += 1
      if place == row.countPerCycle { enterNextCycle() }
    }

    private mutating func enterNextCycle() {
      place = 0
      start += row.cycle * row.step
    }
  }

  /// From the first allowed time at or after another one.
  func walk(from time: Int64) -> Walk { Walk(self, from: number(from: time)) }

  private var countPerCycle: Int { allowed?.count ?? Int(cycle) }

  /// How many are allowed of a range of times.
  func count(in range: Range<Int64>) -> Int64 {
    countAllowed(before: number(from: range.upperBound))
      - countAllowed(before: number(from: range.lowerBound))
  }

  /// How many are allowed from 0 to before a number; negative before 0.
  private func countAllowed(before number: Int64) -> Int64 {
    guard let allowed else { return number }
    let cycles = number.flooredQuotient(by: cycle)
    return cycles * Int64(allowed.count) + Int64(allowed.place(of: Int(number - cycles * cycle)))
  }

  /// How many are allowed on each day of a cycle, by the days since 1970-01-01, and on as many days more as a year has at
  /// most.
  func countsPerDay() -> [Int32] {
    let length = Int(cycleDays)
    var counts = [Int32](repeating: 0, count: length + 366)
    let start = Int(origin.flooredQuotient(by: RunningRow.day))
    let shift = start.flooredRemainder(by: length) - start
    func count(_ number: Int) {
      let day = Int(time(Int64(number)).flooredQuotient(by: RunningRow.day)) + shift
      counts[day < length ? day : day - length] += 1
    }
    if let allowed { allowed.forEach(count) } else { (0..<Int(cycle)).forEach(count) }
    for day in length..<length + 366 { counts[day] = counts[day - length] }
    return counts
  }
}
