/// The components of a `calendar` trigger (protocol §3): what the wall clock must show. Each is a set of values, ascending
/// and without repetition; `nil` where it was not given. At least one is given.
public struct CalendarComponents: Hashable, Sendable {
  public internal(set) var years: [Int]?
  public internal(set) var months: [Int]?
  public internal(set) var days: [Int]?
  public internal(set) var hours: [Int]?
  public internal(set) var minutes: [Int]?
  public internal(set) var seconds: [Int]?
  public internal(set) var weekdays: [Weekday]?
  /// Which of the weekdays of its kind in the month: 1 to 5 from its start, -1 to -5 from its end. Only with `weekdays`, and
  /// it counts each of them by itself.
  public internal(set) var nths: [Int]?

  init() {}

  /// The components by the names of their fields.
  enum Name: String, CaseIterable {
    case year, month, day, hour, minute, second, weekday, nth

    /// The values that it takes. Years are those that can be written.
    var range: ClosedRange<Int> {
      switch self {
      case .year: 1...9999
      case .month: 1...12
      case .day: 1...31
      case .hour: 0...23
      case .minute, .second: 0...59
      case .weekday: 1...7
      case .nth: -5...5
      }
    }
  }

  /// A list of a component's values becomes that component.
  mutating func set(_ name: Name, _ numbers: [Int]) {
    let values = Set(numbers).sorted()
    switch name {
    case .year: years = values
    case .month: months = values
    case .day: days = values
    case .hour: hours = values
    case .minute: minutes = values
    case .second: seconds = values
    case .weekday: weekdays = values.compactMap(Weekday.init(rawValue:))
    case .nth: nths = values
    }
  }

  /// The value of a component by its number, or why it is none.
  static func check(_ name: Name, _ number: Int64) -> Result<Int, ComponentFault> {
    if name == .weekday { return .failure(.numberedWeekday) }
    if name == .nth, number == 0 { return .failure(ComponentFault("there is no 0th weekday of a month")) }
    guard let value = Int(exactly: number), name.range.contains(value) else {
      let hint = name == .day && number < 0 ? "; the last day of a month is an rrule with BYMONTHDAY=-1" : ""
      return .failure(
        ComponentFault(
          "\(name.rawValue) \(number) is not within \(name.range.lowerBound) to \(name.range.upperBound)\(hint)"
        ))
    }
    return .success(value)
  }

  /// The value of a component by its text: digits, or the name of a weekday.
  static func check(_ name: Name, _ text: String) -> Result<Int, ComponentFault> {
    guard name != .weekday else {
      if let weekday = Weekday(name: text) { return .success(weekday.rawValue) }
      if Int64(text) != nil { return .failure(.numberedWeekday) }
      let near = nearest(to: text, among: Weekday.names).map { "; did you mean \($0)?" } ?? ""
      return .failure(
        ComponentFault("\"\(printable(text))\" is not a weekday: mon tue wed thu fri sat sun\(near)"))
    }
    let isNumber = text.utf8.count <= 18 && text.utf8.allSatisfy { $0 != UInt8(ascii: "+") }
    guard isNumber, let number = Int64(text) else {
      return .failure(ComponentFault("\(name.rawValue) is a whole number, not \"\(printable(text))\""))
    }
    return check(name, number)
  }
}

/// What is wrong with a component, without its place.
struct ComponentFault: Error, Hashable {
  var message: String

  init(_ message: String) { self.message = message }

  static let numberedWeekday = ComponentFault(
    "weekdays are names (mon tue wed thu fri sat sun): their numbers mean three different days in cron, ISO 8601 and Apple's calendars"
  )
  static let nothingGiven = ComponentFault(
    "a calendar needs at least one of year, month, day, hour, minute, second, weekday")
  static let nthAlone = ComponentFault("nth counts weekdays, so it needs weekday beside it")
}

extension Weekday {
  /// By its English name or the first three letters of it, in any case.
  public init?(name: String) {
    let written = name.lowercased()
    guard let place = Weekday.names.firstIndex(where: { written == $0 || written == $0.prefix(3) }) else {
      return nil
    }
    self = Weekday.allCases[place]
  }

  static let names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

  /// The first three letters of its English name, as publishers write it.
  public var shortName: String { String(Weekday.names[rawValue - 1].prefix(3)) }
}
