import CarillonModel

/// The readings of a rule of HOURLY or finer: every so many hours, minutes or seconds from the start, those that its days and
/// times of day allow.
///
/// INTERVAL is counted on the wall clock, over the ends of days, by arithmetic: between the allowed times and the row of
/// the interval the search goes to and fro, and each takes it as far as it can.
struct RunningTimes: WallReadings, Hashable {
  let days: RecurrenceDays
  /// The times of day at which an allowed hour, minute or second begins.
  let begins: TimesOfDay
  /// Seconds in an hour, a minute or a second: what the frequency counts.
  let width: Int64
  /// From one to the next, in seconds.
  let step: Int64
  /// Where one of them begins.
  let origin: Int64
  /// Seconds from the begin of each, ascending.
  let inside: [Int]
  /// Whether the row ever meets an allowed time of day.
  private let meets: Bool

  private static let day: Int64 = 86_400

  /// - Parameter parts: filled in with what the start says.
  init(_ parts: RecurrenceParts, start: Int64, days: RecurrenceDays) {
    self.days = days
    let hours = parts.hours.map { UnitSet($0) } ?? UnitSet(0...23)
    let minutes = parts.minutes.map { UnitSet($0) } ?? UnitSet(0...59)
    let seconds = parts.seconds.map { UnitSet($0) } ?? UnitSet(0...59)
    var inside = [0]
    switch parts.frequency {
    case .secondly:
      width = 1
      begins = .matching(hours: hours, minutes: minutes, seconds: seconds)
    case .minutely:
      width = 60
      begins = .matching(hours: hours, minutes: minutes, seconds: .zero)
      inside = seconds.numbers
    default:
      width = 3600
      begins = .matching(hours: hours, minutes: .zero, seconds: .zero)
      inside = minutes.numbers.flatMap { minute in seconds.numbers.map { minute * 60 + $0 } }
    }
    self.inside = parts.positions.map { RunningTimes.choose($0, from: inside) } ?? inside
    step = parts.interval * width
    origin = start - start.flooredRemainder(by: width)
    let common = Int64(greatestCommonDivisor(Int(step), Int(RunningTimes.day)))
    meets =
      RunningTimes.first(from: 0, in: begins, phase: origin.flooredRemainder(by: common), step: common) != nil
  }

  private static func choose(_ positions: [Int], from times: [Int]) -> [Int] {
    let places = positions.map { $0 > 0 ? $0 - 1 : times.count + $0 }
    return Set(places.filter(times.indices.contains)).sorted().map { times[$0] }
  }

  /// Whether INTERVAL alone is why nothing matches.
  var isOutOfStep: Bool { !meets }

  func first(from reading: Int64) -> Int64? {
    guard let least = inside.first, meets else { return nil }
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
    guard start < end, !inside.isEmpty, meets else { return 0 }
    let begins = start - start.flooredRemainder(by: width)..<end - end.flooredRemainder(by: width)
    return countBegins(in: begins) * Int64(inside.count)
      + countInside(begins.upperBound, before: end) - countInside(begins.lowerBound, before: start)
  }

  /// How many readings lie between a begin, where it is one, and a later time.
  private func countInside(_ begin: Int64, before end: Int64) -> Int64 {
    guard end > begin, firstBegin(from: begin) == begin else { return 0 }
    return Int64(inside.place(of: Int(end - begin)))
  }

  /// The first time of the row at or after another one.
  private func aligned(_ time: Int64) -> Int64 {
    time.addingSaturated((origin - time).flooredRemainder(by: step))
  }

  private func firstBegin(from start: Int64) -> Int64? {
    var time = aligned(start)
    let last = min(latestSecond, start.addingSaturated(cycle))
    while time <= last {
      let day = Int(time.flooredQuotient(by: RunningTimes.day))
      guard let found = days.first(from: day) else { return nil }
      let midnight = Int64(found) * RunningTimes.day
      guard found == day else {
        time = aligned(midnight)
        continue
      }
      let second = RunningTimes.first(from: time - midnight, in: begins, phase: time - midnight, step: step)
      if let second { return midnight + second }
      time = aligned(midnight + RunningTimes.day)
    }
    return nil
  }

