/// An instant on the wall clock: milliseconds of POSIX time, which counts no leap seconds.
public struct WallTime: Hashable, Comparable, Sendable {
  /// Since 1970-01-01T00:00:00Z.
  public var milliseconds: Int64

  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// Whole seconds of POSIX time; stops at the ends of the axis.
  public init(seconds: Int64) {
    milliseconds = seconds.multipliedSaturated(by: 1000)
  }

  /// Whole seconds of POSIX time, rounded towards the past.
  public var seconds: Int64 { milliseconds.flooredDivision(by: 1000).quotient }

  /// The instants that can be written: the years 0001 to 9999 in UTC, which is what RFC 3339's four digits hold.
  public static let writable =
    WallTime(milliseconds: -62_135_596_800_000)...WallTime(milliseconds: 253_402_300_799_999)

  public static func < (left: WallTime, right: WallTime) -> Bool {
    left.milliseconds < right.milliseconds
  }

  /// The instant that much later; stops at the end of the axis.
  public static func + (time: WallTime, duration: Duration) -> WallTime {
    WallTime(milliseconds: time.milliseconds.addingSaturated(duration.milliseconds))
  }

  /// The instant that much earlier; stops at the end of the axis.
  public static func - (time: WallTime, duration: Duration) -> WallTime {
    WallTime(milliseconds: time.milliseconds.subtractingSaturated(duration.milliseconds))
  }

  /// The time from `right` to `left`.
  public static func - (left: WallTime, right: WallTime) -> Duration {
    .milliseconds(left.milliseconds.subtractingSaturated(right.milliseconds))
  }
}

extension WallTime: CustomStringConvertible {
  public var description: String { timestamp(utc: self) }
}
