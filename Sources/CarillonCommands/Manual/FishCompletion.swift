/// The script for fish.
struct FishCompletion {
  let tree: VerbTree

  var lines: [String] {
    var lines = [
      "# Completes the words of carillon in fish. Made by: carillon completion fish",
      "complete -c carillon -f",
    ]
    for (word, summary) in tree.first {
      lines.append("complete -c carillon -n __fish_use_subcommand -a \(word) -d \(quoted(summary))")
      let below = tree.below(word)
      let words = below.map(\.word).joined(separator: " ")
      for (second, summary) in below {
        let condition = "\(FishCompletion.seen) \(word); and not \(FishCompletion.seen) \(words)"
        lines.append(
          "complete -c carillon -n \(quoted(condition)) -a \(second) -d \(quoted(summary))")
      }
    }
    return lines + tree.verbs.flatMap(verb)
  }

  private static let seen = "__fish_seen_subcommand_from"

  private func verb(_ verb: CommandLineVerb) -> [String] {
    let condition = quoted(verb.words.map { "\(FishCompletion.seen) \($0)" }.joined(separator: "; and "))
    var lines = verb.shownOptions.map { option in
      let values = ArgumentValues.of(option).map { " " + argument($0) } ?? ""
      return "complete -c carillon -n \(condition) -l \(option.name)\(values) -d \(quoted(option.help))"
    }
    switch ArgumentValues.ofOperands(verb) {
    case .files: lines.append("complete -c carillon -n \(condition) -F")
    case .choices(let choices):
      lines.append("complete -c carillon -n \(condition) -a \(quoted(choices.joined(separator: " ")))")
    case .anything, nil: break
    }
    return lines
  }

  private func argument(_ values: ArgumentValues) -> String {
    switch values {
    case .files: "-r -F"
    case .choices(let choices): "-x -a \(quoted(choices.joined(separator: " ")))"
    case .anything: "-x"
    }
  }

  /// In single quotes fish knows a backslash before a backslash or a quote.
  private func quoted(_ text: String) -> String {
    "'" + String(text.flatMap { #"\'"#.contains($0) ? ["\\", $0] : [$0] }) + "'"
  }
}
