extension WrittenTime {
  /// Reads a time (protocol §3): RFC 3339 with `T` or a blank, with or without seconds, fraction and offset; or seconds
  /// since 1970, as a number or as text. Fractions beyond the millisecond are cut off, those of epoch seconds rounded.
  ///
  /// A leap second (`:60`) is taken where one can be, at 23:59 UTC on the last day of a month, and is the instant after
  /// it: POSIX time has no other name for it. `-00:00` is UTC.
  ///
  /// - Parameter path: the place that a refusal names.
  /// - Throws: `invalid` for everything else, and outside the years 0001 to 9999.
  public static func read(_ value: JSON, at path: String) throws(Refusal) -> WrittenTime {
    do throws(Refusal) {
      switch value {
      case .integer(let seconds): return try WrittenTime(epochSeconds: Double(seconds))
      case .number(let seconds): return try WrittenTime(epochSeconds: seconds)
      case .string(let text): return try WrittenTime(parsing: text)
      default: throw Refusal(.invalid, "expected a time (\(forms)), got \(value.kind)")
      }
    } catch { throw error.below(path) }
  }

  /// Reads a time from a text, as an option of the command line gives it.
  ///
  /// - Throws: `invalid`, without a place.
  public init(parsing text: String) throws(Refusal) {
    if let seconds = numericText(text) {
      try self.init(epochSeconds: seconds)
      return
    }
    guard var reading = TimeText(text) else {
      throw Refusal(.invalid, "\"\(printable(text))\" is not a time; write \(WrittenTime.forms)")
    }
    self = try reading.time()
  }

  private static let forms = "\"2026-12-24T18:00\", \"2026-12-24T18:00:00+01:00\", or seconds since 1970"

  private init(epochSeconds seconds: Double) throws(Refusal) {
    let first = WallTime.writable.lowerBound.seconds
    let last = WallTime.writable.upperBound.seconds
    // Compared before it is converted: the conversion of a large number would trap.
    guard seconds >= Double(first), seconds < Double(last) + 1 else {
      let isMilliseconds = abs(seconds) / 1000 <= Double(last)
      let hint = isMilliseconds ? "; seconds are expected, not milliseconds" : ""
      throw Refusal(.invalid, "a time must be within the years 0001 to 9999\(hint)")
    }
    let milliseconds = Int64((seconds * 1000).rounded())
    self = .instant(min(WallTime(milliseconds: milliseconds), WallTime.writable.upperBound))
  }
}

/// The parts of an RFC 3339 text, each within its digits but not yet within its range.
private struct TimeText {
  var year = 0
  var month = 0
  var day = 0
  var hour = 0
  var minute = 0
  var second = 0
  var millisecond = 0
  /// Seconds east of Greenwich; `nil` where the text has no offset.
  var offset: Int?

  /// `nil` where the text has another form.
  init?(_ text: String) {
    var scanner = TextScanner(text)
    guard let year = scanner.number(digits: 4), scanner.take("-") != nil,
      let month = scanner.number(digits: 2), scanner.take("-") != nil,
      let day = scanner.number(digits: 2), scanner.take("T", "t", " ") != nil,
      let hour = scanner.number(digits: 2), scanner.take(":") != nil,
      let minute = scanner.number(digits: 2)
    else { return nil }
    (self.year, self.month, self.day, self.hour, self.minute) = (year, month, day, hour, minute)
    guard readSeconds(&scanner), readOffset(&scanner), scanner.isAtEnd else { return nil }
  }

  private mutating func readSeconds(_ scanner: inout TextScanner) -> Bool {
    guard scanner.take(":") != nil else { return true }
    guard let second = scanner.number(digits: 2) else { return false }
    self.second = second
    guard scanner.take(".") != nil else { return true }
    let fraction = scanner.digits()
    millisecond = Int(TextScanner.fraction(fraction, places: 3))
    return !fraction.isEmpty
  }

  private mutating func readOffset(_ scanner: inout TextScanner) -> Bool {
    if scanner.take("Z", "z") != nil {
      offset = 0
      return true
    }
    guard let sign = scanner.take("+", "-") else { return true }
    guard let hours = scanner.number(digits: 2), hours < 24, scanner.take(":") != nil,
      let minutes = scanner.number(digits: 2), minutes < 60
    else { return false }
    offset = (hours * 60 + minutes) * (sign == "-" ? -60 : 60)
    return true
  }

  mutating func time() throws(Refusal) -> WrittenTime {
    let isLeapSecond = second == 60
    if isLeapSecond { second = 59 }
    guard year >= 1 else { throw TimeText.outOfRange }
    guard let date = CivilDate(year: year, month: month, day: day) else {
      throw Refusal(.invalid, "there is no day \(day) in month \(month) of \(year)")
    }
    guard
      let local = CivilTime(date, hour: hour, minute: minute, second: second, millisecond: millisecond)
    else {
      throw Refusal(
        .invalid, "no clock shows that time of day; hours end at 23, minutes and seconds at 59")
    }
    guard let offset else {
      guard !isLeapSecond else { throw TimeText.noLeapSecond }
      return .local(local)
    }
    var instant = local.utc - .seconds(offset)
    if isLeapSecond {
      guard TimeText.endsMonth(instant) else { throw TimeText.noLeapSecond }
      instant = instant + .seconds(1)
    }
    guard WallTime.writable.contains(instant) else { throw TimeText.outOfRange }
    return .instant(instant)
  }

  private static func endsMonth(_ instant: WallTime) -> Bool {
    let utc = CivilTime(utc: instant)
    return utc.hour == 23 && utc.minute == 59 && utc.date.adding(days: 1).day == 1
  }

  private static let outOfRange = Refusal(.invalid, "a time must be within the years 0001 to 9999")
  private static let noLeapSecond = Refusal(
    .invalid, "second 60 exists only as a leap second, at 23:59:60 UTC on the last day of a month")
}
