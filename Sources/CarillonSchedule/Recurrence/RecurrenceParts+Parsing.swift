import CarillonModel

extension RecurrenceParts {
  /// Reads a rule, such as `FREQ=MONTHLY;BYDAY=-1FR`. Names may be written in any case, and stand in any order.
  init(parsing text: String) throws(TextFault) {
    let bytes = Array(text.utf8)
    guard bytes.count <= RecurrenceParts.longest else {
      throw TextFault(0..<bytes.count, "a recurrence rule has at most \(RecurrenceParts.longest) bytes")
    }
    var reader = RecurrenceReader(bytes: bytes)
    try reader.readAll()
    try reader.check()
    self = reader.parts.withoutRepetitions()
  }

  /// Every list in full, without repetitions, takes less.
  private static let longest = 8192
}

/// Reads the parts of a rule one after another, and remembers where each is written.
struct RecurrenceReader {
  let bytes: [UInt8]
  var parts = RecurrenceParts()
  /// Where the parts that have been read stand, name and value.
  var spans: [RecurrencePart: Range<Int>] = [:]

  init(bytes: [UInt8]) { self.bytes = bytes }

  func text(_ span: Range<Int>) -> String { printable(String(decoding: bytes[span], as: UTF8.self)) }

  /// The stretches between separators, which may be empty.
  func split(_ span: Range<Int>, at separator: Unicode.Scalar) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var start = span.lowerBound
    for place in span where bytes[place] == UInt8(ascii: separator) {
      found.append(start..<place)
      start = place + 1
    }
    return found + [start..<span.upperBound]
  }

  mutating func readAll() throws(TextFault) {
    if let place = bytes.firstIndex(where: { $0 <= UInt8(ascii: " ") || $0 >= 0x7F }) {
      throw TextFault(place..<place + 1, "a recurrence rule is written in ASCII, without blanks")
    }
    let prefix = Array("RRULE:".utf8)
    if bytes.prefix(prefix.count).elementsEqual(prefix) {
      throw TextFault(0..<prefix.count, "write the rule without \"RRULE:\" before it")
    }
    for span in split(0..<bytes.count, at: ";") { try readPart(span) }
    guard spans[.frequency] != nil else {
      throw TextFault(
        0..<0,
        "a recurrence rule needs FREQ, which is one of YEARLY, MONTHLY, WEEKLY, DAILY, HOURLY,"
          + " MINUTELY and SECONDLY")
    }
  }

  private mutating func readPart(_ span: Range<Int>) throws(TextFault) {
    guard !span.isEmpty else {
      throw TextFault(span, "a part such as FREQ=DAILY is missing here; parts stand between semicolons")
    }
    guard let equals = bytes[span].firstIndex(of: UInt8(ascii: "=")) else {
      throw TextFault(span, "\"\(text(span))\" has no value; a part is written NAME=VALUE")
    }
    let part = try readName(span.lowerBound..<equals)
    guard spans[part] == nil else {
      throw TextFault(span, "\(part.rawValue) is given twice")
    }
    spans[part] = span
    let value = equals + 1..<span.upperBound
    guard !value.isEmpty else { throw TextFault(value, "\(part.rawValue) has no value") }
    try readValue(part, value)
  }

  private func readName(_ span: Range<Int>) throws(TextFault) -> RecurrencePart {
    let name = text(span).uppercased()
    if let part = RecurrencePart(rawValue: name) { return part }
    switch name {
    case "":
      throw TextFault(span, "the name of a part is missing here")
    case "BYEASTER":
      throw TextFault(span, "BYEASTER is an extension of one library, and not part of RFC 5545")
    case "RSCALE", "SKIP":
      throw TextFault(
        span, "\(name) belongs to RFC 7529; rules here are of RFC 5545 and the Gregorian calendar")
    case "DTSTART", "EXDATE", "RDATE", "EXRULE":
      throw TextFault(
        span, "\(name) is no part of a rule; the start and what is left out have fields of their own")
    default:
      let near = nearest(to: name, among: RecurrencePart.allCases.map(\.rawValue))
      throw TextFault(
        span,
        "\"\(text(span))\" is no part of a recurrence rule" + (near.map { "; did you mean \($0)?" } ?? ""))
    }
  }

  private mutating func readValue(_ part: RecurrencePart, _ span: Range<Int>) throws(TextFault) {
    switch part {
    case .frequency: parts.frequency = try readFrequency(span)
    case .interval: parts.interval = try readAmount(part, span)
    case .count: parts.count = try readAmount(part, span)
    case .until: parts.until = try readLimit(span)
    case .weekStart: parts.weekStart = try readWeekday(span)
    case .days: parts.days = try readList(span) { span throws(TextFault) in try readDay(span) }
    case .seconds: parts.seconds = try readNumbers(part, span)
    case .minutes: parts.minutes = try readNumbers(part, span)
    case .hours: parts.hours = try readNumbers(part, span)
    case .monthDays: parts.monthDays = try readNumbers(part, span)
    case .yearDays: parts.yearDays = try readNumbers(part, span)
    case .weekNumbers: parts.weekNumbers = try readNumbers(part, span)
    case .months: parts.months = try readNumbers(part, span)
    case .positions: parts.positions = try readNumbers(part, span)
    }
  }
}
