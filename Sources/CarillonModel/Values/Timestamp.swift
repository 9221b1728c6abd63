/// An instant as RFC 3339 has it, read at an offset from UTC: `2026-12-01T19:00:00.000+01:00`.
///
/// RFC 3339 writes offsets in whole minutes. The seconds that some zones had before they were standardised are cut off
/// and the reading is moved with them, so that the text always names the exact instant.
///
/// - Parameters:
///   - offsetSeconds: east of Greenwich; zero is written `+00:00`.
///   - milliseconds: whether the three digits after the second are written; default true.
public func timestamp(_ time: WallTime, offsetSeconds: Int, milliseconds: Bool = true) -> String {
  let minutes = offsetSeconds / 60
  var text = ASCIIWriter()
  text.reading(CivilTime(utc: time + .seconds(minutes * 60)), milliseconds: milliseconds)
  text.byte(minutes < 0 ? "-" : "+")
  text.number(abs(minutes) / 60)
  text.byte(":")
  text.number(abs(minutes) % 60)
  return text.text
}

/// An instant as RFC 3339 has it, in UTC, with the letter `Z`: `2026-12-01T18:00:00.000Z`.
public func timestamp(utc time: WallTime, milliseconds: Bool = true) -> String {
  var text = ASCIIWriter()
  text.reading(CivilTime(utc: time), milliseconds: milliseconds)
  text.byte("Z")
  return text.text
}

/// Builds a short text of bytes: every firing writes several times, and appending to a `String` costs several times as much.
struct ASCIIWriter {
  private var bytes: [UInt8] = []

  init() { bytes.reserveCapacity(32) }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func byte(_ character: Unicode.Scalar) { bytes.append(UInt8(ascii: character)) }

  /// A number that is not negative, with leading zeros to the given length.
  mutating func number(_ number: Int, digits: Int = 2) {
    var place = 1
    for _ in 1..<digits { place *= 10 }
    while number / place > 9 { place *= 10 }
    while place > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(number / place % 10))
      place /= 10
    }
  }

  /// Four digits of year at least; a year before 0 with a sign, as ISO 8601 has it.
  mutating func date(_ date: CivilDate) {
    if date.year < 0 { byte("-") }
    number(abs(date.year), digits: 4)
    byte("-")
    number(date.month)
    byte("-")
    number(date.day)
  }

  mutating func reading(_ time: CivilTime, milliseconds: Bool) {
    date(time.date)
    byte("T")
    number(time.hour)
    byte(":")
    number(time.minute)
    byte(":")
    number(time.second)
    if milliseconds {
      byte(".")
      number(time.millisecond, digits: 3)
    }
  }
}
