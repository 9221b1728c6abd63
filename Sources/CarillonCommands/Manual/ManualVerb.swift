import CarillonModel

/// `carillon man`: prints a page of the manual, made from the table of verbs and options. Packages are built with it; no
/// list of verbs names it.
enum ManualVerb {
  static let verb = CommandLineVerb(
    "man", "Print a page of the manual in the form of man(7)", forms: ["PAGE", "--names"],
    operands: .init("PAGE", 0...1), configuration: .nothing,
    groups: [OptionGroup("Output", [Option("names", key: .none, "Print the names of all pages instead.")])],
    examples: [.init("Read one:", "carillon man carillon-relay | man -l -")], run: run)

  /// Every page: the program's, and one a verb.
  static var pages: [(name: String, verb: CommandLineVerb?)] {
    [("carillon", nil)]
      + Carillon.verbs.map { (name: "carillon-" + $0.words.joined(separator: "-"), verb: $0) }
  }

  private static func run(_ call: Invocation) throws -> ExitStatus {
    if call.settings.has("names") {
      call.console.print(lines: pages.map(\.name))
      return .done
    }
    let name = call.operands.first ?? "carillon"
    guard let page = pages.first(where: { $0.name == name }) else {
      throw Failure.usage("there is no page \"\(printable(name))\"; carillon man --names lists them")
    }
    call.console.print(lines: page.verb.map(ManualPage.lines) ?? ManualPage.overview(Carillon.verbs))
    return .done
  }
}
