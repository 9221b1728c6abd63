import Testing

/// Constructs that the house does without.
@Suite struct ConstructTests {
  struct Ban: CustomTestStringConvertible, Sendable {
    let word: String
    let reason: String
    /// Whether the targets that only tests are built with do without it as well.
    var inTestSupport = true

    var testDescription: String { word }
  }

  static let bans = [
    Ban(word: "try!", reason: "an error that input can cause would end the program"),
    Ban(word: "as!", reason: "a value of another kind would end the program"),
    Ban(word: "fatalError(", reason: "nothing that input can reach ends the program"),
    Ban(word: "Date()", reason: "time comes in as a value"),
    Ban(word: "DispatchQueue", reason: "one thread, one loop", inTestSupport: false),
    Ban(word: "Mutex", reason: "one thread needs no lock"),
    Ban(word: " async ", reason: "one thread, one loop", inTestSupport: false),
    Ban(word: " await ", reason: "one thread, one loop", inTestSupport: false),
    Ban(word: "Task {", reason: "one thread, one loop", inTestSupport: false),
  ]

  @Test(arguments: bans) func noSourceHas(_ ban: Ban) {
    #expect(Repository.sources.count > 100)
    for (file, code) in Repository.sources {
      guard ban.inTestSupport || !file.hasPrefix("Sources/CarillonTestSupport/") else { continue }
      for (index, line) in code.lines.enumerated() where SwiftCode.has(ban.word, in: line) {
        Issue.record("\(file):\(index + 1) has \(ban.word): \(ban.reason)")
      }
    }
  }

  /// Where a C library is wrapped, the compiler cannot know what is safe; there a comment directly above says why it is.
  @Test(arguments: ["@unchecked Sendable", "nonisolated(unsafe)"])
  func whatTheCompilerIsToldToBelieveIsProvedBesideIt(_ word: String) throws {
    for (file, code) in Repository.sources {
      for (index, line) in code.lines.enumerated() where !places(of: word, in: line).isEmpty {
        let text = try Repository.lines(file)
        let room = file.split(separator: "/").dropFirst().first.map(String.init) ?? ""
        #expect(House.wrappers.contains(room) || room == "CarillonTestSupport", "\(file):\(index + 1)")
        let above = index > 0 ? text[index - 1].drop { $0 == " " } : ""
        #expect(above.hasPrefix("//"), "\(file):\(index + 1) has no proof above it")
      }
    }
  }

  @Test func noSourceIsTooLongToRead() throws {
    for file in try Repository.files("Sources", ending: ".swift") {
      let count = try Repository.lines(file).count - 1
      #expect(count <= House.longestFile, "\(file) has \(count) lines")
    }
  }
}

extension SwiftCode {
  /// Whether a line has a word that is not the end of a longer one (`as!` is not in `alias!`).
  static func has(_ word: String, in line: String) -> Bool {
    guard line.utf8.count >= word.utf8.count else { return false }
    return places(of: word, in: line).contains { place in
      guard place > 0, word.first != " " else { return true }
      let before = Character(Unicode.Scalar(Array(line.utf8)[place - 1]))
      return !(before.isLetter || before.isNumber || before == "_")
    }
  }
}
