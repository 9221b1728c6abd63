import CarillonCompanion
import CarillonLinks
import CarillonLoop
import CarillonModel
import Glibc

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
          Option(
            "open", "HOW",
            "What opens a link: tap or arrival. Default: tap where there is a desktop, else arrival."),
          Option(
            "state", "DIR", path: true,
            "The folder of the inbox. Default: companion/NAME in the state folder."),
          Option("no-desktop", key: .none, "Show nothing on the desktop; lines are printed all the same."),
          Option("list", key: .none, "List what the device has and nobody has put away, and end."),
          Service.keepAlive, SharedOptions.json, Service.log,
        ]),
      SharedOptions.broker,
    ],
    discussion:
      "Prints one line a notification and one a step of navigation. Where there is a session bus it shows them on the "
      + "desktop too; applications attach to its socket (carillon attach). Starts without a broker and connects when "
      + "there is one.",
    examples: [
      .init("Show what arrives:", "carillon companion"),
      .init(
        "A kiosk that follows the links:",
        "carillon companion --device kitchen --routes routes.json5 --execute"),
      .init("For a program:", "carillon companion --json"),
      .init("What waits for an answer here:", "carillon companion --list"),
    ],
    run: run)

  private static func run(_ call: Invocation) throws -> ExitStatus {
    let configuration = try configuration(call)
    let device: Name
    do throws(Refusal) { device = try name(configuration) } catch { throw Service.failure(error, call) }
    if call.settings.has("list") { return try CompanionList.run(configuration, device, call) }
    try Service.check(configuration.tls, configuration.broker, call)
    let router = try router(call)
    let state = try Service.state(
      configuration.state, call, remedy: "name one with --state", default: "/companion/\(device)")
    var appearance = Companion.Appearance()
    appearance.format = call.settings.has("json") ? .json : .text
    appearance.version = Carillon.version
    appearance.hasDesktop = !call.settings.has("no-desktop") && call.surroundings.hasSessionBus
    appearance.hasSeat = true
    appearance.socket = SocketPlace.path(
      device: device, environment: call.surroundings.environment, state: call.surroundings.stateFolder)
    return try start(configuration, device, state, router, appearance, call)
  }

  /// - Throws: `Failure` for a setting that the companion refuses.
  static func configuration(_ call: Invocation) throws -> CompanionConfiguration {
    do throws(Refusal) {
      return try CompanionConfiguration(
        reading: Service.document(call, besides: ["json", "list", "noDesktop"]))
    } catch { throw Service.failure(error, call) }
  }

  private static func router(_ call: Invocation) throws -> Router {
    try RoutesFile(call)?.router() ?? Router()
  }

  private static func name(_ configuration: CompanionConfiguration) throws(Refusal) -> Name {
    if let device = configuration.device { return device }
    return try CompanionConfiguration.device(fromHost: hostName())
  }

  private static func start(
    _ configuration: CompanionConfiguration, _ device: Name, _ state: String, _ router: Router,
    _ appearance: Companion.Appearance, _ call: Invocation
  ) throws -> ExitStatus {
    let log = Log(level: configuration.logLevel)
    do {
      let status = try Companion.run(
        configuration, device: device, state: state, router: router, log: log, appearance: appearance
      ) {
        let call = try call.reread()
        return (try self.configuration(call), try self.router(call))
      }
      return ExitStatus(rawValue: status) ?? .failure
    } catch {
      switch error {
      case .alreadyRunning: throw Failure(.temporary, error.description)
      case .configuration(let refusal): throw Service.failure(refusal, call)
      case .inbox(let error):
        throw Service.failure(error, store: "\(state)/inbox.db", option: "--state DIR")
      case .system: throw Failure(.failure, error.description)
      }
    }
  }
}

/// The host's name.
private func hostName() -> String {
  var bytes = [CChar](repeating: 0, count: 256)
  guard gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
  return String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
