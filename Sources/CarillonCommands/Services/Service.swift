import CarillonLoop
import CarillonMQTT
import CarillonModel

/// What relay and companion have in common on the command line.
enum Service {
  static let keepAlive = Option(
    "keep-alive", "D", "How long the broker may be silent before the connection counts as lost. Default 60s.")
  static let log = Option("log", "LEVEL", "error, warning, info or debug. Default info.")

  /// The settings of a service as one object, the nearest place's value for each key.
  ///
  /// - Parameter besides: keys of options that are for the command line itself.
  static func document(_ call: Invocation, besides: Set<String> = []) -> Fields {
    var object = call.settings.document(call.verb.options)
    for key in besides { object[key] = nil }
    if object["passwordFile"] == nil || object["passwordFile"] == .null,
      let file = call.surroundings.passwordCredential
    {
      object["passwordFile"] = .string(file)
    }
    return Fields(object)
  }

  /// The failure that a refused setting is, wherever it came from.
  static func failure(_ refusal: Refusal, _ call: Invocation) -> Failure {
    let key = String(refusal.path.prefix { $0 != "." && $0 != "[" })
    let option =
      call.verb.options.first { $0.configurationKey == refusal.path }
      ?? call.verb.options.first { $0.configurationKey == key }
    if let option, let setting = call.settings[option.name], setting.source.isNear {
      return setting.failure(refusal.message, .configuration)
    }
    return call.settings.configuration.failure(refusal)
  }

  /// Looks at the files for TLS: a service that could never connect does not start.
  ///
  /// - Throws: `Failure` (78), with the place and the path.
  static func check(_ tls: TLSConfiguration, _ broker: BrokerAddress, _ call: Invocation) throws {
    do { try tls.check(with: broker) } catch {
      let place = error.key.isEmpty ? "tls" : "tls.\(error.key)"
      throw failure(Refusal(.invalid, at: place, error.description), call)
    }
  }

  /// The folder of the service's state.
  ///
  /// - Throws: `Failure` (78) where it is nowhere, or cannot be made.
  static func state(_ given: String?, _ call: Invocation, remedy: String, default name: String) throws
    -> String
  {
    guard let folder = given ?? call.surroundings.stateFolder.map({ $0 + name }) else {
      throw Failure(
        .configuration,
        "there is no state folder: neither STATE_DIRECTORY, XDG_STATE_HOME nor HOME is set; \(remedy)")
    }
    let error = makeFolder(folder)
    guard error == 0 else {
      throw Failure(
        .configuration, "the state folder \(folder) cannot be used: \(systemMessage(error)); \(remedy)")
    }
    return folder
  }
}
