import Testing

@testable import CarillonCommands

@Suite struct HelpTests {
  static let verbs = Carillon.verbs.map(\.name)

  private func verb(_ name: String) throws -> CommandLineVerb {
    try #require(Carillon.verbs.first { $0.name == name })
  }

  @Test(arguments: verbs) func everyVerbShowsWorkedExamples(_ name: String) throws {
    let verb = try verb(name)
    #expect(!verb.examples.isEmpty)
    for example in verb.examples { #expect(example.line.contains("carillon \(name)"), "\(example.line)") }
    let page = Run(["help"] + name.split(separator: " ").map(String.init)).output
    #expect(page.contains("Examples"))
    for example in verb.examples { #expect(page.contains("    " + example.line)) }
  }

  @Test(arguments: verbs) func helpIsTheSameBeforeAndBehindAVerb(_ name: String) {
    let words = name.split(separator: " ").map(String.init)
    let page = Run(["help"] + words)
    #expect(page.status == 0)
    #expect(page.errors.isEmpty)
    for form in [
      words + ["--help"], words + ["-h"], ["--help"] + words, words + ["--no-such-option", "--help"],
    ] {
      let other = Run(form)
      #expect(other.status == 0, "\(form)")
      #expect(other.output == page.output, "\(form)")
    }
  }

  @Test(arguments: verbs) func everyOptionIsExplained(_ name: String) throws {
    let page = Run(["help"] + name.split(separator: " ").map(String.init)).output.joined(separator: "\n")
    for option in try verb(name).options where !option.isHidden {
      #expect(page.contains("  --\(option.name)"), "\(option.name)")
      #expect(option.help.hasSuffix("."), "\(option.name)")
    }
  }

  @Test(arguments: verbs) func theTableHasEachOptionOnce(_ name: String) throws {
    let names = try verb(name).options.map(\.name)
    #expect(Set(names).count == names.count)
  }

  @Test(arguments: verbs) func theHelpFitsANarrowTerminal(_ name: String) throws {
    let examples = Set(try verb(name).examples.map { "    " + $0.line })
    for line in Run(["help"] + name.split(separator: " ").map(String.init)).output
    where !examples.contains(line) {
      #expect(line.count <= Help.width + 4, "\(line)")
    }
  }

  /// Every example is a command line that this program takes: its options exist, its operands fit.
  @Test(arguments: verbs) func theExamplesAreRealCommandLines(_ name: String) throws {
    for example in try verb(name).examples {
      let line = try #require(example.line.components(from: "carillon \(name)"))
      let verb = try verb(name)
      let words = try OptionParser(table: verb.options).parse(shellWords(line))
      #expect(verb.operands.count.contains(words.operands.count), "\(example.line)")
    }
  }

  /// The page of a person who asks what a trigger does must not lead to a refusal.
  @Test(arguments: Preview.verb.examples.map(\.line)) func thePreviewsAreShown(_ line: String) throws {
    let run = Run(["preview"] + shellWords(try #require(line.components(from: "carillon preview"))))
    #expect(run.status == 0)
    #expect(!run.output.isEmpty)
  }

  @Test(arguments: Schedule.verb.examples.map(\.line)) func theRequestsAreTaken(_ line: String) throws {
    let words = shellWords(try #require(line.components(from: "carillon schedule")))
    let settings = try Settings(
      table: Schedule.verb.options, words: try OptionParser(table: Schedule.verb.options).parse(words),
      environment: [:], configuration: .empty)
    if settings.has("request") {
      let json = try #require(line.components(from: "echo '")).prefix { $0 != "'" }
      try CommandBatch(parsing: Array(json.utf8)).check()
    } else {
      try CommandBatch([try ContentOptions.request(settings)]).check()
    }
  }

  @Test func theOverviewNamesEveryVerbAndExitStatus() {
    let overview = Run("--help")
    #expect(overview.status == 0)
    let text = overview.output.joined(separator: "\n")
    for name in Self.verbs { #expect(text.contains("  \(name) ")) }
    for status in ExitStatus.allCases { #expect(text.contains(" \(status.rawValue)  ")) }
    #expect(Run("help").output == overview.output)
  }

  @Test func withoutAVerbTheOverviewIsAnError() {
    let run = Run()
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    #expect(run.errors == Run("--help").output)
  }

  @Test func theVersionIsAResult() {
    #expect(Run("--version").output == ["carillon \(Carillon.version)"])
  }

  @Test func theHelpOfANounHasAllItsVerbs() {
    let text = Run("help", "routes").output.joined(separator: "\n")
    #expect(text.contains("carillon routes check:"))
    #expect(text.contains("carillon routes list:"))
    #expect(Run("routes", "--help").output == Run("help", "routes").output)
  }
}

extension String {
  /// What stands behind the beginning, up to a pipe.
  fileprivate func components(from beginning: String) -> String? {
    guard let range = firstRange(of: beginning) else { return nil }
    return String(self[range.upperBound...].prefix { $0 != "|" })
  }
}

/// Splits at blanks outside of single quotes, as the examples are written.
private func shellWords(_ line: String) -> [String] {
  var words: [String] = []
  var word = ""
  var isQuoted = false
  for character in line {
    if character == "'" {
      isQuoted.toggle()
    } else if character == " " && !isQuoted {
      if !word.isEmpty { words.append(word) }
      word = ""
    } else {
      word.append(character)
    }
  }
  return word.isEmpty ? words : words + [word]
}
