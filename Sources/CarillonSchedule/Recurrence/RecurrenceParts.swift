import CarillonModel

/// The parts of a recurrence rule's text (RFC 5545, section 3.3.10), as they are written: nothing is filled in from a
/// start, and lists are as long as the text's.
struct RecurrenceParts: Hashable, Sendable {
  /// FREQ, from the finest.
  enum Frequency: Int, CaseIterable, Comparable {
    case secondly, minutely, hourly, daily, weekly, monthly, yearly

    static func < (left: Frequency, right: Frequency) -> Bool { left.rawValue < right.rawValue }

    /// As RFC 5545 writes it.
    var name: String { "\(self)".uppercased() }
  }

  /// UNTIL, which is inclusive.
  enum Limit: Hashable {
    /// A reading of the clock, as in `WallReadings`.
    case reading(Int64)
    case instant(WallTime)
  }

  /// An element of BYDAY: every such weekday, or the nth of the month or year, counted from its end where negative.
  struct Day: Hashable {
    /// 0: every one.
    var nth: Int
    var weekday: Weekday
  }

  var frequency = Frequency.yearly
  var interval: Int64 = 1
  var count: Int64?
  var until: Limit?
  var months: [Int]?
  var weekNumbers: [Int]?
  var yearDays: [Int]?
  var monthDays: [Int]?
  var days: [Day]?
  var hours: [Int]?
  var minutes: [Int]?
  var seconds: [Int]?
  var positions: [Int]?
  var weekStart = Weekday.monday

  /// Every element of a list once, so that no list is longer than what it names.
  func withoutRepetitions() -> RecurrenceParts {
    func once<Element: Hashable>(_ list: [Element]) -> [Element] {
      var seen: Set<Element> = []
      return list.count < 2 ? list : list.filter { seen.insert($0).inserted }
    }
    var parts = self
    parts.months = months.map(once)
    parts.weekNumbers = weekNumbers.map(once)
    parts.yearDays = yearDays.map(once)
    parts.monthDays = monthDays.map(once)
    parts.days = days.map(once)
    parts.positions = positions.map(once)
    return parts
  }
}

/// The names of the parts.
enum RecurrencePart: String, CaseIterable {
  case frequency = "FREQ"
  case until = "UNTIL"
  case count = "COUNT"
  case interval = "INTERVAL"
  case seconds = "BYSECOND"
  case minutes = "BYMINUTE"
  case hours = "BYHOUR"
  case days = "BYDAY"
  case monthDays = "BYMONTHDAY"
  case yearDays = "BYYEARDAY"
  case weekNumbers = "BYWEEKNO"
  case months = "BYMONTH"
  case positions = "BYSETPOS"
  case weekStart = "WKST"

  /// What the numbers of a list are called, and which there are; `nil` for parts that are no list of numbers. The numbers of
  /// days, weeks and positions count from the end where they are negative.
  var numbers: (name: String, range: ClosedRange<Int>, isSigned: Bool)? {
    switch self {
    case .seconds: ("second", 0...59, false)
    case .minutes: ("minute", 0...59, false)
    case .hours: ("hour", 0...23, false)
    case .monthDays: ("day of the month", 1...31, true)
    case .yearDays: ("day of the year", 1...366, true)
    case .weekNumbers: ("week number", 1...53, true)
    case .months: ("month", 1...12, false)
    case .positions: ("position", 1...366, true)
    default: nil
    }
  }

  /// Whether it chooses among times, as BYSETPOS needs another one to do.
  var chooses: Bool { self != .positions && (numbers != nil || self == .days) }
}
