/// A day of the week, numbered as in ISO 8601: Monday is 1. The numbers are for arithmetic inside the program;
/// publishers write names, because a number means three different things to cron, ISO and Apple.
public enum Weekday: Int, CaseIterable, Hashable, Comparable, Sendable {
  case monday = 1
  case tuesday
  case wednesday
  case thursday
  case friday
  case saturday
  case sunday

  public static func < (left: Weekday, right: Weekday) -> Bool { left.rawValue < right.rawValue }
}
