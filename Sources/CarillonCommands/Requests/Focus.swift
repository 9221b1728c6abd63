import CarillonModel

/// `carillon focus`: turns do not disturb on or off for devices.
enum Focus {
  static let verb = CommandLineVerb(
    "focus", "Turn do not disturb on or off for devices", forms: ["on|off DEVICE… [--until TIME]"],
    operands: .init("on|off DEVICE…", 2...Int.max), configuration: .client,
    groups: [
      OptionGroup("How long", [until]), OptionGroup("Other forms", [SharedOptions.queue]),
      SharedOptions.sending, SharedOptions.broker,
    ],
    discussion:
      "DEVICE is a device, a group or all. The relay keeps it, so a device that sleeps finds it when it wakes. While it "
      + "is on, notifications below timeSensitive are listed, not shown.",
    examples: [
      .init("Not at the desk, until it is turned off:", "carillon focus on desk"),
      .init("Nowhere, until tomorrow morning:", "carillon focus on all --until 2026-12-02T07:00"),
      .init("Again, please:", "carillon focus off desk"),
    ],
    run: run)

  private static let until = Option(
    "until", "TIME",
    "When it ends by itself: 2026-12-24T18:00; without an offset as the clocks show where the relay is.")

  private static func run(_ call: Invocation) throws -> ExitStatus {
    let word = call.operands[0]
    guard word == "on" || word == "off" else {
      throw Failure.usage("focus is turned on or off, not \"\(printable(word))\"")
    }
    var command: JSONObject = [
      "command": "focus", "devices": .array(call.operands.dropFirst().map { .string($0) }),
      "on": .bool(word == "on"),
    ]
    if let until = call.settings.text("until") { command.append("until", .string(until)) }
    return try Sending.send(CommandBatch([command]), call, describe: describe)
  }

  /// Tells a person about a good reply.
  private static func describe(_ reply: JSON, _ console: Console) {
    guard case .object(let devices)? = reply["devices"] else { return console.print(reply) }
    let until = reply["until"]?.text.map { " until \(ShownTime.short($0))" } ?? ""
    for member in devices.members { console.print("\(member.name): \(member.value.text ?? "-")\(until)") }
    if devices.members.isEmpty { console.say("carillon focus: no device has announced itself") }
    let unknown = (reply["unknown"]?.elements ?? []).compactMap(\.text)
    if !unknown.isEmpty {
      console.say(
        "carillon focus: nothing by the name of \(unknown.joined(separator: ", ")) has announced itself yet")
    }
  }
}