  /// How long it takes until days of the calendar and times of the row come together as before.
  private var cycle: Int64 {
    let phases = step / Int64(greatestCommonDivisor(Int(step), Int(RunningTimes.day)))
    let calendar: Int64 = 146_097
    return (phases / Int64(greatestCommonDivisor(Int(phases), Int(calendar))))
      .multipliedSaturated(by: calendar * RunningTimes.day)
      .multipliedSaturated(by: Int64(days.cycleYears / 400))
  }

  /// The first allowed second of a day, at or after one, of a row that is `phase` + k · `step`.
  private static func first(from start: Int64, in times: TimesOfDay, phase: Int64, step: Int64) -> Int64? {
    var second = start + (phase - start).flooredRemainder(by: step)
    while second < day {
      guard let found = times.first(from: Int(second)) else { return nil }
      if Int64(found) == second { return second }
      second = Int64(found) + (phase - Int64(found)).flooredRemainder(by: step)
    }
    return nil
  }

  /// How many begins there are in a range that itself begins and ends with an hour, minute or second.
  private func countBegins(in range: Range<Int64>) -> Int64 {
    if step == width { return DayTimes(days: days, times: begins).count(in: range) }
    var counted = PhaseCounts(times: begins, width: width, step: step)
    let first = Int(range.lowerBound.flooredQuotient(by: RunningTimes.day))
    let last = Int(range.upperBound.flooredQuotient(by: RunningTimes.day))
    var count: Int64 = 0
    days.forEachYear(in: first..<last) { firstDay, days in
      var day = days.first(from: 0)
      while let current = day {
        let midnight = Int64(firstDay + current) * RunningTimes.day
        count += counted.count(phase: aligned(midnight) - midnight)
        day = days.first(from: current + 1)
      }
    }
    return count - countOfDay(first, before: range.lowerBound) + countOfDay(last, before: range.upperBound)
  }

  private func countOfDay(_ day: Int, before end: Int64) -> Int64 {
    let midnight = Int64(day) * RunningTimes.day
    guard end > midnight, days.first(from: day) == day else { return 0 }
    return PhaseCounts.count(begins, phase: aligned(midnight) - midnight, step: step, before: end - midnight)
  }
}

/// How many of a day's times a row meets, by the second of the day at which the row begins; each is counted once.
private struct PhaseCounts {
  let times: TimesOfDay
  let step: Int64
  private let isFull: Bool
  private var known: [Int64]

  init(times: TimesOfDay, width: Int64, step: Int64) {
    self.times = times
    self.step = step
    isFull = Int64(times.count) * width == 86_400
    // Longer steps are quick to count.
    known = step <= 3600 ? Array(repeating: -1, count: Int(step)) : []
  }

  mutating func count(phase: Int64) -> Int64 {
    guard phase < 86_400 else { return 0 }
    if isFull { return (86_399 - phase) / step + 1 }
    guard phase < known.count else {
      return PhaseCounts.count(times, phase: phase, step: step, before: 86_400)
    }
    if known[Int(phase)] < 0 {
      known[Int(phase)] = PhaseCounts.count(times, phase: phase, step: step, before: 86_400)
    }
    return known[Int(phase)]
  }

  static func count(_ times: TimesOfDay, phase: Int64, step: Int64, before end: Int64) -> Int64 {
    var count: Int64 = 0
    var second = phase
    while second < end {
      guard let found = times.first(from: Int(second)) else { break }
      if Int64(found) == second {
        count += 1
        second += step
      } else {
        second = Int64(found) + (phase - Int64(found)).flooredRemainder(by: step)
      }
    }
    return count
  }
}

extension Int64 {
  /// Rounded towards minus infinity, for positive divisors.
  func flooredQuotient(by divisor: Int64) -> Int64 { Int64(Int(self).flooredQuotient(by: Int(divisor))) }

  /// Never negative, for positive divisors.
  func flooredRemainder(by divisor: Int64) -> Int64 { Int64(Int(self).flooredRemainder(by: Int(divisor))) }
}
