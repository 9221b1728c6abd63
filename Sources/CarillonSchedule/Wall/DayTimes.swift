import CarillonModel

/// The readings of a rule that has the same times on each of its days.
public struct DayTimes<Days: DaySet>: WallReadings {
  public let days: Days
  public let times: TimesOfDay

  public init(days: Days, times: TimesOfDay) {
    self.days = days
    self.times = times
  }

  public func first(from reading: Int64) -> Int64? {
    guard let (day, second) = DayTimes.split(reading) else { return nil }
    guard let found = days.first(from: day) else { return nil }
    if found == day, let time = times.first(from: second) { return DayTimes.reading(day, time) }
    let later = found == day ? days.first(from: day + 1) : found
    guard let later, let time = times.first(from: 0) else { return nil }
    return DayTimes.reading(later, time)
  }

  public func count(in range: Range<Int64>) -> Int64 {
    guard !range.isEmpty, let (startDay, startSecond) = DayTimes.split(range.lowerBound) else { return 0 }
    let (endDay, endSecond) = DayTimes.split(range.upperBound) ?? (writableDays.upperBound + 1, 0)
    guard startDay <= endDay else { return 0 }
    guard startDay < endDay else {
      // Which times there are is easier to say than which days.
      let count = times.count(before: endSecond) - times.count(before: startSecond)
      return count > 0 && days.contains(startDay) ? Int64(count) : 0
    }
    var count = Int64(days.count(in: startDay..<endDay)) * Int64(times.count)
    if startSecond > 0, days.contains(startDay) {
      count -= Int64(times.count(before: startSecond))
    }
    if endSecond > 0, days.contains(endDay) { count += Int64(times.count(before: endSecond)) }
    return count
  }

  /// The day and the second of the day; `nil` beyond the last day that can be written, the first day before the first.
  private static func split(_ reading: Int64) -> (day: Int, second: Int)? {
    let first = Int64(writableDays.lowerBound) * 86_400
    guard reading > first else { return (writableDays.lowerBound, 0) }
    guard reading < Int64(writableDays.upperBound + 1) * 86_400 else { return nil }
    let (day, second) = (reading - first).quotientAndRemainder(dividingBy: 86_400)
    return (Int(day) + writableDays.lowerBound, Int(second))
  }

  private static func reading(_ day: Int, _ second: Int) -> Int64 {
    Int64(day) * 86_400 + Int64(second)
  }
}

extension DayTimes: Equatable where Days: Equatable {}
extension DayTimes: Hashable where Days: Hashable {}
