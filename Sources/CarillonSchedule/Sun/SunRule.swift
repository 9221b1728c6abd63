import CarillonModel
import CarillonTime

/// `sun`: when the sun rises, sets, stands highest, or is 6° under the horizon, at one place (protocol §3).
///
/// A weekday is that of the day's noon, in the request's zone: the sunset of a Friday in June is Friday's, also where the
/// sun sets after midnight. On days without it, in polar day and night, there is no occurrence, and nothing is wrong.
public struct SunRule: WallRule, Hashable {
  public let event: SunEvent
  public let location: SunLocation
  /// Added to the sun's time; negative: before it.
  public let offset: Duration
  private let weekdays: UnitSet
  private let times: SunTimes

  /// How many days are looked through for the next one: every day of the sun's year.
  static let longestSearch = 366
  /// The largest offset either way; with it, firings still belong to a day of their own.
  public static let longestOffset: Duration = .seconds(86_400)

  /// - Parameters:
  ///   - offset: default none.
  ///   - weekdays: the days on which it counts; default every day.
  /// - Throws: `invalid` at `offset`, for one of more than a day.
  public init(
    _ event: SunEvent, at location: SunLocation, offset: Duration = .zero, weekdays: Set<Weekday>? = nil
  ) throws(Refusal) {
    guard abs(offset.milliseconds) <= SunRule.longestOffset.milliseconds else {
      throw Refusal(.invalid, at: "offset", "an offset from the sun's time is at most 24 hours")
    }
    self.event = event
    self.location = location
    self.offset = offset
    self.weekdays = weekdays.map { UnitSet($0.map(\.rawValue)) } ?? .allWeekdays
    times = SunTimes(event: event, location: location)
  }

  public var whyNever: String? {
    if weekdays.isEmpty { return "there is no weekday on which it may happen" }
    if (0..<SunRule.longestSearch).contains(where: times.happens) { return nil }
    return "there is no \(event.rawValue) at latitude \(location.latitude) on any day of the year"
  }

  /// When it happens on a day of the zone, without the offset and on whatever weekday; `nil` where it does not.
  public func time(on date: CivilDate, in zone: Zone) -> WallTime? {
    let day = date.daysSinceEpoch
    // The date line, and clocks that are far from the sun.
    return (day - 2...day + 2).first { self.date($0, in: zone) == date }.flatMap(times.instant)
  }

  /// The first firing after an instant; `nil` where none comes within a year.
  public func next(after time: WallTime, in zone: Zone) -> WallTime? {
    let time = max(time, WallTime.writable.lowerBound - .milliseconds(1))
    // What comes after noon is at most half a day after it, and minutes for the equation of time.
    let first = times.day(of: SunRule.clamped(time) - offset) - 1
    for day in first...first + SunRule.longestSearch + 2 where matches(day, in: zone) {
      guard mayBe(day, after: time), let found = times.instant(day) else { continue }
      let firing = found + offset
      if firing > time { return WallTime.writable.contains(firing) ? firing : nil }
    }
    return nil
  }

  public func count(after start: WallTime, through end: WallTime, in zone: Zone) -> Int64 {
    let (start, end) = (SunRule.clamped(start), SunRule.clamped(end))
    guard start < end else { return 0 }
    let (first, last) = (times.day(of: start - offset) - 1, times.day(of: end - offset) + 1)
    var count: Int64 = 0
    for day in first...last where matches(day, in: zone) {
      // Only near the ends does the minute matter.
      if day > first + 2, day < last - 2 {
        count += 1
      } else if let found = times.instant(day), found + offset > start, found + offset <= end {
        count += 1
      }
    }
    return count
  }

  /// Whether the firing of a day can be later than an instant: none is more than half a day and an hour after noon.
  private func mayBe(_ day: Int, after time: WallTime) -> Bool {
    let latest: Int64 = event.side < 0 ? 3600 : event.side > 0 ? 13 * 3600 : 60
    return times.roughNoon(day) + .seconds(latest) + offset > time
  }

  private func matches(_ day: Int, in zone: Zone) -> Bool {
    guard weekdays == .allWeekdays || weekdays.contains(date(day, in: zone).weekday.rawValue) else {
      return false
    }
    return times.happens(day)
  }

  /// The date of a day's noon.
  private func date(_ day: Int, in zone: Zone) -> CivilDate { zone.reading(at: times.roughNoon(day)).date }

  /// The formulae are made for the years that can be written.
  private static func clamped(_ time: WallTime) -> WallTime {
    min(max(time, WallTime.writable.lowerBound), WallTime.writable.upperBound)
  }
}
