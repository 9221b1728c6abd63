import CarillonModel

/// The companion's events as lines for a shell's `read`, and a shell's lines as answers.
///
/// Fields stand apart by one blank. Only the last of a line may hold blanks itself; in the others a blank and a percent sign
/// are written as `%20` and `%25`. No line holds a control character.
enum ShellWords {
  /// The line of an event; `nil` for what has none.
  static func line(_ event: JSON) -> String? {
    let kind = event["event"]?.text ?? ""
    let delivery = word(event["delivery"]?.text ?? "")
    switch kind {
    case "attached": return "attached \(word(event["device"]?.text ?? ""))"
    case "notification":
      let texts = ["title", "subtitle", "body", "id"].compactMap { event[$0]?.text }
      let title = texts.first { !$0.isEmpty } ?? ""
      return "\(event["held"] == true ? "held" : "notification") \(delivery) \(visible(title))"
    case "navigate":
      let numbers = ["step", "of"].map { word(event[$0]?.encodedText ?? "") }
      return "navigate \(delivery) \(numbers.joined(separator: " ")) \(visible(event["to"]?.text ?? ""))"
    case "withdrawn": return "withdrawn \(delivery) \(visible(event["reason"]?.text ?? "withdrawn"))"
    case "expired": return "expired \(delivery)"
    default: return nil
    }
  }

  /// The answer that a line is.
  ///
  /// - Throws: `invalid`, with what is wrong with the line.
  static func answer(
    _ line: String, _ dialogue: inout AttachDialogue, at now: Int64
  ) throws(Refusal) -> JSON {
    let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
    let rest = Array(words.dropFirst())
    switch (words.first ?? "", rest.count) {
    case ("done", 0): return try dialogue.settle(failure: nil)
    case ("failed", _): return try dialogue.settle(failure: behind(line, words: 1))
    case ("present", _): return try dialogue.present(rest, at: now)
    case ("tap", 1): return ["answer": "tap", "delivery": .string(text(rest[0]))]
    case ("dismiss", 1): return ["answer": "dismiss", "delivery": .string(text(rest[0]))]
    case ("act", 2...):
      var answer: JSONObject = [
        "answer": "act", "delivery": .string(text(rest[0])), "action": .string(text(rest[1])),
      ]
      if rest.count > 2 { answer.append("text", .string(behind(line, words: 3))) }
      return .object(answer)
    default:
      throw Refusal(
        .invalid,
        "\"\(printable(line))\" is none of done, failed REASON, present [WAY…], tap DELIVERY, "
          + "act DELIVERY ACTION [TEXT], dismiss DELIVERY")
    }
  }

  /// A field that is not the last: one word, whatever it holds.
  private static func word(_ text: String) -> String {
    guard !text.isEmpty else { return "-" }
    let escaped = text.replacing("%", with: "%25").replacing(" ", with: "%20")
    return visible(escaped)
  }

  /// What was written by `word`.
  private static func text(_ word: String) -> String {
    word.replacing("%20", with: " ").replacing("%25", with: "%")
  }

  /// What stands behind so many words.
  private static func behind(_ line: String, words: Int) -> String {
    var rest = line[...]
    for _ in 0..<words {
      rest = rest.drop { $0 == " " || $0 == "\t" }
      rest = rest.drop { $0 != " " && $0 != "\t" }
    }
    return String(rest.drop { $0 == " " || $0 == "\t" })
  }
}
