import CarillonFuzz
import Testing

/// An input with which a fuzzer found something, and what that was.
struct KnownInput: Sendable, CustomTestStringConvertible {
  let target: String
  let what: String
  let input: [UInt8]

  var testDescription: String { "\(target): \(what)" }

  init(_ target: String, _ what: String, _ input: String) {
    (self.target, self.what, self.input) = (target, what, Array(input.utf8))
  }

  /// The target with this input alone.
  func only(_ target: FuzzTarget) -> FuzzTarget {
    FuzzTarget(target.name, target.subject, form: target.form, longest: target.longest, seeds: [input]) {
      input throws(Violation) in try target.verdict(on: input)
    }
  }

  static let all = [
    KnownInput(
      "command", "a list of names was compared each with each, for a quarter of a second",
      #"{"id":"a","title":"x","to":["#
        + (0..<8500).map { "\"\(String($0, radix: 36))\"" }.joined(separator: ",") + "]}"),
    KnownInput(
      "route", "a parameter's name was told whole, however long",
      "z:///:\(String(repeating: "a", count: 2040))\nz:///%00\nv"),
    KnownInput("cron", "a control character reached the terminal", "30 2 29 *\u{0F}259 *"),
    KnownInput(
      "rrule", "a row was stepped through for centuries until it came to another weekday",
      "FREQ=SECONDLY;INTERVAL=604802;BYMONTHDAY=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,2,26,"
        + "27,28,29,30,31;BYDAY=FR;COUNT=16643\n2027-10-23T21:11:55"),
    KnownInput(
      "rrule", "each question of a row began with thousands of steps on the wrong weekday",
      "FREQ=SECONDLY;INTERVAL=604803;BYMINUTE=0,1,2,3,7,10,12,14,17,18,23,26,27,30,31,33,34,37,39,41,42,43,46,51,"
        + "52,54,57,58,59;BYDAY=SA,SU\n0001-01-01T00:00"),
    KnownInput(
      "configuration", "a broker's address was shown whole, however long, and with what may be a password",
      "{ broker: \"mqtt://u:sec/\(String(repeating: "ret", count: 1000))@h\" }"),
  ]
}
