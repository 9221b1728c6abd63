/// The help, made from the table of verbs and options.
enum Help {
  /// As wide as the narrowest terminal in use.
  static let width = 80
  private static let indent = 26

  /// `carillon --help`.
  static func overview(_ verbs: [CommandLineVerb]) -> [String] {
    let longest = verbs.map(\.name.count).max() ?? 0
    let list = verbs.map { verb in
      "  \(verb.name)" + String(repeating: " ", count: longest - verb.name.count + 2) + verb.summary
    }
    return [
      "carillon: one relay rings many devices, over MQTT.", "",
      "Usage: carillon VERB [OPTION…]", "       carillon help VERB", "       carillon --version", "", "Verbs",
    ] + list + ["", "Examples"] + lines(of: firstSteps) + [""] + everyOption + [""] + files + [""] + exits
  }

  /// `carillon help VERB`.
  static func page(_ verb: CommandLineVerb) -> [String] {
    var page = wrapped("carillon \(verb.name): \(verb.summary).", indent: 0) + [""]
    for (index, form) in verb.forms.enumerated() {
      page.append(
        (index == 0 ? "Usage: " : "       ") + "carillon \(verb.name)" + (form.isEmpty ? "" : " \(form)"))
    }
    if !verb.discussion.isEmpty { page += [""] + wrapped(verb.discussion, indent: 0) }
    for group in verb.groups {
      page += ["", group.title] + group.options.filter { !$0.isHidden }.flatMap(line)
    }
    return page + ["", "Examples"] + lines(of: verb.examples) + [""] + everyOption
  }

  static let firstSteps = [
    CommandLineVerb.Example("See it work on this machine, with a broker of its own:", "carillon demo"),
    CommandLineVerb.Example(
      "Start the relay, and a companion on each device:", "carillon relay & carillon companion"),
    CommandLineVerb.Example(
      "Tea in five minutes, on every device:", "carillon schedule --after 5m --title Tea"),
  ]

  private static let everyOption = wrapped(
    "Every option is also an environment variable (--keep-alive is CARILLON_KEEP_ALIVE) and a key of the "
      + "configuration file (keepAlive). A flag beats the environment, which beats the file.", indent: 0)

  static let files = [
    "Configuration files (JSON5)", "  /etc/carillon/relay.json5, companion.json5, client.json5",
    "  $XDG_CONFIG_HOME/carillon/…, else ~/.config/carillon/…; its keys beat those of /etc",
  ]

  static let exits = [
    "Exit status", "   0  done", "   1  anything not below; a link without a route", "  64  a wrong option",
    "  65  a request judged bad, here or by the relay; a link that is denied",
    "  69  the broker or the relay gave no answer in time", "  75  try later; a second relay on a store",
    "  78  a bad configuration",
  ]

  private static func lines(of examples: [CommandLineVerb.Example]) -> [String] {
    examples.flatMap { ["  \($0.purpose)", "    \($0.line)"] }
  }

  private static func line(_ option: Option) -> [String] {
    let head = "  \(option.signature)"
    let text = wrapped(option.help, indent: indent)
    guard head.count + 2 <= indent, let first = text.first else { return [head] + text }
    return [head + first.dropFirst(head.count)] + text.dropFirst()
  }

  private static func wrapped(_ text: String, indent: Int) -> [String] {
    let blanks = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty && indent + line.count + 1 + word.count > width {
        lines.append(blanks + line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return line.isEmpty ? lines : lines + [blanks + line]
  }
}
