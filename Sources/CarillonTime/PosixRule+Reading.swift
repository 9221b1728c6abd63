extension PosixRule {
  /// Reads a rule such as `CET-1CEST,M3.5.0,M10.5.0/3`; `nil` where it is none.
  init?(_ text: some Sequence<UInt8>) {
    var scanner = RuleScanner(bytes: Array(text))
    guard let name = scanner.name(), let west = scanner.time(limit: 24) else { return nil }
    standard = Zone.Offset(seconds: Int(-west), abbreviation: name, isDaylight: false)
    guard !scanner.isAtEnd else { return }
    guard let daylight = scanner.daylight(standard: -west), scanner.isAtEnd else { return nil }
    self.daylight = daylight
  }
}

/// Walks over the text of a rule; every step is `nil` where the text has another form.
private struct RuleScanner {
  let bytes: [UInt8]
  var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }
  private var next: UInt8? { isAtEnd ? nil : bytes[position] }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func run(_ belongs: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = position
    while let next, belongs(next) { position += 1 }
    return bytes[start..<position]
  }

  /// At least three letters, or anything of letters, digits and signs between angle brackets.
  mutating func name() -> String? {
    let isQuoted = take("<")
    let found = run { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"): isQuoted
      default: false
      }
    }
    guard found.count >= 3, !isQuoted || take(">") else { return nil }
    return String(decoding: found, as: UTF8.self)
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int? {
    let digits = run { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard (1...3).contains(digits.count) else { return nil }
    let value = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    return range.contains(value) ? value : nil
  }

  /// `[+-]h[:m[:s]]` in seconds; the hours are at most `limit`.
  mutating func time(limit: Int) -> Int64? {
    let isNegative = take("-")
    if !isNegative { _ = take("+") }
    guard let hours = number(0...limit) else { return nil }
    var seconds = hours * 3600
    if take(":") {
      guard let minutes = number(0...59) else { return nil }
      seconds += minutes * 60
      if take(":") {
        guard let rest = number(0...59) else { return nil }
        seconds += rest
      }
    }
    return Int64(isNegative ? -seconds : seconds)
  }

  mutating func daylight(standard: Int64) -> PosixRule.Daylight? {
    guard let name = name() else { return nil }
    // POSIX: one hour ahead of standard time unless it says otherwise.
    var seconds = standard + 3600
    if !isAtEnd, next != UInt8(ascii: ",") {
      guard let west = time(limit: 24) else { return nil }
      seconds = -west
    }
    guard take(","), let begins = change(), take(","), let ends = change() else { return nil }
    let offset = Zone.Offset(seconds: Int(seconds), abbreviation: name, isDaylight: true)
    return PosixRule.Daylight(offset: offset, begins: begins, ends: ends)
  }

  private mutating func change() -> PosixRule.Change? {
    guard let day = day() else { return nil }
    // POSIX: two o'clock unless it says otherwise; RFC 9636 §3.3.2 extends it to a week either way.
    guard take("/") else { return PosixRule.Change(day: day, time: 7200) }
    guard let time = time(limit: 167) else { return nil }
    return PosixRule.Change(day: day, time: time)
  }

  private mutating func day() -> PosixRule.Change.Day? {
    if take("J") { return number(1...365).map { .julian($0) } }
    guard take("M") else { return number(0...365).map { .ordinal($0) } }
    guard let month = number(1...12), take("."), let week = number(1...5), take("."), let day = number(0...6)
    else { return nil }
    return .weekday(month: month, week: week, day: day)
  }
}
