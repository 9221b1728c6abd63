extension Trigger {
  /// The largest `offset` either way: beyond it another day's sun is meant.
  public static let longestOffset: Duration = .seconds(86_400)

  /// The `offset` of a sun trigger: a duration with or without a sign; zero where it is not given.
  static func readOffset(_ fields: Fields) throws(Refusal) -> Duration {
    guard let value = fields["offset"] else { return .zero }
    let (isNegative, magnitude) = try parts(of: value, fields)
    let offset = try Duration.read(magnitude, at: fields.place("offset"), zero: true)
    guard offset <= longestOffset else {
      throw fields.refusal("offset", "an offset is at most 24h, before or after")
    }
    return isNegative ? .zero - offset : offset
  }

  /// The sign of an offset, and what is left as a duration.
  private static func parts(of value: JSON, _ fields: Fields) throws(Refusal) -> (Bool, JSON) {
    switch value {
    case .integer(let seconds): return (seconds < 0, .number(Double(seconds).magnitude))
    case .number(let seconds): return (seconds < 0, .number(seconds.magnitude))
    case .string(let text):
      let isSigned = text.utf8.first == UInt8(ascii: "-") || text.utf8.first == UInt8(ascii: "+")
      let rest = isSigned ? String(decoding: text.utf8.dropFirst(), as: UTF8.self) : text
      guard rest.utf8.first != UInt8(ascii: "-") else {
        throw fields.refusal("offset", "\"\(printable(text))\" has two signs; write \"-30m\" or \"+30m\"")
      }
      return (text.utf8.first == UInt8(ascii: "-"), .string(rest))
    default:
      throw fields.refusal("offset", "expected a duration such as \"-30m\", got \(value.kind)")
    }
  }

  /// The `weekday` of a sun trigger: a name, or a list of names.
  static func readWeekdays(_ fields: Fields) throws(Refusal) -> [Weekday]? {
    guard let value = fields["weekday"] else { return nil }
    let numbers = try CalendarComponents.numbers(.weekday, value, at: fields.place("weekday"))
    return Set(numbers).sorted().compactMap(Weekday.init(rawValue:))
  }
}
