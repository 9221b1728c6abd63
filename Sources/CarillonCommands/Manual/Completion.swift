import CarillonModel

/// `carillon completion`: prints what a shell has to know to complete words, from the table of verbs and options.
enum Completion {
  static let verb = CommandLineVerb(
    "completion", "Print a script with which a shell completes words", forms: ["bash|zsh|fish"],
    operands: .init("SHELL", 1...1), configuration: .nothing, groups: [],
    discussion: "The Debian package brings the scripts along.",
    examples: [
      .init("For this bash, or in ~/.bashrc:", "source <(carillon completion bash)"),
      .init("For zsh, to be kept as _carillon in a folder of its fpath:", "carillon completion zsh"),
      .init("For fish, to be kept as ~/.config/fish/completions/carillon.fish:", "carillon completion fish"),
    ],
    run: run)

  private static func run(_ call: Invocation) throws -> ExitStatus {
    let tree = VerbTree(verbs: Carillon.verbs)
    switch call.operands[0] {
    case "bash": call.console.print(lines: BashCompletion(tree: tree).lines)
    case "zsh": call.console.print(lines: ZshCompletion(tree: tree).lines)
    case "fish": call.console.print(lines: FishCompletion(tree: tree).lines)
    default: throw Failure.usage("\"\(printable(call.operands[0]))\" is none of bash, zsh, fish")
    }
    return .done
  }
}

/// A word for a POSIX shell, as it is.
func quotedForShell(_ text: String) -> String {
  "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
}
