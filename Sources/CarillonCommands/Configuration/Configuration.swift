import CarillonModel

/// Which configuration files a verb reads.
public enum ConfigurationKind: String, Sendable {
  case relay
  case companion
  /// The verbs that talk to a relay.
  case client
  /// The verbs that need none.
  case nothing
}

/// The configuration files of one call, merged: `/etc/carillon/…`, and over it key by key that of
/// `$XDG_CONFIG_HOME/carillon` (protocol §9).
package struct Configuration: Sendable {
  /// From the nearest to the farthest.
  let files: [ConfigurationFile]
  /// The keys of all files; of a key that several hold, the nearest one's value.
  let object: JSONObject

  static let empty = Configuration(files: [])

  package init(files: [ConfigurationFile]) {
    self.files = files
    var object = JSONObject()
    for file in files.reversed() {
      for member in file.object.members { object[member.name] = member.value }
    }
    self.object = object
  }

  /// The value of a key, or of a member of an object as `tls.ca`.
  func value(of key: String) -> JSON? {
    guard let dot = key.firstIndex(of: ".") else { return object[key] }
    return object[String(key[..<dot])]?[String(key[key.index(after: dot)...])]
  }

  /// The file that a key's value comes from.
  func file(of key: String) -> String? { holder(of: key)?.path }

  private func holder(of key: String) -> ConfigurationFile? {
    let outer = String(key.prefix { $0 != "." })
    return files.first { $0.object[outer] != nil }
  }

  /// The failure that a refused value is, with file, line and column.
  func failure(_ refusal: Refusal) -> Failure {
    let key = String(refusal.path.prefix { $0 != "." && $0 != "[" })
    if let holder = holder(of: key) { return holder.failure(refusal) }
    return Failure(
      .configuration, refusal.path.isEmpty ? refusal.message : "\(refusal.path): \(refusal.message)")
  }

  /// - Parameter requested: the file that `--config` names; nothing else is read then, and it must be there.
  /// - Throws: `Failure` (configuration).
  static func load(
    _ kind: ConfigurationKind, requested: Setting?, _ surroundings: Surroundings
  ) throws -> Configuration {
    if let requested {
      guard let file = try ConfigurationFile(path: requested.value) else {
        throw requested.failure("there is no file \(printable(requested.value, limit: 256))", .configuration)
      }
      return Configuration(files: [file])
    }
    for name in kind.fileNames {
      let files = try surroundings.configurationFolders.compactMap {
        try ConfigurationFile(path: "\($0)/\(name)")
      }
      if !files.isEmpty { return Configuration(files: files) }
    }
    return .empty
  }
}

extension ConfigurationKind {
  /// The files' names, in the order of preference. A machine that has a companion or a relay knows its broker
  /// already, so the verbs that talk to the relay need no file of their own there.
  var fileNames: [String] {
    switch self {
    case .relay: ["relay.json5"]
    case .companion: ["companion.json5"]
    case .nothing: []
    case .client: ["client.json5", "companion.json5", "relay.json5"]
    }
  }
}

extension Surroundings {
  /// Where configuration files are searched, the nearest first.
  var configurationFolders: [String] {
    let personal =
      environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? environment["HOME"].flatMap { $0.isEmpty ? nil : $0 + "/.config" }
    return (personal.map { [$0 + "/carillon"] } ?? []) + [systemConfiguration]
  }
}
