import CarillonModel

/// A route's command: a list of arguments with places to fill, never a line for a shell (protocol §7).
///
/// Each template gives exactly one argument, whatever a parameter holds: it cannot add one, an empty value stays an
/// empty argument, nothing in it is expanded again. What a parameter must not do is turn an argument into an option.
struct RunTemplate: Hashable, Sendable {
  /// The names that every command has besides the route's parameters: the step's text and the link as it came.
  static let reserved: Set<String> = ["step", "url"]

  let arguments: [TextTemplate]

  /// The program, where no link has a say in it.
  var program: String? {
    guard let first = arguments.first, first.names.isEmpty else { return nil }
    return first.fill { _ in .parameter("") }.text
  }

  /// The argument list for one step.
  ///
  /// - Throws: `forbidden`, at `run[n]`, where an argument would begin with `-` because of the link and no `--` of the
  ///   route's own stands before it; `invalid` for a NUL.
  func fill(step: FilledText, url: String, parameters: [String: String]) throws(Refusal) -> [String] {
    var filled: [String] = []
    filled.reserveCapacity(arguments.count)
    var optionsHaveEnded = false
    for (index, template) in arguments.enumerated() {
      let argument = template.fill { name in
        switch name {
        case "step": step
        case "url": .parameter(url)
        default: .parameter(parameters[name] ?? "")
        }
      }
      if argument.isInjectedOption, !optionsHaveEnded {
        throw Refusal(
          .forbidden, at: "run[\(index)]",
          "the link would make this argument an option, \"\(printable(argument.text))\"; "
            + "put \"--\" before it in the route where the program understands that")
      }
      if argument.text.utf8.contains(0) {
        throw Refusal(.invalid, at: "run[\(index)]", "the link would put a NUL into this argument")
      }
      // Only the route's own "--" counts; what came from a link ends nothing.
      if template.parts == [.text("--")] { optionsHaveEnded = true }
      filled.append(argument.text)
    }
    return filled
  }

  /// Whether a parameter stands within the script of a shell (`sh -c`), which would run what a link says.
  var putsParametersIntoShellScript: Bool {
    guard let program = arguments.first?.text.utf8.split(separator: UInt8(ascii: "/")).last,
      RunTemplate.shells.contains(String(decoding: Array(program), as: UTF8.self))
    else { return false }
    let options = arguments.dropFirst().prefix { $0.text.utf8.first == UInt8(ascii: "-") }
    guard options.contains(where: { $0.text.utf8.contains(UInt8(ascii: "c")) }),
      let script = arguments.dropFirst(1 + options.count).first
    else { return false }
    return !script.names.isEmpty
  }

  private static let shells: Set<String> = ["sh", "bash", "dash", "zsh", "ksh", "ash", "fish"]
}
