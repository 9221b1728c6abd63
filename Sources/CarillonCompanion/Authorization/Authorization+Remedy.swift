import CarillonModel

extension Authorization {
  /// What is told to somebody whose notification is not presented: why, and the command that changes it.
  ///
  /// - Parameters:
  ///   - rule: the one that `verdict` gave; `nil`: the standing of everybody.
  ///   - publisher: the notification's, which alone is let in where there is no rule.
  ///   - device: named in the command, since who reads it may sit at another machine.
  public func remedy(for rule: Rule?, from publisher: String?, on device: Name? = nil) -> String {
    let standing = rule?.standing ?? standard
    let why = standing == .ask ? "not decided yet" : standing.rawValue
    let whom = rule.map { "for \($0.words)" } ?? "by default"
    let chosen = rule ?? Rule(publisher: publisher ?? "", standing: .authorized)
    let name = device.map { " --device \($0)" } ?? ""
    return "\(why) \(whom); carillon device authorize\(name)\(chosen.options)"
  }
}

extension Authorization.Rule {
  /// What it is for, in words: `the publisher "x", the level passive`.
  public var words: String {
    var parts: [String] = []
    if let publisher {
      parts.append(publisher.isEmpty ? "commands without a publisher" : "the publisher \"\(publisher)\"")
    }
    if let thread {
      parts.append(thread.isEmpty ? "what has no thread" : "the thread \"\(printable(thread, limit: 256))\"")
    }
    if let level { parts.append("the level \(level)") }
    return parts.joined(separator: ", ")
  }

  /// Its selectors as options of a command line, each with a blank before it.
  var options: String {
    [("publisher", publisher), ("thread", thread), ("level", level)]
      .map { name, value in value.map { " --\(name) \(Self.quoted($0))" } ?? "" }.joined()
  }

  /// A word as a shell takes it.
  private static func quoted(_ word: String) -> String {
    let isPlain = !word.isEmpty && word.first != "-" && word.utf8.allSatisfy(Name.isAllowed)
    return isPlain ? word : "'\(word.replacing("'", with: "'\\''"))'"
  }
}
