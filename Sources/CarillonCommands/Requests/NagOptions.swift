import CarillonModel

/// What comes again, as options.
enum NagOptions {
  /// `every=5m times=6 then=bedroom,hall`. What each may be is for the reader of commands to say.
  ///
  /// - Throws: `Refusal` for a word that is none of the three.
  static func nag(_ text: String) throws(Refusal) -> JSON {
    var nag = JSONObject()
    for word in text.split(separator: " ") {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let (name, value) = (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
      guard ["every", "times", "then"].contains(name), parts.count == 2 else {
        throw Refusal(
          .invalid, at: "nag",
          "\"\(printable(String(word)))\" is none of every=D, times=N and then=DEVICE,…, with blanks between them"
        )
      }
      guard nag[name] == nil else { throw Refusal(.invalid, at: "nag", "\(name) is given twice") }
      switch name {
      case "every": nag.append(name, .string(value))
      case "times": nag.append(name, TriggerOptions.number(value))
      default: nag.append(name, .array(value.split(separator: ",").map { .string(String($0)) }))
      }
    }
    return .object(nag)
  }

  /// A button for each duration. The first is `snooze`, the others carry theirs in the id.
  static func snoozes(_ texts: [String]) -> [JSON] {
    texts.enumerated().map { index, text in
      [
        "id": .string(index == 0 ? "snooze" : "snooze-\(index + 1)"), "title": .string(title(text)),
        "snooze": .string(text),
      ]
    }
  }

  /// `In 10 min`; a duration in another form is shown as it was written.
  private static func title(_ text: String) -> String {
    guard let milliseconds = try? Duration(parsing: text).milliseconds, milliseconds > 0 else {
      return "In \(text)"
    }
    let units: [(Int64, String)] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1000, "s")]
    for (size, unit) in units where milliseconds % size == 0 { return "In \(milliseconds / size) \(unit)" }
    return "In \(text)"
  }
}
