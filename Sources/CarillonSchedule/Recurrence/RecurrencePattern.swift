import CarillonModel

/// The readings that the text of a recurrence rule means, without regard to where it starts and ends.
enum RecurrencePattern: WallReadings, Hashable {
  /// DAILY and coarser: days, and the times of each. Where BYSETPOS chooses between the times of a day, each of those has
  /// days of its own.
  case days([Times])
  /// HOURLY and finer.
  case running(RunningTimes)

  struct Times: Hashable {
    var days: RecurrenceDays
    var times: TimesOfDay
  }

  /// - Parameters:
  ///   - parts: filled in with what the start says.
  ///   - start: where INTERVAL counts from.
  init(_ parts: RecurrenceParts, start: CivilTime) {
    guard parts.frequency >= .daily else {
      let days = RecurrenceDays(parts, origin: start.date, ranks: nil)
      self = .running(RunningTimes(parts, start: start.utc.seconds, days: days))
      return
    }
    guard let positions = parts.positions else {
      let times = TimesOfDay.matching(
        hours: UnitSet(parts.hours ?? []), minutes: UnitSet(parts.minutes ?? []),
        seconds: UnitSet(parts.seconds ?? []))
      self = .days([Times(days: RecurrenceDays(parts, origin: start.date, ranks: nil), times: times)])
      return
    }
    self = .days(
      RecurrencePattern.places(positions, parts).map { ranks, times in
        Times(days: RecurrenceDays(parts, origin: start.date, ranks: ranks), times: TimesOfDay(times))
      })
  }

  /// BYSETPOS counts the times of a period through all its days; a place is a day of the period and a time of that day.
  private static func places(
    _ positions: [Int], _ parts: RecurrenceParts
  ) -> [(RecurrenceDays.Ranks, [Int])] {
    func ascending(_ numbers: [Int]?) -> [Int] { Set(numbers ?? []).sorted() }
    let (hours, minutes, seconds) = (
      ascending(parts.hours), ascending(parts.minutes), ascending(parts.seconds)
    )
    let count = hours.count * minutes.count * seconds.count
    func time(_ place: Int) -> Int {
      let hour = hours[place / (minutes.count * seconds.count)]
      let minute = minutes[place / seconds.count % minutes.count]
      return (hour * 60 + minute) * 60 + seconds[place % seconds.count]
    }
    var ranks: [Int: RecurrenceDays.Ranks] = [:]
    for position in Set(positions).sorted() {
      let (rank, place) = (abs(position) - 1).quotientAndRemainder(dividingBy: count)
      if position > 0 {
        ranks[time(place), default: RecurrenceDays.Ranks()].fromStart.append(rank)
      } else {
        ranks[time(count - 1 - place), default: RecurrenceDays.Ranks()].fromEnd.append(rank)
      }
    }
    // Times that are chosen on the same days are looked for together.
    return Dictionary(grouping: ranks.keys.sorted()) { ranks[$0] ?? RecurrenceDays.Ranks() }
      .map { ($0.key, $0.value) }.sorted { $0.1[0] < $1.1[0] }
  }

  func first(from reading: Int64) -> Int64? {
    switch self {
    case .running(let times): return times.first(from: reading)
    case .days(let parts):
      var found: Int64?
      for part in parts {
        guard let first = DayTimes(days: part.days, times: part.times).first(from: reading) else { continue }
        found = min(found ?? first, first)
      }
      return found
    }
  }

  func count(in range: Range<Int64>) -> Int64 {
    switch self {
    case .running(let times): times.count(in: range)
    case .days(let parts):
      parts.reduce(0) { $0 + DayTimes(days: $1.days, times: $1.times).count(in: range) }
    }
  }
}
