import CarillonModel

/// What a notification shows and opens, as options.
enum ContentOptions {
  static let group = OptionGroup(
    "Content (at least one of --title, --body and --url)",
    [
      Option("title", "TEXT", "The first line."),
      Option("subtitle", "TEXT", "The line below it."),
      Option("body", "TEXT", "The text."),
      Option("url", "LINK", "The deep link to open; {id} {due} {device} {delivery} are filled in."),
      Option("action", "ID=TITLE[=LINK]", repeatable: true, "A button, with a link of its own."),
      Option(
        "snooze", "D", repeatable: true, separator: ",",
        "A button that puts it off for so long: 10m becomes \"In 10 min\"."),
      Option("sound", "NAME", "The sound, such as default."),
      Option("badge", "N", "The number at the application's symbol."),
      Option("image", "LINK", "A picture, where the device shows pictures."),
      Option("thread", "NAME", "What it belongs to; cancel and withdraw take it whole."),
      Option("category", "NAME", "The kind of notification, for the device's rules."),
      Option("level", "LEVEL", "passive, active, timeSensitive or critical. Default active."),
      Option("user-info", "JSON", "Anything for the program that opens it."),
    ])

  static let request = OptionGroup(
    "Request",
    [
      Option("id", "ID", "The request's name: the same one again replaces it. Default: a new one, printed."),
      Option("to", "NAME", repeatable: true, separator: ",", "A device or a group. Default: every device."),
      SharedOptions.timezone,
      Option("expires", "D", "How long it is worth delivering after its time. Default: for ever."),
      Option(
        "catch-up", "HOW", "Firings missed while the relay was off: latest, all or none. Default latest."),
      Option(
        "nag", "SERIES",
        "Again until somebody answers: 'every=5m times=6 then=bedroom,hall'; then is for whom it comes next."),
      Option("revision", "N", "The publisher's own growing number; an older one is refused."),
    ])

  private static let texts = [
    "title", "subtitle", "body", "url", "sound", "image", "thread", "category", "level",
  ]

  /// The request that the options describe.
  ///
  /// - Throws: `Refusal` where an option that is JSON is not; everything else the reader of commands says.
  static func request(_ settings: Settings) throws -> JSONObject {
    var request: JSONObject = ["command": "schedule"]
    func add(_ name: String, _ value: JSON?) {
      if let value { request.append(name, value) }
    }
    add("id", settings.text("id").map { .string($0) })
    if settings.has("to") { add("to", .array(settings.list("to").map { .string($0) })) }
    for name in texts { add(name, settings.text(name).map { .string($0) }) }
    let buttons = settings.list("action").map(action) + NagOptions.snoozes(settings.list("snooze"))
    if !buttons.isEmpty { add("actions", .array(buttons)) }
    add("badge", settings.text("badge").map(TriggerOptions.number))
    add("userInfo", try settings.text("user-info").map { try TriggerOptions.json($0, at: "userInfo") })
    add("trigger", try TriggerOptions.trigger(settings))
    add("timezone", settings.text("timezone").map { .string($0) })
    add("expires", settings.text("expires").map { .string($0) })
    add("catchUp", settings.text("catch-up").map { .string($0) })
    add("nag", try settings.text("nag").map(NagOptions.nag))
    add("revision", settings.text("revision").map(TriggerOptions.number))
    return request
  }

  /// `ID=TITLE=LINK`; the link may hold further equals signs.
  private static func action(_ text: String) -> JSON {
    let parts = text.split(separator: "=", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    var action: JSONObject = ["id": .string(parts[0])]
    if parts.count > 1 { action.append("title", .string(parts[1])) }
    if parts.count > 2 { action.append("url", .string(parts[2])) }
    return .object(action)
  }
}
