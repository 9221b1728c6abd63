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
      "configuration", "a broker's address was shown whole, however long, and with what may be a password",
      "{ broker: \"mqtt://u:sec/\(String(repeating: "ret", count: 1000))@h\" }"),
  ]
}
