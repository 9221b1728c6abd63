import CarillonModel

/// `carillon relay`: keeps the queue and fires.
enum RelayVerb {
  static let verb = CommandLineVerb(
    "relay", "Keep the queue of requests and fire them when they are due", forms: ["[OPTION…]"],
    configuration: .relay,
    groups: [
      OptionGroup(
        "Relay",
        [
          Option("store", "sqlite:PATH", "Where the queue is kept. Default: carillon/relay.db in the state folder."),
          Option("timezone", "ZONE", "The zone of times without an offset. Default: the system's."),
          Service.keepAlive, Service.log,
        ]),
      SharedOptions.broker,
    ],
    discussion: "Starts without a broker and connects when there is one. Everything else is set in relay.json5.",
    examples: [
      .init("With the broker on this machine:", "carillon relay"),
      .init(
        "With another one, and the queue in a file of its own:",
        "carillon relay --broker mqtt://broker.example --store sqlite:/var/lib/carillon/relay.db"),
    ],
    run: { _ in throw Failure(.failure, "") })
}
