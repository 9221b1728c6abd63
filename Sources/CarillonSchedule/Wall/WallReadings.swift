/// A set of readings of the wall clock, in whole seconds and without a zone: which readings a rule means.
///
/// A reading is written as the second of POSIX time at which a clock set to UTC would show it. What becomes of readings
/// that a zone's clocks skip or show twice is not the set's business but the engine's.
public protocol WallReadings: Sendable {
  /// The first reading of the set at or after another one; `nil` where there is none, or none that can be written.
  ///
  /// It must come to an end for every set, also for an empty one.
  func first(from reading: Int64) -> Int64?

  /// How many readings of the set lie within a range. It may not walk over what it counts: a clock that jumps by fifty
  /// years asks for tens of millions.
  func count(in range: Range<Int64>) -> Int64
}

/// A set of days of the calendar, as days since 1970-01-01.
public protocol DaySet: Sendable {
  /// The first day of the set at or after another one; `nil` where there is none, or none that can be written.
  func first(from day: Int) -> Int?

  /// How many days of the set lie within a range.
  func count(in range: Range<Int>) -> Int
}

extension DaySet {
  func contains(_ day: Int) -> Bool { count(in: day..<day + 1) > 0 }
}

/// The days that can be written: of the years 0001 to 9999.
public let writableDays: ClosedRange<Int> = -719_162...2_932_896
