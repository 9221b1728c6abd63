/// Something that can be measured, by its name on the command line.
struct Measurement: Sendable {
  /// An option with a number: `--requests N`.
  struct Option: Sendable {
    var name: String
    var value: Int
    /// One line for the help, without the default.
    var about: String

    var form: String { "--\(name) N" }
    var text: String { "\(about) Default: \(value)." }
  }

  var name: String
  var summary: String
  var options: [Option] = []
  /// The options of a short run, where they differ from the defaults; nil: `all` leaves it out.
  var short: [String: Int]?
  var run: @Sendable (Options, Report) throws -> Void
}

/// A command line that means nothing.
struct UsageError: Error {
  var message: String

  init(_ message: String) { self.message = message }
}

/// The options of one measurement.
struct Options {
  private(set) var isJSON = false
  private var numbers: [String: Int] = [:]

  /// - Throws: `UsageError`.
  init(_ words: [String], of measurement: Measurement) throws {
    for option in measurement.options { numbers[option.name] = option.value }
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--json" {
        isJSON = true
        continue
      }
      guard let option = measurement.options.first(where: { "--" + $0.name == word }) else {
        throw UsageError("what is \(word)? carillon-bench help lists the options")
      }
      guard let text = rest.popFirst(), let number = Int(text), number > 0 else {
        throw UsageError("--\(option.name) takes a whole number above 0")
      }
      numbers[option.name] = number
    }
  }

  /// - Parameter numbers: in place of the defaults.
  init(of measurement: Measurement, _ numbers: [String: Int], isJSON: Bool) {
    self.isJSON = isJSON
    for option in measurement.options { self.numbers[option.name] = numbers[option.name] ?? option.value }
  }

  /// The number of an option that the measurement has.
  subscript(name: String) -> Int { numbers[name] ?? 0 }
}
