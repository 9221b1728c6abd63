import CarillonModel

/// What a relay tells Home Assistant of itself and its devices (protocol §9, `homeAssistant`).
public struct HomeAssistantSettings: Hashable, Sendable {
  /// Whether it announces them by MQTT discovery. Default true: without a Home Assistant it costs a few retained messages.
  public var discovery = true
  /// The first topic levels of discovery, and of Home Assistant's own status. Default `homeassistant`, as there.
  public var prefix = "homeassistant"
  /// Whether each entity is announced on a topic of its own, for releases before 2024.11. Default false: one message a
  /// device.
  public var single = false

  public init() {}

  /// Where Home Assistant says that it has started.
  var birth: String { "\(prefix)/status" }

  /// - Throws: `unknown-field` or `invalid`, with the key.
  init(reading fields: Fields?, under topics: Topics) throws(Refusal) {
    guard let fields else { return }
    try fields.allow(only: ["discovery", "prefix", "single"])
    discovery = try fields.bool("discovery") ?? discovery
    single = try fields.bool("single") ?? single
    guard let text = try fields.string("prefix") else { return }
    do throws(Refusal) { prefix = try Topics(prefix: text).prefix } catch { throw error.below(fields.path) }
    guard !topics.isOwn(text) else {
      throw fields.refusal("prefix", "\"\(printable(text))\" is the relay's own; Home Assistant's is another")
    }
  }
}
