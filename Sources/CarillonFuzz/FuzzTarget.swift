/// One of the places where bytes come in that nobody has looked at: what reads them there, and what must hold whatever
/// they are.
public struct FuzzTarget: Sendable {
  /// What the inputs look like where they are good, for those who make new ones.
  public enum Form: Sendable {
    /// A text of one or more lines.
    case text
    /// JSON, or what extends it.
    case json
    /// Numbers of fixed sizes.
    case binary
  }

  /// What became of an input.
  public enum Verdict: Sendable {
    case taken, refused
  }

  public let name: String
  /// One line for the list of them.
  public let subject: String
  public let form: Form
  /// No input is longer, in bytes: as long as the real ones may get, or a little longer.
  public let longest: Int
  /// Good inputs, and bad ones that are nearly good.
  public let seeds: [[UInt8]]
  /// Words that mean something in an input.
  public let words: [String]
  private let look: @Sendable ([UInt8]) throws(Violation) -> Verdict

  public init(
    _ name: String, _ subject: String, form: Form = .text, longest: Int, seeds: [[UInt8]],
    words: [String] = [],
    look: @escaping @Sendable ([UInt8]) throws(Violation) -> Verdict
  ) {
    self.name = name
    self.subject = subject
    self.form = form
    self.longest = longest
    self.seeds = seeds
    self.words = words
    self.look = look
  }

  public init(
    _ name: String, _ subject: String, form: Form = .text, longest: Int, seeds: [String],
    words: [String] = [],
    look: @escaping @Sendable ([UInt8]) throws(Violation) -> Verdict
  ) {
    self.init(
      name, subject, form: form, longest: longest, seeds: seeds.map { Array($0.utf8) }, words: words,
      look: look)
  }

  /// Reads one input and looks at what came of it.
  ///
  /// - Throws: where something does not hold that must.
  public func verdict(on input: [UInt8]) throws(Violation) -> Verdict {
    try look(input.count > longest ? Array(input[..<longest]) : input)
  }
}

/// Something that must hold for every input and did not.
public struct Violation: Error, Hashable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

/// - Throws: `Violation` where the condition does not hold.
func demand(_ condition: Bool, _ what: @autoclosure () -> String) throws(Violation) {
  if !condition { throw Violation(what()) }
}
