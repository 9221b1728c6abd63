/// `carillon demo`: everything at once, on this machine.
enum Demo {
  static let verb = CommandLineVerb(
    "demo", "A private broker, a relay, two companions and a few reminders, in one command", forms: [""],
    configuration: .client, groups: [], examples: [.init("See it work, in ten seconds:", "carillon demo")],
    run: { _ in throw Failure(.failure, "") })
}
