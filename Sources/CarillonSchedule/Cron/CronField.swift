import CarillonModel

/// What a field of a cron expression was read as.
struct CronSet {
  var numbers: UnitSet
  /// crontab(5) gives this a meaning of its own, whatever follows the star.
  var beginsWithStar: Bool
}

/// One of the five fields: lists of `*`, numbers, names and ranges, with steps.
struct CronField {
  let name: String
  let range: ClosedRange<Int>
  /// Names of three letters, for the numbers from `range.lowerBound` on.
  var names: [String] = []

  static let all = [
    CronField(name: "minute", range: 0...59),
    CronField(name: "hour", range: 0...23),
    CronField(name: "day of month", range: 1...31),
    CronField(
      name: "month", range: 1...12,
      names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]),
    CronField(
      name: "day of week", range: 0...7, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]),
  ]

  func read(_ word: Range<Int>, _ bytes: [UInt8]) throws(TextFault) -> CronSet {
    var set = UnitSet(bits: 0)
    var scanner = CronScanner(bytes: bytes, position: word.lowerBound, end: word.upperBound)
    repeat {
      for number in try readTerm(&scanner) { set.insert(number) }
    } while scanner.take(",")
    return CronSet(numbers: set, beginsWithStar: bytes[word.lowerBound] == UInt8(ascii: "*"))
  }

  /// `*`, a value or a range, with or without a step.
  private func readTerm(_ scanner: inout CronScanner) throws(TextFault) -> StrideThrough<Int> {
    let start = scanner.position
    var (first, last) = (range.lowerBound, range.upperBound)
    var isOne = false
    if !scanner.take("*") {
      first = try readValue(&scanner)
      last = first
      isOne = !scanner.take("-")
      if !isOne { last = try readValue(&scanner) }
    }
    guard first <= last else {
      throw backwards(start..<scanner.position, from: first, to: last)
    }
    var step = 1
    if scanner.take("/") {
      step = try readStep(&scanner)
      if isOne { last = range.upperBound }
    }
    if let span = scanner.unexpected {
      throw TextFault(
        span, explained(scanner.text(span)) ?? "unexpected \"\(printable(scanner.text(span)))\"")
    }
    return stride(from: first, through: last, by: step)
  }

  private func readValue(_ scanner: inout CronScanner) throws(TextFault) -> Int {
    let span = scanner.word()
    let text = scanner.text(span)
    if span.isEmpty {
      if let sign = scanner.unexpected, let reason = explained(scanner.text(sign)) {
        throw TextFault(sign, reason)
      }
      throw TextFault(span, "a value of \(name) is missing here")
    }
    if let number = CronScanner.number(text) {
      guard range.contains(number) else {
        throw TextFault(
          span, "\(name) \(printable(text)) is not within \(range.lowerBound)-\(range.upperBound)")
      }
      return number
    }
    if let place = names.firstIndex(of: text.lowercased()) { return place + range.lowerBound }
    throw TextFault(span, explained(text) ?? unknown(text))
  }

  private func readStep(_ scanner: inout CronScanner) throws(TextFault) -> Int {
    let span = scanner.word()
    guard let step = CronScanner.number(scanner.text(span)) else {
      throw TextFault(span, "a step is a whole number, such as */5")
    }
    guard step > 0 else { throw TextFault(span, "a step of 0 never gets on; the least is 1") }
    return step
  }

  private func unknown(_ text: String) -> String {
    if names.isEmpty { return "\(name) is a number, not \"\(printable(text))\"" }
    let letters = String(text.lowercased().prefix(3))
    let near = names.contains(letters) ? letters : nearest(to: text, among: names)
    return "\"\(printable(text))\" is no \(name)" + (near.map { "; did you mean \($0)?" } ?? "")
  }

  private func backwards(_ span: Range<Int>, from first: Int, to last: Int) -> TextFault {
    // The one range across the end of a field that can be written as it is meant.
    if name == "day of week", last == 0 {
      return TextFault(span, "a range runs upwards; Sunday at the end of one is 7, so write \(first)-7")
    }
    return TextFault(
      span,
      "a range runs upwards; write it as two, \(first)-\(range.upperBound),\(range.lowerBound)-\(last)")
  }

  /// What other programs read and cron does not, with the way to say it here.
  private func explained(_ text: String) -> String? {
    let upper = text.uppercased()
    if upper == "?" { return "cron has no ?; write *" }
    if upper.hasPrefix("#") || text.contains("#") {
      return "cron has no #; for the 2nd Monday of a month write an rrule with BYDAY=2MO "
        + "or a calendar with nth"
    }
    guard names.isEmpty || name == "day of week" else { return nil }
    if upper == "W" || upper == "LW" || upper.hasSuffix("W") && upper.dropLast().allSatisfy(\.isNumber) {
      return "cron has no W for the nearest working day; an rrule with BYSETPOS can say it"
    }
    if upper == "L" || upper.hasPrefix("L-")
      || upper.hasSuffix("L") && upper.dropLast().allSatisfy(\.isNumber)
    {
      return "cron has no L for the last; write an rrule with BYMONTHDAY=-1 or BYDAY=-1FR"
    }
    if upper.hasPrefix("H") || upper.hasPrefix("~") { return "cron has no random times; write a number" }
    return nil
  }
}
