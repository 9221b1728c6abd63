import CarillonModel

/// Makes the `trigger` of a request from the options for it. What it is worth, the reader of commands says.
enum TriggerOptions {
  /// The members of a trigger and the options that give them, in the order in which they are written.
  private static let members: [(option: String, name: String)] = [
    ("after", "after"), ("every", "every"), ("from", "from"), ("at", "at"), ("calendar", "calendar"),
    ("cron", "cron"), ("rrule", "rrule"), ("start", "start"), ("sun", "sun"), ("offset", "offset"),
    ("when", "when"),
  ]

  /// - Parameter ignoring: options that mean something else in the verb at hand.
  /// - Returns: nil where no option of a trigger is given.
  /// - Throws: `Refusal` where `--trigger` is not JSON.
  static func trigger(_ settings: Settings, ignoring: Set<String> = []) throws -> JSON? {
    var object = JSONObject()
    if let text = settings.text("trigger") {
      let given = try json(text, at: "trigger")
      guard case .object(let members) = given else { return given }
      object = members
    }
    for (option, name) in members where !ignoring.contains(option) {
      if let text = settings.text(option) { object[name] = .string(text) }
    }
    if settings.has("except") { object["except"] = .array(settings.list("except").map { .string($0) }) }
    if settings.has("repeats") { object["repeats"] = true }
    if let text = settings.text("count-limit") { object["count"] = number(text) }
    if let text = settings.text("until") { object["until"] = .string(text) }
    return object.members.isEmpty && !settings.has("trigger") ? nil : .object(object)
  }

  /// A whole number where the text is one; else the text, for the reader to refuse.
  static func number(_ text: String) -> JSON { Int64(text).map { .integer($0) } ?? .string(text) }

  /// - Throws: `Refusal` (malformed) with the place.
  static func json(_ text: String, at path: String) throws(Refusal) -> JSON {
    do throws(MalformedJSON) {
      return try JSON(parsing: Array(text.utf8))
    } catch {
      throw Refusal(.malformed, at: path, error.message)
    }
  }
}
