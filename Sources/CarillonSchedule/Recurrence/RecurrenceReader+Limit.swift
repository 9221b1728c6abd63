import CarillonModel

extension RecurrenceReader {
  /// UNTIL: `20261224T180000` on the rule's own clock, with `Z` or an offset as an instant; a day alone is meant whole. Times
  /// with punctuation are read too, since everything else here is written so.
  func readLimit(_ span: Range<Int>) throws(TextFault) -> RecurrenceParts.Limit {
    if let limit = readBasic(span) { return limit }
    let written = try? WrittenTime(parsing: String(decoding: bytes[span], as: UTF8.self))
    guard let written, bytes[span].contains(UInt8(ascii: "-")) else {
      throw TextFault(
        span,
        "\"\(text(span))\" is no time; write UNTIL as 20261224T180000, as 20261224T170000Z or as 20261224")
    }
    switch written {
    case .instant(let time): return .instant(time)
    case .local(let time): return .reading(time.utc.seconds)
    }
  }

  /// RFC 5545's own form, without punctuation.
  private func readBasic(_ span: Range<Int>) -> RecurrenceParts.Limit? {
    func number(_ offset: Int, _ count: Int) -> Int? {
      let start = span.lowerBound + offset
      return start + count <= span.upperBound ? digits(start..<start + count) : nil
    }
    guard let year = number(0, 4), year > 0, let month = number(4, 2), let day = number(6, 2),
      let date = CivilDate(year: year, month: month, day: day)
    else { return nil }
    let midnight = Int64(date.daysSinceEpoch) * 86_400
    guard span.count > 8 else { return .reading(midnight + 86_399) }
    guard span.count >= 15, text(span.lowerBound + 8..<span.lowerBound + 9).uppercased() == "T",
      let hour = number(9, 2), let minute = number(11, 2), let second = number(13, 2),
      hour < 24, minute < 60, second < 60
    else { return nil }
    let reading = midnight + Int64((hour * 60 + minute) * 60 + second)
    let zone = span.lowerBound + 15..<span.upperBound
    if zone.isEmpty { return .reading(reading) }
    return offset(zone).map { .instant(WallTime(seconds: reading - $0)) }
  }

  /// `Z`, `+0100` or `+01:00`, in seconds.
  private func offset(_ span: Range<Int>) -> Int64? {
    var text = Array(bytes[span])
    if text == [UInt8(ascii: "Z")] || text == [UInt8(ascii: "z")] { return 0 }
    if text.count == 6, text[3] == UInt8(ascii: ":") { text.remove(at: 3) }
    let reader = RecurrenceReader(bytes: text)
    guard text.count == 5, let sign = text.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
      let hours = reader.digits(1..<3), let minutes = reader.digits(3..<5), hours < 24, minutes < 60
    else { return nil }
    let seconds = Int64((hours * 60 + minutes) * 60)
    return sign == UInt8(ascii: "-") ? -seconds : seconds
  }
}
