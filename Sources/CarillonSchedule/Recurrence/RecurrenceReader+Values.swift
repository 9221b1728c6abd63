import CarillonModel

extension RecurrenceReader {
  func readFrequency(_ span: Range<Int>) throws(TextFault) -> RecurrenceParts.Frequency {
    let name = text(span).uppercased()
    if let found = RecurrenceParts.Frequency.allCases.first(where: { $0.name == name }) { return found }
    let near = nearest(to: name, among: RecurrenceParts.Frequency.allCases.map(\.name))
    throw TextFault(
      span,
      "\"\(text(span))\" is no frequency"
        + (near.map { "; did you mean \($0)?" }
          ?? "; there are YEARLY, MONTHLY, WEEKLY, DAILY, HOURLY, MINUTELY and SECONDLY"))
  }

  /// The value of INTERVAL or COUNT.
  func readAmount(_ part: RecurrencePart, _ span: Range<Int>) throws(TextFault) -> Int64 {
    guard let amount = digits(span) else {
      throw TextFault(span, "\(part.rawValue) is a whole number, not \"\(text(span))\"")
    }
    guard amount > 0 else { throw TextFault(span, "\(part.rawValue) is at least 1") }
    guard amount <= RecurrenceReader.most else {
      throw TextFault(span, "\(part.rawValue) is at most \(RecurrenceReader.most)")
    }
    return Int64(amount)
  }

  /// The largest number that other implementations take.
  private static let most = Int(Int32.max)

  func readList<Element>(
    _ span: Range<Int>, _ read: (Range<Int>) throws(TextFault) -> Element
  ) throws(TextFault) -> [Element] {
    var found: [Element] = []
    for element in split(span, at: ",") {
      guard !element.isEmpty else { throw TextFault(element, "a value is missing here") }
      found.append(try read(element))
    }
    return found
  }

  func readNumbers(_ part: RecurrencePart, _ span: Range<Int>) throws(TextFault) -> [Int] {
    guard let (name, range, isSigned) = part.numbers else { return [] }
    return try readList(span) { element throws(TextFault) in
      let sign = isSigned ? readSign(element) : nil
      guard let number = digits(sign == nil ? element : element.dropFirst()) else {
        throw TextFault(element, notANumber(part, name, element))
      }
      guard range.contains(number) else {
        throw TextFault(element, outOfRange(part, name, range, isSigned, element))
      }
      return sign == "-" ? -number : number
    }
  }

  /// A weekday, with or without its number in the month or year.
  func readDay(_ span: Range<Int>) throws(TextFault) -> RecurrenceParts.Day {
    let number = span.lowerBound..<max(span.lowerBound, span.upperBound - 2)
    let weekday = try readWeekday(number.upperBound..<span.upperBound, in: span)
    guard !number.isEmpty else { return RecurrenceParts.Day(nth: 0, weekday: weekday) }
    let sign = readSign(number)
    guard let nth = digits(sign == nil ? number : number.dropFirst()) else {
      throw TextFault(number, "\"\(text(number))\" is no number; BYDAY takes values such as MO, 2TU and -1FR")
    }
    guard (1...53).contains(nth) else {
      throw TextFault(number, "weekday number \(text(number)) is not within 1-53 or -53--1")
    }
    return RecurrenceParts.Day(nth: sign == "-" ? -nth : nth, weekday: weekday)
  }

  func readWeekday(_ span: Range<Int>, in element: Range<Int>? = nil) throws(TextFault) -> Weekday {
    let place = RecurrenceReader.weekdays.firstIndex(of: text(span).uppercased())
    guard let place else {
      let whole = element ?? span
      throw TextFault(whole, "\"\(text(whole))\" is no weekday; they are MO, TU, WE, TH, FR, SA and SU")
    }
    return Weekday.allCases[place]
  }

  static let weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

  private func readSign(_ span: Range<Int>) -> Unicode.Scalar? {
    guard let first = span.first else { return nil }
    return bytes[first] == UInt8(ascii: "-") ? "-" : bytes[first] == UInt8(ascii: "+") ? "+" : nil
  }

  /// The number that is written in digits alone; a huge one is only known to be huge.
  func digits(_ span: Range<Int>) -> Int? {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard !span.isEmpty, bytes[span].allSatisfy(digits.contains) else { return nil }
    return bytes[span].reduce(0) { min($0 * 10 + Int($1 - digits.lowerBound), 1 << 40) }
  }

  private func notANumber(_ part: RecurrencePart, _ name: String, _ span: Range<Int>) -> String {
    if part == .months { return "months are numbers here, 1-12, not \"\(text(span))\"" }
    return "\(name) is a number, not \"\(text(span))\""
  }

  private func outOfRange(
    _ part: RecurrencePart, _ name: String, _ range: ClosedRange<Int>, _ isSigned: Bool, _ span: Range<Int>
  ) -> String {
    if part == .seconds, digits(span) == 60 {
      return "no clock here shows second 60: POSIX time has no leap seconds"
    }
    return "\(name) \(text(span)) is not within \(range.lowerBound)-\(range.upperBound)"
      + (isSigned ? " or -\(range.upperBound)--\(range.lowerBound)" : "")
  }
}
