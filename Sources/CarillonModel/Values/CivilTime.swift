/// A reading of the calendar and the clock, without a zone: proleptic Gregorian, 24 hours a day, no leap seconds.
public struct CivilTime: Hashable, Sendable {
  public let date: CivilDate
  /// 0 to 23.
  public let hour: Int
  /// 0 to 59.
  public let minute: Int
  /// 0 to 59.
  public let second: Int
  /// 0 to 999.
  public let millisecond: Int

  /// `nil` for a time of day that no clock shows.
  public init?(_ date: CivilDate, hour: Int, minute: Int, second: Int = 0, millisecond: Int = 0) {
    guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second),
      (0...999).contains(millisecond)
    else { return nil }
    self.date = date
    (self.hour, self.minute, self.second, self.millisecond) = (hour, minute, second, millisecond)
  }

  /// What a clock set to UTC shows at that instant.
  public init(utc time: WallTime) {
    let (days, rest) = time.milliseconds.flooredDivision(by: CivilTime.millisecondsPerDay)
    let clock = Int(rest)
    date = CivilDate(daysSinceEpoch: Int(days))
    hour = clock / 3_600_000
    minute = clock / 60_000 % 60
    second = clock / 1000 % 60
    millisecond = clock % 1000
  }

  /// The instant at which a clock set to UTC shows this; stops at the ends of the axis.
  public var utc: WallTime {
    // Counted from the midnight that is nearer to the epoch: the other one may lie beyond the end of the axis.
    var days = Int64(date.daysSinceEpoch)
    var rest = Int64(millisecondOfDay)
    if days < 0 {
      days += 1
      rest -= CivilTime.millisecondsPerDay
    }
    return WallTime(
      milliseconds: days.multipliedSaturated(by: CivilTime.millisecondsPerDay).addingSaturated(rest))
  }

  /// Milliseconds since midnight.
  public var millisecondOfDay: Int {
    ((hour * 60 + minute) * 60 + second) * 1000 + millisecond
  }

  private static let millisecondsPerDay: Int64 = 86_400_000
}

extension CivilTime: Comparable {
  public static func < (left: CivilTime, right: CivilTime) -> Bool {
    (left.date, left.millisecondOfDay) < (right.date, right.millisecondOfDay)
  }
}

extension CivilTime: CustomStringConvertible {
  /// `2026-12-24T18:00:00`, with milliseconds where there are any.
  public var description: String {
    var text = ASCIIWriter()
    text.reading(self, milliseconds: millisecond != 0)
    return text.text
  }
}
