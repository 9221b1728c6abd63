import CarillonModel

/// The readings of a rule of WEEKLY or coarser with BYSETPOS: of all times of each week, month or year, those that stand at
/// given places. A period is a row of its days, each with the same times; it is never laid out.
struct ChosenTimes: WallReadings, Hashable {
  let days: RecurrenceDays
  let times: TimesOfDay
  let positions: SetPositions
  /// How many times a day has.
  private let perDay: Int
  /// Whether no period is long enough for any of the positions.
  private let isNever: Bool

  init(days: RecurrenceDays, times: TimesOfDay, positions: SetPositions) {
    (self.days, self.times, self.positions) = (days, times, positions)
    perDay = times.count
    isNever = positions.least > days.mostInPeriod * perDay
  }

  func first(from reading: Int64) -> Int64? {
    guard !isNever else { return nil }
    let start = max(reading, earliestSecond)
    var day = Int(start.flooredQuotient(by: 86_400))
    var second = Int(start.flooredRemainder(by: 86_400))
    let limit = min(day + days.cycleDays, writableDays.upperBound)
    var search = DaySearch(days)
    while let found = search.first(from: day), found <= limit {
      let span = days.span(of: found)
      let passed = span.count(before: found) * perDay + (found == day ? times.count(before: second) : 0)
      if let place = positions.first(from: passed, of: span.days.count * perDay),
        let chosen = span.day(at: place / perDay), let time = times.time(at: place % perDay)
      {
        return Int64(chosen) * 86_400 + Int64(time)
      }
      (day, second) = (span.range.upperBound, 0)
    }
    return nil
  }

  func count(in range: Range<Int64>) -> Int64 {
    let start = max(range.lowerBound, earliestSecond)
    let end = min(range.upperBound, latestSecond + 1)
    guard start < end, !isNever, mayHold(start..<end) else { return 0 }
    let first = days.span(of: Int(start.flooredQuotient(by: 86_400)))
    let passed = place(of: start, in: first)
    if end <= Int64(first.range.upperBound) * 86_400 {
      return Int64(chosen(passed..<place(of: end, in: first), in: first))
    }
    let last = days.span(of: Int(end.flooredQuotient(by: 86_400)))
    // Periods have few different numbers of days.
    var known = [Int?](repeating: nil, count: days.mostInPeriod + 1)
    let whole = days.sum(ofPeriodsIn: first.range.lowerBound..<last.range.lowerBound) { count in
      if let count = known[count] { return count }
      let chosen = positions.count(before: count * perDay, of: count * perDay)
      known[count] = chosen
      return chosen
    }
    return Int64(whole - chosen(0..<passed, in: first) + chosen(0..<place(of: end, in: last), in: last))
  }

  /// Whether there are times of day, chosen or not, in a range, as far as it is within one day.
  private func mayHold(_ range: Range<Int64>) -> Bool {
    let start = range.lowerBound.flooredRemainder(by: 86_400)
    let end = start + range.upperBound - range.lowerBound
    return end > 86_400 || times.count(before: Int(end)) > times.count(before: Int(start))
  }

  /// How many times of a period, chosen or not, are before one that lies in it, or at its end.
  private func place(of reading: Int64, in span: RecurrenceDays.Span) -> Int {
    let day = Int(reading.flooredQuotient(by: 86_400))
    let second = Int(reading.flooredRemainder(by: 86_400))
    let passed = span.count(before: day)
    let today = second > 0 && span.count(before: day + 1) > passed ? times.count(before: second) : 0
    return passed * perDay + today
  }

  private func chosen(_ places: Range<Int>, in span: RecurrenceDays.Span) -> Int {
    guard !places.isEmpty else { return 0 }
    let count = span.days.count * perDay
    return positions.count(before: places.upperBound, of: count)
      - positions.count(before: places.lowerBound, of: count)
  }
}
