/// Every topic of protocol §1 under one prefix.
public struct Topics: Hashable, Sendable {
  public static let defaultPrefix = "carillon"

  public let prefix: String

  /// - Throws: `invalid` where the prefix has an empty level, a wildcard, a blank or a control character, begins with
  ///   `$`, or is longer than 200 bytes.
  public init(prefix: String = Topics.defaultPrefix) throws(Refusal) {
    let levels = prefix.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let sound = levels.allSatisfy { level in
      !level.isEmpty
        && level.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "+") }
    }
    guard sound, !prefix.hasPrefix("$"), prefix.utf8.count <= 200 else {
      throw Refusal(
        .invalid, at: "prefix",
        "\"\(printable(prefix))\" is not a topic prefix: levels joined by \"/\", without \"#\", \"+\", blanks or a leading \"$\""
      )
    }
    self.prefix = prefix
  }

  /// The topics under the default prefix.
  public static let standard = Topics(checked: defaultPrefix)
  private init(checked prefix: String) { self.prefix = prefix }

  public var command: String { "\(prefix)/command" }
  public func command(from publisher: Name) -> String { "\(prefix)/command/\(publisher)" }
  public var allCommands: String { "\(prefix)/command/#" }
  public var reply: String { "\(prefix)/reply" }
  public var relayStatus: String { "\(prefix)/relay/status" }
  public var relayState: String { "\(prefix)/relay/state" }
  public var relaySummary: String { "\(prefix)/relay/summary" }
  public var rejected: String { "\(prefix)/relay/rejected" }
  public var everything: String { "\(prefix)/#" }

  /// What a device has under its own name.
  public enum Device: String, Sendable, CaseIterable {
    case notification, latest, focus, response, status, profile, last, event
  }

  public func device(_ device: Name, _ leaf: Device) -> String {
    "\(prefix)/device/\(device)/\(leaf.rawValue)"
  }

  /// The filter that takes one leaf of every device.
  public func everyDevice(_ leaf: Device) -> String { "\(prefix)/device/+/\(leaf.rawValue)" }
}

extension Topics {
  /// What a received topic means to the relay.
  public enum Meaning: Hashable, Sendable {
    case command(publisher: Name?)
    /// A topic below `command` that is not `command/<publisher>`.
    case foreignCommand
    case device(Name, Device)
    case relayStatus
    case other
  }

  public func meaning(of topic: String) -> Meaning {
    guard topic.utf8.starts(with: prefix.utf8) else { return .other }
    let rest = topic.utf8.dropFirst(prefix.utf8.count)
    guard rest.first == UInt8(ascii: "/") else { return .other }
    let levels = rest.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    switch levels.first.map({ String(Substring($0)) }) {
    case "command" where levels.count == 1: return .command(publisher: nil)
    case "command":
      guard levels.count == 2, let publisher = try? Name(String(Substring(levels[1]))) else {
        return .foreignCommand
      }
      return .command(publisher: publisher)
    case "device":
      guard levels.count == 3, let name = try? Name(String(Substring(levels[1]))),
        let leaf = Device(rawValue: String(Substring(levels[2])))
      else { return .other }
      return .device(name, leaf)
    case "relay" where topic == relayStatus: return .relayStatus
    default: return .other
    }
  }
}
