import CarillonModel

/// The readings that the text of a recurrence rule means, without regard to where it starts and ends.
enum RecurrencePattern: WallReadings, Hashable {
  /// DAILY and coarser: days that all have the same times.
  case days(DayTimes<RecurrenceDays>)
  /// The same with BYSETPOS, which chooses from the times of a week, a month or a year.
  case chosen(ChosenTimes)
  /// HOURLY and finer.
  case running(RunningTimes)

  /// - Parameters:
  ///   - parts: filled in with what the start says.
  ///   - start: where INTERVAL counts from.
  init(_ parts: RecurrenceParts, start: CivilTime) {
    let days = RecurrenceDays(parts, origin: start.date)
    guard parts.frequency >= .daily else {
      self = .running(RunningTimes(parts, start: start.utc.seconds, days: days))
      return
    }
    let times = TimesOfDay.matching(
      hours: UnitSet(parts.hours ?? []), minutes: UnitSet(parts.minutes ?? []),
      seconds: UnitSet(parts.seconds ?? []))
    guard let positions = parts.positions.map(SetPositions.init) else {
      self = .days(DayTimes(days: days, times: times))
      return
    }
    guard parts.frequency > .daily else {
      // Every day is a period of its own, so the same of its times are chosen each day.
      let chosen = positions.places(of: times.count).compactMap(times.time)
      self = .days(DayTimes(days: days, times: .listed(chosen)))
      return
    }
    self = .chosen(ChosenTimes(days: days, times: times, positions: positions))
  }

  func first(from reading: Int64) -> Int64? {
    switch self {
    case .days(let times): times.first(from: reading)
    case .chosen(let times): times.first(from: reading)
    case .running(let times): times.first(from: reading)
    }
  }

  func count(in range: Range<Int64>) -> Int64 {
    switch self {
    case .days(let times): times.count(in: range)
    case .chosen(let times): times.count(in: range)
    case .running(let times): times.count(in: range)
    }
  }
}
