import CarillonTestSupport
import Testing

/// The documentation keeps up with the code.
@Suite struct PageTests {
  static let catalog = "Sources/carillon/Carillon.docc"

  /// A promise names the tests that hold it: `Suite: test`.
  @Test func everyPromiseIsHeldByTestsThatExist() throws {
    let tests = try Repository.files("Tests", ending: ".swift").map { try Repository.text($0) }
    let cited = try Repository.lines("\(Self.catalog)/Guarantees.md").filter { $0.hasPrefix("- Held by: ") }
    #expect(cited.count > 20)
    for line in cited {
      let parts = line.split(separator: "`", omittingEmptySubsequences: false)
      let names = try #require(parts.count == 3 ? String(parts[1]) : nil, "\(line)")
      let colon = try #require(names.firstRange(of: ": "), "\(line)")
      let (suite, test) = (String(names[..<colon.lowerBound]), String(names[colon.upperBound...]))
      let isThere = tests.contains { text in
        ["struct \(suite)", "class \(suite)", "extension \(suite)"].contains {
          !places(of: $0, in: text).isEmpty
        }
          && ["func \(test)(", "`\(test)`(", "\"\(test)\""].contains { !places(of: $0, in: text).isEmpty }
      }
      #expect(isThere, "\(suite) has no test \(test)")
    }
  }

  @Test func everyLinkBetweenPagesLeadsSomewhere() throws {
    for page in try Repository.files(Self.catalog, ending: ".md") {
      for rest in try Repository.text(page).split(separator: "<doc:").dropFirst() {
        let name = rest.prefix { $0 != ">" }
        #expect(try !Repository.text("\(Self.catalog)/\(name).md").isEmpty, "\(page)")
      }
    }
    for rest in try Repository.text("README.md").split(separator: "](").dropFirst() {
      let path = String(rest.prefix { $0 != ")" })
      #expect(try !Repository.text(path).isEmpty, "README.md links to \(path)")
    }
  }

  /// The architecture page shows the table that the tests hold.
  @Test(arguments: House.imports.keys.sorted()) func thePageShowsTheTable(_ room: String) throws {
    let rows = try Repository.lines("\(Self.catalog)/Architecture.md").filter {
      $0.hasPrefix("| `\(room)` |")
    }
    let row = try #require(rows.first)
    let cells = row.split(separator: "|").map(String.init)
    for module in try #require(House.imports[room]) where room != "CarillonCommands" {
      let short = module.hasPrefix("Carillon") ? String(module.dropFirst("Carillon".count)) : module
      #expect(!places(of: short, in: cells[cells.count - 1]).isEmpty, "\(room): \(module)")
    }
  }

  /// Every verb and every option that the program's own help has.
  @Test func theCommandLineHasItsPage() throws {
    let page = try Repository.text("\(Self.catalog)/CommandLine.md")
    let verbs = try help([]).drop { $0 != "Verbs" }.dropFirst().prefix { !$0.isEmpty }
      .map { $0.split(separator: "  ").first.map(String.init) ?? "" }
    #expect(verbs.count > 10)
    for verb in verbs {
      #expect(!places(of: "carillon \(verb)", in: page).isEmpty, "\(verb)")
      for line in try help(verb.split(separator: " ").map(String.init)) where line.hasPrefix("  --") {
        let option = line.dropFirst(2).prefix { $0 != " " }
        #expect(option == "--help" || !places(of: String(option), in: page).isEmpty, "\(verb) \(option)")
      }
    }
  }

  /// What a page says that a preview prints is what it prints.
  @Test(arguments: ["README.md", "\(catalog)/Tutorial.md", "\(catalog)/CommandLine.md"])
  func thePreviewsPrintWhatThePageSays(_ page: String) throws {
    var shown: [(line: String, output: [String])] = []
    var isInside = false
    for line in try Repository.lines(page) {
      if line.hasPrefix("$ ") || line == "```" { isInside = false }
      if line.hasPrefix("$ carillon preview ") {
        shown.append((String(line.dropFirst(2)), []))
        isInside = true
      } else if isInside {
        shown[shown.count - 1].output.append(String(line))
      }
    }
    #expect(!shown.isEmpty)
    for (line, output) in shown {
      let words = shellWords(line).dropFirst()
      let program = try Program(Array(words))
      try program.waitForExit()
      #expect(program.lines() + program.lines(.errors) == output, "\(line)")
    }
  }

  /// Splits at blanks outside of single quotes, as the pages are written.
  private func shellWords(_ line: String) -> [String] {
    var words: [String] = []
    for (index, part) in line.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
      words += index % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
    }
    return words
  }

  private func help(_ words: [String]) throws -> [String] {
    let program = try Program(["help"] + words)
    #expect(try program.waitForExit() == .exited(0))
    return program.lines()
  }

  @Test(arguments: ["relay", "companion"]) func everySettingIsExplained(_ file: String) throws {
    let page = try Repository.text("\(Self.catalog)/Configuration.md")
    let keys = try Repository.lines("config/\(file).json5").filter {
      $0.hasPrefix("  ") && !$0.hasPrefix("  /")
    }
    .filter { $0.dropFirst(2).first?.isLetter == true }
    .map { String($0.dropFirst(2).prefix { $0 != ":" }) }
    #expect(keys.count > 8)
    for key in keys { #expect(!places(of: "`\(key)", in: page).isEmpty, "\(key)") }
  }
}
