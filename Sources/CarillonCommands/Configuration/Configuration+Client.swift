import CarillonModel

extension Configuration {
  /// What the verbs that talk to a relay take from a file.
  ///
  /// A file of their own may hold every option of theirs as a key. A daemon's file, found because there is no
  /// other or named with `--config`, tells how to reach the broker and where the sun is watched from, and
  /// nothing else: its `device` or `timezone` mean something different from the options of that name.
  ///
  /// - Throws: `Failure` (configuration) at a key that neither kind of file has.
  package func forClient(options: Set<String>) throws -> Configuration {
    var kept: [ConfigurationFile] = []
    for file in files {
      do {
        try Fields(file.object).allow(only: options.union(Configuration.daemonKeys))
      } catch {
        throw file.failure(error)
      }
      let isDaemons =
        file.object.members.contains { !options.contains($0.name) }
        || ["companion.json5", "relay.json5"].contains { file.path.hasSuffix("/" + $0) }
        || holdsTopics(file)
      kept.append(isDaemons ? file.keeping(Configuration.sharedKeys) : file)
    }
    return Configuration(files: kept)
  }

  /// `when` is an object in a relay's file, and a text where it is a trigger.
  private func holdsTopics(_ file: ConfigurationFile) -> Bool {
    if case .object = file.object["when"] { true } else { false }
  }

  /// What means the same to a daemon and to its clients: how a broker is reached, and where the relay is.
  static let sharedKeys: Set<String> = [
    "broker", "prefix", "username", "passwordFile", "tls", "location",
  ]

  /// The keys of a relay's and of a companion's file (protocol §9). Whether they have a meaning there yet is
  /// for those to say.
  static let daemonKeys: Set<String> = [
    "broker", "username", "passwordFile", "keepAlive", "tls", "prefix", "store", "timezone", "location",
    "groups",
    "devices", "when", "links", "limits", "history", "publishers", "homeAssistant", "metrics", "log",
    "device",
    "routes", "open", "execute", "state", "presentation", "authorization",
  ]
}

extension ConfigurationFile {
  fileprivate func keeping(_ keys: Set<String>) -> ConfigurationFile {
    ConfigurationFile(
      path: path, object: JSONObject(object.members.filter { keys.contains($0.name) }), places: places,
      lines: lines)
  }

  private init(path: String, object: JSONObject, places: JSON5Places, lines: [String]) {
    (self.path, self.object, self.places, self.lines) = (path, object, places, lines)
  }
}
