extension Duration {
  /// The longest duration that is taken, 100 years of 365.25 days. Longer ones are slips of the unit.
  public static let longestWritten: Duration = .seconds(3_155_760_000)

  /// Reads a duration as publishers write it (protocol §3): a number of seconds, also as text; `90s`, `30m`, `1h30m`,
  /// `2d`, `1w`; `H:MM:SS`; ISO 8601 without years and months. The last part may have a fraction; the result is rounded
  /// to the millisecond, and a day is 24 hours.
  ///
  /// - Parameters:
  ///   - path: the place that a refusal names.
  ///   - zero: whether zero is a duration here; default false.
  /// - Throws: `invalid` for everything else, for negative ones and for more than 100 years.
  public static func read(_ value: JSON, at path: String, zero: Bool = false) throws(Refusal) -> Duration {
    do throws(Refusal) {
      switch value {
      case .integer(let seconds): return try Duration(seconds: Double(seconds), allowingZero: zero)
      case .number(let seconds): return try Duration(seconds: seconds, allowingZero: zero)
      case .string(let text): return try Duration(parsing: text, allowingZero: zero)
      default: throw DurationText.refusal("expected a duration (\(DurationText.forms)), got \(value.kind)")
      }
    } catch { throw error.below(path) }
  }

  /// Reads a duration from a text, as an option of the command line gives it.
  ///
  /// - Throws: `invalid`, without a place.
  public init(parsing text: String, allowingZero: Bool = false) throws(Refusal) {
    if let seconds = numericText(text) {
      try self.init(seconds: seconds, allowingZero: allowingZero)
      return
    }
    if text.hasPrefix("-"), (try? DurationText.milliseconds(String(text.dropFirst()))) != nil {
      throw DurationText.negative
    }
    try self.init(bounded: try DurationText.milliseconds(text), allowingZero: allowingZero)
  }

  private init(seconds: Double, allowingZero: Bool) throws(Refusal) {
    guard !seconds.isNaN else { throw DurationText.refusal("a duration must be a number") }
    guard seconds >= 0 else { throw DurationText.negative }
    // Compared before it is converted: the conversion of a large number would trap.
    guard seconds <= Double(DurationText.limit) / 1000 else { throw DurationText.tooLong }
    try self.init(bounded: Int64((seconds * 1000).rounded()), allowingZero: allowingZero)
  }

  private init(bounded milliseconds: Int64, allowingZero: Bool) throws(Refusal) {
    guard milliseconds <= DurationText.limit else { throw DurationText.tooLong }
    guard milliseconds > 0 || allowingZero else {
      throw DurationText.refusal("a duration here must be longer than zero (the smallest is 0.001 s)")
    }
    self = .milliseconds(milliseconds)
  }
}

/// The grammars of a duration other than a bare number.
private enum DurationText {
  static let limit = Duration.longestWritten.milliseconds
  static let forms = "seconds, or a text such as \"90s\", \"1h30m\", \"0:01:30\" or \"PT30M\""
  static let negative = refusal("a duration cannot be negative")
  static let tooLong = refusal("a duration cannot be longer than 100 years")

  static func refusal(_ message: String) -> Refusal { Refusal(.invalid, message) }

  /// The milliseconds of a text; at least `limit + 1` where it is too long.
  static func milliseconds(_ text: String) throws(Refusal) -> Int64 {
    var scanner = TextScanner(text)
    let found: Int64?
    if scanner.take("P") != nil {
      found = try isoParts(&scanner)
    } else if scanner.bytes.contains(UInt8(ascii: ":")) {
      found = clock(&scanner)
    } else {
      found = parts(&scanner, [("w", 604_800), ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)])
    }
    guard let found, scanner.isAtEnd else {
      throw refusal("\"\(printable(text))\" is not a duration; write \(forms)")
    }
    return found
  }

  /// `P[nW][nD][T[nH][nM][nS]]`. Years and months are refused with the reason: their length depends on the date.
  private static func isoParts(_ scanner: inout TextScanner) throws(Refusal) -> Int64? {
    let timeMark = scanner.bytes.firstIndex(of: UInt8(ascii: "T")) ?? scanner.bytes.count
    let date = scanner.bytes[..<timeMark]
    if date.contains(UInt8(ascii: "Y")) || date.contains(UInt8(ascii: "M")) {
      throw refusal("years and months have no fixed length; write days, as in \"P30D\"")
    }
    var total: Int64 = 0
    if scanner.next != UInt8(ascii: "T") {
      guard let days = parts(&scanner, [("W", 604_800), ("D", 86_400)]) else { return nil }
      total = days
    }
    guard scanner.take("T") != nil else { return total }
    guard let time = parts(&scanner, [("H", 3600), ("M", 60), ("S", 1)]) else { return nil }
    return total.addingSaturated(time)
  }

  /// One or more amounts with their units, the larger first and each at most once; a fraction ends them.
  private static func parts(
    _ scanner: inout TextScanner, _ units: [(letter: Unicode.Scalar, seconds: Int64)]
  ) -> Int64? {
    var total: Int64 = 0
    var remaining = units[...]
    var fraction: ArraySlice<UInt8> = []
    repeat {
      let whole = scanner.digits()
      guard !whole.isEmpty else { return nil }
      if scanner.take(".", ",") != nil {
        fraction = scanner.digits()
        guard !fraction.isEmpty else { return nil }
      }
      guard let unit = remaining.firstIndex(where: { UInt8(ascii: $0.letter) == scanner.next }) else {
        return nil
      }
      scanner.position += 1
      total = total.addingSaturated(amount(whole, fraction, of: remaining[unit].seconds))
      remaining = remaining[(unit + 1)...]
    } while fraction.isEmpty && !scanner.isAtEnd && scanner.next != UInt8(ascii: "T")
    return total
  }

  /// `H:MM:SS`, with a fraction of a second.
  private static func clock(_ scanner: inout TextScanner) -> Int64? {
    let hours = scanner.digits()
    guard !hours.isEmpty, scanner.take(":") != nil, let minutes = scanner.number(digits: 2), minutes < 60,
      scanner.take(":") != nil
    else { return nil }
    let seconds = scanner.digits()
    guard seconds.count == 2, TextScanner.value(of: seconds, limit: 60) < 60 else { return nil }
    var fraction: ArraySlice<UInt8> = []
    if scanner.take(".") != nil {
      fraction = scanner.digits()
      guard !fraction.isEmpty else { return nil }
    }
    return amount(hours, [], of: 3600).addingSaturated(Int64(minutes) * 60_000)
      .addingSaturated(amount(seconds, fraction, of: 1))
  }

  /// Milliseconds, the nearest; nine places of a fraction count.
  private static func amount(
    _ whole: ArraySlice<UInt8>, _ fraction: ArraySlice<UInt8>, of seconds: Int64
  ) -> Int64 {
    let billionths = TextScanner.fraction(fraction, places: 9) * seconds
    return TextScanner.value(of: whole, limit: limit + 1).multipliedSaturated(by: seconds * 1000)
      .addingSaturated((billionths + 500_000) / 1_000_000)
  }
}
