import CarillonModel

/// What is configured here, read part by part, so that a fault in one file does not hide the rest.
struct Site {
  let call: Invocation
  private(set) var configuration: [Finding] = []
  /// As the verbs that talk to the relay see it.
  private(set) var client: Invocation?
  /// As `carillon relay` sees it.
  private(set) var relay: Invocation?
  /// As `carillon companion` sees it.
  private(set) var companion: Invocation?

  var surroundings: Surroundings { call.surroundings }

  init(_ call: Invocation) {
    self.call = call
    client = read(
      Pending.verb, Set(SharedOptions.broker.options.map(\.name) + ["config", "publisher", "wait"]))
    relay = read(RelayVerb.verb, ["store"])
    companion = read(CompanionVerb.verb, ["device", "state", "routes"])
  }

  /// - Parameter names: the options of this call that count there.
  private mutating func read(_ verb: CommandLineVerb, _ names: Set<String>) -> Invocation? {
    let what = verb.configuration.rawValue
    var words = ParsedWords()
    for option in verb.options where names.contains(option.name) {
      guard let setting = call.settings[option.name], setting.source.isNear else { continue }
      words.options.append((option, option.argument == nil ? nil : setting.value))
    }
    var surroundings = call.surroundings
    // It names one file, which is of one kind.
    if verb.configuration != .client { surroundings.environment["CARILLON_CONFIG"] = nil }
    do {
      let settings = try Carillon.settings(verb, words, surroundings)
      let made = Invocation(verb: verb, settings: settings, operands: [], surroundings: surroundings)
      try check(made)
      let files = settings.configuration.files.map(\.path)
      configuration.append(
        files.isEmpty
          ? Finding("configuration", .skipped, "there is no file for the \(what)")
          : Finding("configuration", .ok, "\(what): \(files.joined(separator: ", "))"))
      return made
    } catch let failure as Failure {
      configuration.append(Finding("configuration", failure, ["mend the file, or move it away"]))
    } catch {
      configuration.append(Finding("configuration", .wrong, "\(what): \(error)"))
    }
    return nil
  }

  /// Reads it as the service would.
  private func check(_ made: Invocation) throws {
    switch made.verb.configuration {
    case .relay: _ = try RelayVerb.configuration(made)
    case .companion: _ = try CompanionVerb.configuration(made)
    default: _ = try BrokerTarget(made)
    }
  }
}
