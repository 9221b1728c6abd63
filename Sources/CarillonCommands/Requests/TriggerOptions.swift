import CarillonModel

/// Makes the `trigger` of a request from the options for it. What it is worth, the reader of commands says.
enum TriggerOptions {
  /// The options that become the member of the same name as they are.
  private static let texts = ["after", "every", "from", "at", "cron", "rrule", "start", "sun", "offset"]

  /// - Parameter ignoring: options that mean something else in the verb at hand.
  /// - Returns: nil where no option of a trigger is given.
  /// - Throws: `Refusal` where `--trigger` is not JSON, and where the notation of `--calendar` or `--when` is at fault.
  static func trigger(_ settings: Settings, ignoring: Set<String> = []) throws(Refusal) -> JSON? {
    var object = JSONObject()
    if let text = settings.text("trigger") {
      let given = try json(text, at: "trigger")
      guard case .object(let members) = given else { return given }
      object = members
    }
    for name in texts where !ignoring.contains(name) {
      if let text = settings.text(name) { object[name] = .string(text) }
    }
    if let text = settings.text("calendar") { object["calendar"] = try calendar(text) }
    if let text = settings.text("when") { object["when"] = try condition(text) }
    if settings.has("except") { object["except"] = .array(settings.list("except").map { .string($0) }) }
    if settings.has("repeats") { object["repeats"] = true }
    if let text = settings.text("count-limit") { object["count"] = number(text) }
    if let text = settings.text("until") { object["until"] = .string(text) }
    return object.members.isEmpty && !settings.has("trigger") ? nil : .object(object)
  }

  /// `weekday=mon,fri hour=7 minute=30`, as the field is written.
  private static func calendar(_ text: String) throws(Refusal) -> JSON {
    do {
      return try CalendarComponents(parsing: text).json
    } catch {
      throw error.refusal(at: "trigger.calendar")
    }
  }

  /// `TOPIC=VALUE`: a message whose text is the value. The topic ends at the first equals sign, since values hold one
  /// more often than topics do.
  private static func condition(_ text: String) throws(Refusal) -> JSON {
    guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
      throw Refusal(
        .invalid, at: "trigger.when", "write TOPIC=VALUE; every other condition is given with --trigger")
    }
    let value = text.utf8[text.utf8.index(after: sign)...]
    return ["topic": .string(String(text[..<sign])), "equals": .string(String(value) ?? "")]
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
