import CarillonModel

/// `carillon devices`: lists the devices that have announced themselves, or forgets one.
enum Devices {
  static let verb = CommandLineVerb(
    "devices", "List the devices that have announced themselves, or forget one",
    forms: ["[--device NAME] [--json]", "--forget NAME"],
    configuration: .client,
    groups: [
      OptionGroup(
        "Which",
        [Listings.device, Option("forget", "NAME", "Drop this device and everything that waits for it.")]),
      SharedOptions.sending, SharedOptions.broker,
    ],
    examples: [
      .init("Who is there:", "carillon devices"),
      .init("A machine that will not come back:", "carillon devices --forget old-tablet"),
    ],
    run: run)

  private static func run(_ call: Invocation) throws -> ExitStatus {
    if let name = call.settings.text("forget") {
      let command: JSONObject = ["command": "forget", "device": .string(name)]
      return try Sending.send(CommandBatch([command]), call) { reply, console in
        console.print("\(name): \(reply["devices"]?[name]?.text ?? "forgotten")")
      }
    }
    return try Listings.list(
      "devices", call,
      titles: ["NAME", "ONLINE", "UNRECEIVED", "FOCUS", "PRESENCE", "AUTHORIZATION", "SCHEMES", "VERSION"],
      nothing: "no device has announced itself", rows: rows)
  }

  private static func rows(_ item: JSON) -> [[String]] {
    let profile = item["profile"] ?? .null
    let told = ["presence", "authorization", "schemes", "version"].map { profile[$0] }
    return [
      ([item["name"], item["online"], item["unreceived"]].map(Listings.cell) + [focus(item)])
        + told.map(Listings.cell)
    ]
  }

  private static func focus(_ item: JSON) -> String {
    guard item["focus"] == true else { return "off" }
    return item["focusUntil"]?.text.map { "until \(ShownTime.short($0))" } ?? "on"
  }
}
