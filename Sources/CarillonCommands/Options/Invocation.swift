/// One call of a verb: what was asked, and the surroundings it runs in.
struct Invocation {
  let verb: CommandLineVerb
  let settings: Settings
  let operands: [String]
  let surroundings: Surroundings

  var console: Console { surroundings.console }
}
