import CarillonModel

/// The replies of the verbs that mark requests: one word an id, or a number where there are many.
enum Marks {
  static func describe(_ reply: JSON, _ console: Console) {
    if case .object(let ids)? = reply["ids"] {
      for member in ids.members { console.print("\(member.name): \(member.value.text ?? "-")") }
      if ids.members.isEmpty { console.say("carillon: nothing was there") }
    } else if let count = reply["count"] {
      console.print("\(count.encodedText) \(word(reply["command"]?.text))")
    } else if let device = reply["device"]?.text {
      console.print("\(device): forgotten")
    } else {
      console.print(reply)
    }
  }

  /// What became of requests by a command, in the words that replies have for each.
  private static func word(_ command: String?) -> String {
    switch command {
    case "cancel": "cancelled"
    case "withdraw": "withdrawn"
    case "pause": "paused"
    case "resume": "pending again"
    case "fire": "fired"
    default: "done"
    }
  }

  /// The command over ids, a thread, or all; exactly one of them.
  static func command(_ verb: String, _ call: Invocation) throws -> JSONObject {
    let settings = call.settings
    let given = [
      call.operands.isEmpty ? nil : "ids", settings["thread"].map { _ in "--thread" },
      settings["all"].map { _ in "--all" },
    ].compactMap { $0 }
    guard given.count == 1 else {
      let forms =
        call.verb.options.contains { $0.name == "thread" } ? "ids, --thread or --all" : "ids or --all"
      throw Failure.usage(
        given.isEmpty ? "name the requests: \(forms)" : "give \(given.joined(separator: " or ")), not both")
    }
    var command: JSONObject = ["command": .string(verb)]
    if !call.operands.isEmpty { command.append("ids", .array(call.operands.map { .string($0) })) }
    if let thread = settings.text("thread") { command.append("thread", .string(thread)) }
    if settings.has("all") { command.append("all", true) }
    return command
  }

  static let thread = Option("thread", "NAME", "Every request of this thread.")
  static let all = Option("all", "Every request.")
}
