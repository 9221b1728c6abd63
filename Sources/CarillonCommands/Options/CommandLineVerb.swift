/// One verb of the command line: what it is called, takes and does.
public struct CommandLineVerb: Sendable {
  /// A worked example: what it is for, and what to type.
  public struct Example: Sendable {
    public let purpose: String
    public let line: String

    public init(_ purpose: String, _ line: String) {
      self.purpose = purpose
      self.line = line
    }
  }

  /// How many words that are no options it takes.
  public struct Operands: Sendable {
    /// As the help shows them, such as `ID…`; empty for none.
    public let placeholder: String
    public let count: ClosedRange<Int>

    public init(_ placeholder: String, _ count: ClosedRange<Int>) {
      self.placeholder = placeholder
      self.count = count
    }

    public static let none = Operands("", 0...0)
  }

  /// The word, or words (`routes check`), by which it is called.
  public let name: String
  public let summary: String
  /// What stands behind the name in the usage lines, one line a form.
  public let forms: [String]
  public let operands: Operands
  public let groups: [OptionGroup]
  public let discussion: String
  public let examples: [Example]
  /// Which configuration files it reads.
  public let configuration: ConfigurationKind
  let run: @Sendable (Invocation) throws -> ExitStatus

  init(
    _ name: String, _ summary: String, forms: [String], operands: Operands = .none,
    configuration: ConfigurationKind, groups: [OptionGroup], discussion: String = "", examples: [Example],
    run: @escaping @Sendable (Invocation) throws -> ExitStatus
  ) {
    self.name = name
    self.summary = summary
    self.forms = forms
    self.operands = operands
    self.configuration = configuration
    self.groups = groups + [OptionGroup("Everywhere", SharedOptions.everywhere)]
    self.discussion = discussion
    self.examples = examples
    self.run = run
  }

  /// Every option, in the order of the help.
  public var options: [Option] { groups.flatMap(\.options) }
}
