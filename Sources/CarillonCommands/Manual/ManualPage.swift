/// A page of the manual as man(7) has it.
enum ManualPage {
  /// `carillon(1)`.
  static func overview(_ verbs: [CommandLineVerb]) -> [String] {
    var page = head("carillon", "one relay rings many devices, over MQTT")
    page += [
      ".B carillon", #"\fIVERB\fR [\fIOPTION\fR…]"#, ".br", ".B carillon help", #"\fIVERB\fR"#, ".br",
      ".B carillon \\-\\-version", ".SH DESCRIPTION",
      text(
        "A relay keeps requests for notifications and fires them when they are due; a companion on each device shows "
          + "them and opens their links. Everything travels through an MQTT broker."),
      ".SH VERBS",
    ]
    for verb in verbs {
      page += [".TP", bold("carillon \(verb.name)"), text(verb.summary + ".")]
    }
    page += examples(Help.firstSteps) + ending
    let others = verbs.map { "\(bold("carillon-" + $0.words.joined(separator: "-")))(1)" }
    return page + [".SH SEE ALSO", ".ad l", ".nh"] + others.dropLast().map { $0 + "," } + others.suffix(1)
  }

  /// `carillon-VERB(1)`.
  static func lines(_ verb: CommandLineVerb) -> [String] {
    let name = "carillon-" + verb.words.joined(separator: "-")
    var page = head(name, verb.summary.prefix(1).lowercased() + verb.summary.dropFirst())
    for (index, form) in verb.forms.enumerated() {
      page += (index == 0 ? [] : [".br"]) + [".B " + escaped("carillon \(verb.name)"), text(form)]
    }
    page += [
      ".SH DESCRIPTION", text(verb.discussion.isEmpty ? verb.summary + "." : verb.discussion), ".SH OPTIONS",
    ]
    for group in verb.groups {
      page.append(".SS \(escaped(group.title))")
      for option in group.options where !option.isHidden {
        let argument = option.argument.map { #" \fI"# + escaped($0) + #"\fR"# } ?? ""
        page += [
          ".TP", bold("--\(option.name)") + argument + (option.isRepeatable ? " …" : ""), text(option.help),
        ]
      }
    }
    return page + examples(verb.examples) + ending + [".SH SEE ALSO", bold("carillon") + "(1)"]
  }

  private static func head(_ name: String, _ summary: String) -> [String] {
    [
      #"'\" -*- coding: utf-8 -*-"#,
      #".TH "\#(name.uppercased())" 1 "" "carillon \#(Carillon.version)" "Carillon""#, ".SH NAME",
      escaped(name) + #" \- "# + escaped(summary), ".SH SYNOPSIS",
    ]
  }

  private static let ending =
    [
      ".SH ENVIRONMENT AND FILES",
      text(
        "Every option is also an environment variable (--keep-alive is CARILLON_KEEP_ALIVE) and a key of the "
          + "configuration file (keepAlive). A flag beats the environment, which beats the file."),
      ".PP", ".nf",
    ] + Help.files.map(text) + [".fi", ".SH EXIT STATUS", ".nf"] + Help.exits.dropFirst().map(text) + [".fi"]

  private static func examples(_ examples: [CommandLineVerb.Example]) -> [String] {
    [".SH EXAMPLES"]
      + examples.flatMap { [".PP", text($0.purpose), ".PP", ".RS 4", ".nf", text($0.line), ".fi", ".RE"] }
  }

  private static func bold(_ text: String) -> String { #"\fB"# + escaped(text) + #"\fR"# }

  /// A line that is no request, whatever it begins with.
  private static func text(_ line: String) -> String {
    let line = escaped(line)
    return line.hasPrefix(".") || line.hasPrefix(#"\(aq"#) ? #"\&"# + line : line
  }

  /// What would have a meaning for roff, or be shown as another character, without it.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += #"\e"#
      case "-": result += #"\-"#
      case "'": result += #"\(aq"#
      case "`": result += #"\(ga"#
      case "^": result += #"\(ha"#
      case "~": result += #"\(ti"#
      default: result.append(character)
      }
    }
    return result
  }
}
