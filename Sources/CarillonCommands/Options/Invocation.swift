/// One call of a verb: what was asked, and the surroundings it runs in.
struct Invocation {
  let verb: CommandLineVerb
  let settings: Settings
  let operands: [String]
  let surroundings: Surroundings
  /// The command line, for reading the configuration again.
  var words = ParsedWords()

  var console: Console { surroundings.console }

  /// The same call, with the configuration files as they are now.
  ///
  /// - Throws: `Failure` where they cannot be read.
  func reread() throws -> Invocation {
    Invocation(
      verb: verb, settings: try Carillon.settings(verb, words, surroundings), operands: operands,
      surroundings: surroundings, words: words)
  }
}
