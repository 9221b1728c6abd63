/// The script for zsh, for a folder of its `fpath`.
struct ZshCompletion {
  let tree: VerbTree

  var lines: [String] {
    let first = tree.first.map { "    \(description($0.word, $0.summary))" }
    return [
      "#compdef carillon",
      "# Completes the words of carillon in zsh. Made by: carillon completion zsh",
      "_carillon() {",
      "  local -a verbs below",
      "  verbs=(",
    ] + first + [
      "  )",
      "  if (( CURRENT == 2 )); then",
      "    _describe -t verbs verb verbs",
      "    return",
      "  fi",
      "  shift words",
      "  (( CURRENT-- ))",
      "  case $words[1] in",
    ] + tree.first.flatMap { branch($0.word) } + [
      "  esac", "}",
      "if [ \"$funcstack[1]\" = _carillon ]; then _carillon \"$@\"; else compdef _carillon carillon; fi",
    ]
  }

  private func branch(_ first: String) -> [String] {
    let below = tree.below(first)
    let verbs = tree.verbs.filter { $0.words[0] == first }
    guard !below.isEmpty else {
      return ["    \(first))"] + verbs.flatMap { arguments($0, "      ") } + ["      ;;"]
    }
    return ["    \(first))", "      below=("] + below.map { "        \(description($0.word, $0.summary))" }
      + [
        "      )",
        "      if (( CURRENT == 2 )); then",
        "        _describe -t verbs verb below",
        "        return",
        "      fi",
        "      shift words",
        "      (( CURRENT-- ))",
        "      case $words[1] in",
      ] + verbs.flatMap { ["        \($0.words[1]))"] + arguments($0, "          ") + ["          ;;"] } + [
        "      esac",
        "      ;;",
      ]
  }

  private func arguments(_ verb: CommandLineVerb, _ indent: String) -> [String] {
    var specifications = verb.shownOptions.map(specification)
    if let values = ArgumentValues.ofOperands(verb) {
      specifications.append("'*:\(escaped(verb.operands.placeholder)):\(action(values))'")
    }
    let last = specifications.count - 1
    return ["\(indent)_arguments \\"]
      + specifications.enumerated().map { "\(indent)  \($1)" + ($0 < last ? " \\" : "") }
  }

  private func specification(_ option: Option) -> String {
    var text = (option.isRepeatable ? "*" : "") + "--\(option.name)[\(escaped(option.help))]"
    if let argument = option.argument, let values = ArgumentValues.of(option) {
      text += ":\(escaped(argument)):\(action(values))"
    }
    return quotedForShell(text)
  }

  private func action(_ values: ArgumentValues) -> String {
    switch values {
    case .files: "_files"
    case .choices(let choices): "(\(choices.joined(separator: " ")))"
    case .anything: " "
    }
  }

  private func description(_ word: String, _ summary: String) -> String {
    quotedForShell("\(word):\(summary)")
  }

  /// What has a meaning in a specification, without it.
  private func escaped(_ text: String) -> String {
    String(text.flatMap { #"[]:\"#.contains($0) ? ["\\", $0] : [$0] })
  }
}
