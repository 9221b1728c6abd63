/// What may stand for an argument, for completions.
enum ArgumentValues: Equatable {
  case files
  case choices([String])
  /// Whatever the person has in mind.
  case anything

  /// The choices of the options that have some, and of the verbs' operands.
  private static let known: [String: [String]] = [
    "--open": ["tap", "arrival"],
    "--log": ["error", "warning", "info", "debug"],
    "--level": ["passive", "active", "timeSensitive", "critical"],
    "--sun": ["sunrise", "sunset", "dawn", "dusk", "noon"],
    "completion": ["bash", "zsh", "fish"],
    "focus": ["on", "off"],
  ]

  private init(_ name: String, _ argument: String, isPath: Bool = false) {
    if let choices = ArgumentValues.known[name] {
      self = .choices(choices)
    } else {
      self = isPath || argument.contains("FILE") || argument.contains("DIR") ? .files : .anything
    }
  }

  /// Of an option that takes an argument.
  static func of(_ option: Option) -> ArgumentValues? {
    option.argument.map { ArgumentValues("--\(option.name)", $0, isPath: option.isPath) }
  }

  /// Of a verb's operands; nil where it takes none.
  static func ofOperands(_ verb: CommandLineVerb) -> ArgumentValues? {
    verb.operands.count.upperBound == 0 ? nil : ArgumentValues(verb.name, verb.operands.placeholder)
  }
}

extension CommandLineVerb {
  /// The words of its name.
  var words: [String] { name.split(separator: " ").map(String.init) }

  /// What the help shows.
  var shownOptions: [Option] { options.filter { !$0.isHidden } }
}

/// The verbs as a shell meets them: first words, and what may follow those that need a second one.
struct VerbTree {
  let verbs: [CommandLineVerb]

  /// Every first word once, with a line about it.
  var first: [(word: String, summary: String)] {
    var found: [(word: String, summary: String)] = []
    for verb in verbs where !found.contains(where: { $0.word == verb.words[0] }) {
      let below = below(verb.words[0]).map(\.word).joined(separator: ", ")
      found.append((verb.words[0], below.isEmpty ? verb.summary : below))
    }
    return found
  }

  /// The second words behind a first one.
  func below(_ first: String) -> [(word: String, summary: String)] {
    verbs.filter { $0.words.count > 1 && $0.words[0] == first }.map { ($0.words[1], $0.summary) }
  }
}
