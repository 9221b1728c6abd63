import CarillonModel

/// `carillon companion`: receives a device's notifications and navigates.
enum CompanionVerb {
  static let verb = CommandLineVerb(
    "companion", "Receive a device's notifications and navigate", forms: ["[OPTION…]"],
    configuration: .companion,
    groups: [
      OptionGroup(
        "Companion",
        [
          Option("device", "NAME", "The device's name. Default: the host's name, cleaned."),
          RoutesFile.option,
          Option("execute", "Run the route's command for each step; without it nothing is run."),
          Option("open", "HOW", "When a link is opened: arrival. Default arrival."),
          Option("state", "DIR", path: true, "The folder of the inbox. Default: carillon in the state folder."),
          Service.keepAlive, SharedOptions.json, Service.log,
        ]),
      SharedOptions.broker,
    ],
    discussion: "Prints one line a notification and one a step of navigation.",
    examples: [
      .init("Show what arrives:", "carillon companion"),
      .init("A kiosk that follows the links:", "carillon companion --device kitchen --routes routes.json5 --execute"),
      .init("For a program:", "carillon companion --json"),
    ],
    run: { _ in throw Failure(.failure, "") })
}
