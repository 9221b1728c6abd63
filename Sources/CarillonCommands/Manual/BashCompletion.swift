/// The script for bash: one function that looks at the words before the cursor.
struct BashCompletion {
  let tree: VerbTree

  var lines: [String] {
    let head = [
      "# Completes the words of carillon in bash. Made by: carillon completion bash",
      "_carillon() {",
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} index skip= options= words=()",
      "  COMPREPLY=()",
      "  for ((index = 1; index < COMP_CWORD; index++)); do",
      "    if [[ -n $skip ]]; then skip=; continue; fi",
      "    case ${COMP_WORDS[index]} in",
      "      \(takingArguments.joined(separator: "|"))) skip=1 ;;",
      "      -*) ;;",
      "      *) words+=(\"${COMP_WORDS[index]}\") ;;",
      "    esac",
      "  done",
      "  if [[ -n $skip ]]; then",
      "    case $before in",
    ]
    let tail = [
      "  esac",
      "  if [[ $word == -* ]]; then",
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))",
      "  fi",
      "}",
      "complete -F _carillon carillon",
    ]
    return head + arguments + ["    esac", "    return", "  fi"] + firstWords + ["  case \"${words[*]} \" in"]
      + tree.verbs.flatMap(options) + tail
  }

  private var every: [Option] {
    var seen: Set<String> = []
    return tree.verbs.flatMap(\.shownOptions).filter { seen.insert($0.name).inserted }
  }

  private var takingArguments: [String] { every.filter { $0.argument != nil }.map { "--\($0.name)" } }

  /// What stands behind an option.
  private var arguments: [String] {
    let files = every.filter { ArgumentValues.of($0) == .files }.map { "--\($0.name)" }
    let some = every.compactMap { option -> String? in
      guard case .choices(let choices)? = ArgumentValues.of(option) else { return nil }
      return "      --\(option.name)) \(reply(choices)) ;;"
    }
    return some + ["      \(files.joined(separator: "|"))) \(BashCompletion.files) ;;"]
  }

  private var firstWords: [String] {
    var lines = [
      "  if ((${#words[@]} == 0)) && [[ $word != -* ]]; then",
      "    \(reply(tree.first.map(\.word) + ["help"]))",
      "    return",
      "  fi",
    ]
    for (first, _) in tree.first where !tree.below(first).isEmpty {
      lines += [
        "  if [[ ${words[*]} == \(first) && $word != -* ]]; then",
        "    \(reply(tree.below(first).map(\.word)))",
        "    return",
        "  fi",
      ]
    }
    return lines
  }

  /// A verb's options, and what it takes besides.
  private func options(_ verb: CommandLineVerb) -> [String] {
    let names = verb.shownOptions.map { "--\($0.name)" }.joined(separator: " ")
    var lines = ["    '\(verb.name) '*)", "      options='\(names)'"]
    switch ArgumentValues.ofOperands(verb) {
    case .files: lines.append("      [[ $word == -* ]] || \(BashCompletion.files)")
    case .choices(let choices):
      let isFirst = "((${#words[@]} == \(verb.words.count)))"
      lines.append("      if \(isFirst) && [[ $word != -* ]]; then \(reply(choices)); fi")
    case .anything, nil: break
    }
    return lines + ["      ;;"]
  }

  private func reply(_ words: [String]) -> String {
    "COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$word\"))"
  }

  private static let files =
    "{ compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); }"
}
