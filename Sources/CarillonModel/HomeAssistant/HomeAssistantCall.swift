/// Home Assistant's notify call (protocol §2): `message` where a request has `body`, devices under `target`, and nearly
/// everything else under `data`, in the words of its phone apps.
///
/// It is translated into a request in the protocol's own words, which is then read like any other. What is wrong with it
/// is told at the place where the caller wrote it.
struct HomeAssistantCall {
  let fields: Fields
  /// What stands under `data`; no members where there is none.
  let data: Fields
  /// The request, as far as it has been translated.
  var request = JSONObject()
  /// Where a field of the request was written, if not under its own name.
  var origins: [String: String] = [:]
  /// Members of `data` that have found their place.
  var taken: Set<String> = []

  /// Whether an object is such a call: it has a `message`, and no verb but the default.
  static func isOne(_ object: JSONObject) -> Bool {
    guard object["message"] != nil else { return false }
    return switch object["command"] {
    case nil, .null: true
    case .string(let word): word == Verb.schedule.rawValue
    default: false
    }
  }

  /// The id that a call names; `nil` where it names none.
  static func identifier(_ object: JSONObject) -> String? {
    object["id"]?.text ?? object["data"]?["tag"]?.scalarText
  }

  /// The command that a call asks for.
  ///
  /// - Parameter origins: becomes where its request's fields were written.
  /// - Throws: `invalid` or `unknown-field`, with the place.
  static func command(reading fields: Fields, _ origins: inout [String: String]) throws(Refusal) -> Command {
    var call = try HomeAssistantCall(fields)
    let command = try call.command()
    origins = call.origins
    return command
  }

  private static let names = Request.scheduleNames.subtracting(["body"]).union([
    "message", "target", "data", "command", "key", "replyTo",
  ])

  private init(_ fields: Fields) throws(Refusal) {
    if fields.has("body") {
      throw fields.refusal("body", "message is the body of Home Assistant's form; give one of the two")
    }
    try fields.allow(only: HomeAssistantCall.names)
    self.fields = fields
    switch fields["data"] {
    case nil: data = Fields(JSONObject(), at: fields.place("data"))
    case .object(let object): data = Fields(object, at: fields.place("data"))
    case .string:
      throw fields.refusal(
        "data",
        "is a text where an object is wanted; write \"data\": {{ data | to_json }}, without quotes around it")
    case let value?: throw fields.refusal("data", "expected an object, got \(value.kind)")
    }
  }

  private mutating func command() throws(Refusal) -> Command {
    let message = try message()
    if message == HomeAssistantCall.clearing { return try clear() }
    guard !HomeAssistantCall.isPhoneCommand(message) else {
      throw fields.refusal(
        "message",
        "\(printable(message)) is a command to Home Assistant's phone apps, which means nothing here; send it to them"
      )
    }
    for member in fields.object.members where Request.scheduleNames.contains(member.name) {
      request.append(member.name, member.value)
    }
    put("body", .string(message), from: "message")
    try checkRendered(fields["title"]?.text, at: "title")
    if fields.has("title"), let title = try text("title", of: fields) { request["title"] = .string(title) }
    try takeTarget()
    try takeData()
    do { return .schedule(try Request(reading: Fields(request))) } catch {
      throw HomeAssistantCall.moved(error, origins)
    }
  }

  private func message() throws(Refusal) -> String {
    guard let message = try text("message", of: fields) else {
      throw fields.refusal(
        "message", "is null: the template gave nothing; default(\"…\") gives it words")
    }
    try checkRendered(message, at: "message")
    return message
  }

  /// A template that came as it was written, or as `None`, is a slip of whoever wrote it, never what somebody is to read.
  private func checkRendered(_ text: String?, at name: String) throws(Refusal) {
    guard let text else { return }
    guard !JSON.holdsTemplate(text.utf8) else {
      throw fields.refusal(
        name,
        "holds a template that was not rendered; templates work in an action's data, not inside other templates"
      )
    }
    guard text != "None" else {
      throw fields.refusal(
        name,
        "is None, which a template gives where there is nothing; default(\"…\") gives it words"
      )
    }
  }

  // MARK: Commands to the phone apps

  /// Takes the notification of that tag back.
  private static let clearing = "clear_notification"

  private static let phoneCommands: Set<String> = [
    "TTS", "request_location_update", "remove_channel", "clear_badge", "delete_alert", "update_complications",
    "update_widgets",
  ]

  private static func isPhoneCommand(_ message: String) -> Bool {
    phoneCommands.contains(message)
      || message.hasPrefix("command_") && message.utf8.allSatisfy { Name.isAllowed($0) }
  }

  private func clear() throws(Refusal) -> Command {
    guard !fields.has("trigger") else {
      throw fields.refusal(
        "trigger", "clear_notification takes a notification back at once; leave trigger out")
    }
    let tag = try text("tag", of: data)
    guard let id = try fields.string("id") ?? tag, !id.isEmpty else {
      throw fields.refusal("message", "clear_notification needs data.tag: the tag of what it takes back")
    }
    return .withdraw(.ids([id]))
  }

  // MARK: Target

  private mutating func takeTarget() throws(Refusal) {
    guard let target = fields["target"] else { return }
    guard !fields.has("to") else {
      throw fields.refusal("target", "target and to are the same; give one of the two")
    }
    try checkTarget(target.text, at: "target")
    for (index, element) in (target.elements ?? []).enumerated() {
      try checkTarget(element.text, at: "target[\(index)]")
    }
    put("to", target, from: "target")
  }

  private func checkTarget(_ target: String?, at name: String) throws(Refusal) {
    try checkRendered(target, at: name)
    let foreign = ["notify.", "mobile_app_", "device_tracker.", "person."]
    guard let target, foreign.contains(where: { target.hasPrefix($0) }) else { return }
    throw fields.refusal(
      name,
      "\"\(printable(target))\" is Home Assistant's; a target here is a device or group of this relay, such as \"kitchen\", or \"all\""
    )
  }
}
