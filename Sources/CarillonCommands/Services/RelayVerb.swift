import CarillonModel
import CarillonRelay
import CarillonSchedule
import CarillonStore

/// `carillon relay`: keeps the queue and fires.
enum RelayVerb {
  static let verb = CommandLineVerb(
    "relay", "Keep the queue of requests and fire them when they are due", forms: ["[OPTION…]"],
    configuration: .relay,
    groups: [
      OptionGroup(
        "Relay",
        [
          RelayStore.option,
          Option("timezone", "ZONE", "The zone of times without an offset. Default: the system's."),
          Option(
            "location", "LAT,LON",
            "Where the sun rises and sets, in degrees north and east: 52.5,13.4. Default: none."),
          Option(
            "metrics", "FILE", path: true,
            "Write the counts to this file for Prometheus's textfile collector. Default: none."),
          Service.keepAlive, Service.log,
        ]),
      SharedOptions.broker,
    ],
    discussion:
      "Starts without a broker and connects when there is one. Everything else is set in relay.json5.",
    examples: [
      .init("With the broker on this machine:", "carillon relay"),
      .init(
        "With another one, and the queue in a file of its own:",
        "carillon relay --broker mqtt://broker.example --store sqlite:/var/lib/carillon/relay.db"),
    ],
    run: run)

  private static func run(_ call: Invocation) throws -> ExitStatus {
    let configuration = try configuration(call)
    try Service.check(configuration.tls, configuration.broker, call)
    let path = try configuration.store ?? RelayStore.defaultPath(call)
    RelayService.ownProcess()
    do {
      let service = try RelayService(configuration: configuration, store: path, version: Carillon.version)
      return ExitStatus(rawValue: try service.run { try Self.configuration(call.reread()) }) ?? .failure
    } catch let error as StoreError {
      throw Service.failure(error, store: path, option: "--store sqlite:PATH")
    } catch let error as Refusal {
      throw Service.failure(error, call)
    }
  }

  /// - Throws: `Failure` for a setting that the relay refuses.
  static func configuration(_ call: Invocation) throws -> RelayConfiguration {
    do throws(Refusal) { return try RelayConfiguration(reading: document(call)) } catch {
      throw Service.failure(error, call)
    }
  }

  /// The settings as one object, as the file would have them.
  static func document(_ call: Invocation) throws(Refusal) -> Fields {
    var object = Service.document(call).object
    if let setting = call.settings["location"], setting.source.isNear {
      object["location"] = try SunLocation(parsing: setting.value).json
    }
    return Fields(object)
  }
}
