/// `carillon demo`: everything at once, on this machine.
enum Demo {
  static let verb = CommandLineVerb(
    "demo", "A private broker, a relay and companions at work, in one command", forms: [""],
    configuration: .client, groups: [],
    discussion:
      "Starts them as programs of their own in a temporary folder, and ends by itself after some ten seconds. "
      + "Needs mosquitto. Nothing on this machine is changed, and nothing stays.",
    examples: [.init("See it work:", "carillon demo")],
    run: run)

  private static func run(_ call: Invocation) throws -> ExitStatus {
    guard let broker = DemoBroker.program(call.surroundings.environment["PATH"]) else {
      throw Failure(
        .unavailable,
        "mosquitto, the broker that the demo runs, is not installed; apt install mosquitto, or dnf "
          + "install mosquitto, brings it")
    }
    let stage = try DemoStage(call.console, call.surroundings.environment)
    defer { stage.clear() }
    try DemoPlay(stage, broker).run()
    stage.clear()
    stage.say(
      "demo",
      "all of it was seen: at once, later with a link, replaced, cancelled. Everything is cleared away.")
    return .done
  }
}
