import CarillonModel

/// The readings of a rule of HOURLY or finer: every so many hours, minutes or seconds from the start, those that its days and
/// times of day allow.
struct RunningTimes: WallReadings, Hashable {
  /// Where an allowed hour, minute or second begins.
  private enum Begins: Hashable {
    case all(DayTimes<RecurrenceDays>)
    /// INTERVAL is counted on the wall clock, over the ends of days.
    case row(RowTimes)
  }

  private let begins: Begins
  /// Seconds in an hour, a minute or a second: what the frequency counts.
  private let width: Int64
  /// Seconds from the begin of each, ascending.
  private let inside: [Int]

  /// - Parameter parts: filled in with what the start says.
  init(_ parts: RecurrenceParts, start: Int64, days: RecurrenceDays) {
    let hours = parts.hours.map { UnitSet($0) } ?? UnitSet(0...23)
    let minutes = parts.minutes.map { UnitSet($0) } ?? UnitSet(0...59)
    let seconds = parts.seconds.map { UnitSet($0) } ?? UnitSet(0...59)
    var inside = [0]
    let times: TimesOfDay
    switch parts.frequency {
    case .secondly:
      width = 1
      times = .matching(hours: hours, minutes: minutes, seconds: seconds)
    case .minutely:
      width = 60
      times = .matching(hours: hours, minutes: minutes, seconds: .zero)
      inside = seconds.numbers
    default:
      width = 3600
      times = .matching(hours: hours, minutes: .zero, seconds: .zero)
      inside = minutes.numbers.flatMap { minute in seconds.numbers.map { minute * 60 + $0 } }
    }
    self.inside =
      parts.positions.map { SetPositions($0).places(of: inside.count).map { inside[$0] } } ?? inside
    guard parts.interval > 1 else {
      begins = .all(DayTimes(days: days, times: times))
      return
    }
    let isFull = Int64(times.count) * width == 86_400
    let row = RunningRow(
      origin: start - start.flooredRemainder(by: width), step: parts.interval * width,
      times: isFull ? nil : times)
    begins = .row(RowTimes(days: days, row: row, hours: hours))
  }

  func first(from reading: Int64) -> Int64? {
    guard let least = inside.first else { return nil }
    let reading = max(reading, earliestSecond)
    let begin = reading - reading.flooredRemainder(by: width)
    guard let found = firstBegin(from: begin) else { return nil }
    if found > begin { return found + Int64(least) }
    let place = inside.place(of: Int(reading - begin))
    if place < inside.count { return begin + Int64(inside[place]) }
    return firstBegin(from: begin + width).map { $0 + Int64(least) }
  }

  func count(in range: Range<Int64>) -> Int64 {
    let start = max(range.lowerBound, earliestSecond)
    let end = min(range.upperBound, latestSecond + 1)
    guard start < end, !inside.isEmpty else { return 0 }
    let begins = start - start.flooredRemainder(by: width)..<end - end.flooredRemainder(by: width)
    return countBegins(in: begins) * Int64(inside.count)
      + countInside(begins.upperBound, before: end) - countInside(begins.lowerBound, before: start)
  }

  /// How many readings lie between a begin, where it is one, and a later time.
  private func countInside(_ begin: Int64, before end: Int64) -> Int64 {
    guard end > begin, countBegins(in: begin..<begin + 1) > 0 else { return 0 }
    return Int64(inside.place(of: Int(end - begin)))
  }

  private func firstBegin(from time: Int64) -> Int64? {
    switch begins {
    case .all(let times): times.first(from: time)
    case .row(let times): times.first(from: time)
    }
  }

  private func countBegins(in range: Range<Int64>) -> Int64 {
    switch begins {
    case .all(let times): times.count(in: range)
    case .row(let times): times.count(in: range)
    }
  }
}
