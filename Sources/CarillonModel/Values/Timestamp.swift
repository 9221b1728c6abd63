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
  var text = reading(time + .seconds(minutes * 60), milliseconds)
  text += minutes < 0 ? "-" : "+"
  pad(abs(minutes) / 60, to: &text)
  text += ":"
  pad(abs(minutes) % 60, to: &text)
  return text
}

/// An instant as RFC 3339 has it, in UTC, with the letter `Z`: `2026-12-01T18:00:00.000Z`.
public func timestamp(utc time: WallTime, milliseconds: Bool = true) -> String {
  reading(time, milliseconds) + "Z"
}

private func reading(_ time: WallTime, _ milliseconds: Bool) -> String {
  let civil = CivilTime(utc: time)
  var text = ""
  text.reserveCapacity(29)
  writeDate(civil.date, to: &text)
  writeClock(civil, milliseconds: milliseconds, to: &text)
  return text
}

/// Four digits of year at least; a year before 0 with a sign, as ISO 8601 has it.
func writeDate(_ date: CivilDate, to text: inout String) {
  if date.year < 0 { text += "-" }
  pad(abs(date.year), to: &text, digits: 4)
  text += "-"
  pad(date.month, to: &text)
  text += "-"
  pad(date.day, to: &text)
}

func writeClock(_ time: CivilTime, milliseconds: Bool, to text: inout String) {
  text += "T"
  pad(time.hour, to: &text)
  text += ":"
  pad(time.minute, to: &text)
  text += ":"
  pad(time.second, to: &text)
  if milliseconds {
    text += "."
    pad(time.millisecond, to: &text, digits: 3)
  }
}

private func pad(_ number: Int, to text: inout String, digits: Int = 2) {
  let written = String(number)
  for _ in written.utf8.count..<max(digits, written.utf8.count) { text += "0" }
  text += written
}
