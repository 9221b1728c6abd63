import CarillonModel

/// What Home Assistant is told by MQTT discovery: which entities the relay and each of its devices have.
struct Discovery {
  /// One retained message.
  struct Announcement: Hashable {
    var topic: String
    /// Empty: what was announced there is gone.
    var payload: [UInt8]
  }

  /// One entity, or one trigger of automations.
  struct Component {
    /// `sensor`, `button`, …
    var platform: String
    /// Its name within its device: lower-case ASCII letters, digits and `_`.
    var key: String
    var members: JSONObject
  }

  let topics: Topics
  let settings: HomeAssistantSettings
  /// The relay's.
  let version: String

  /// The publisher in whose name Home Assistant's buttons and switches command.
  var commands: String { topics.command + "/homeassistant" }

  private var prefix: EntityName { EntityName(topics.prefix) }
  var relayNode: String { prefix.unique + "_relay" }
  func node(_ device: Name) -> String { prefix.unique + "_device_" + EntityName(device.text).unique }

  // MARK: Announcing

  func relay() -> [Announcement] {
    let name = topics.prefix == Topics.defaultPrefix ? "Carillon" : "Carillon (\(topics.prefix))"
    let device: JSONObject = [
      "identifiers": [.string(relayNode)], "name": .string(name), "manufacturer": "Carillon",
      "model": "Relay",
      "sw_version": .string(version),
    ]
    return announcements(relayNode, prefix.shown + "_relay", device, relayComponents)
  }

  /// - Parameter version: the companion's; empty where it has not told.
  func device(_ name: Name, version: String) -> [Announcement] {
    var device: JSONObject = [
      "identifiers": [.string(node(name))], "name": .string(name.text), "manufacturer": "Carillon",
      "model": "Companion", "via_device": .string(relayNode),
    ]
    if !version.isEmpty { device.append("sw_version", .string(version)) }
    let shown = prefix.shown + "_" + EntityName(name.text).shown
    return announcements(node(name), shown, device, components(of: name))
  }

  /// What takes the relay's announcement back.
  func relayRemoval() -> [Announcement] { removal(relayNode, relayComponents) }

  /// What takes a device's announcement back.
  func removal(_ name: Name) -> [Announcement] { removal(node(name), components(of: name)) }

  private func announcements(
    _ node: String, _ shown: String, _ device: JSONObject, _ components: [Component]
  ) -> [Announcement] {
    let origin: JSON = ["name": "Carillon", "sw_version": .string(version)]
    let whole = components.map { identified($0, node, shown) }
    if settings.single {
      return whole.map { component in
        var payload: JSONObject = ["device": .object(device), "origin": origin]
        for member in component.members.members { payload.append(member.name, member.value) }
        return Announcement(topic: topic(of: component, node), payload: JSON.object(payload).encoded)
      }
    }
    let members = whole.map { component in
      var object: JSONObject = ["platform": .string(component.platform)]
      for member in component.members.members { object.append(member.name, member.value) }
      return JSONObject.Member(component.key, .object(object))
    }
    let payload: JSON = [
      "device": .object(device), "origin": origin, "components": .object(JSONObject(members)),
    ]
    return [Announcement(topic: topic(of: node), payload: payload.encoded)]
  }

  /// Entities have an identity and a wish for their id, the latter in the words of releases before and since 2025.10.
  private func identified(_ component: Component, _ node: String, _ shown: String) -> Component {
    guard component.platform != Component.trigger else { return component }
    var component = component
    let id = "\(shown)_\(component.key)"
    component.members.append("unique_id", .string("\(node)_\(component.key)"))
    component.members.append("object_id", .string(id))
    component.members.append("default_entity_id", .string("\(component.platform).\(id)"))
    return component
  }

  private func removal(_ node: String, _ components: [Component]) -> [Announcement] {
    guard settings.single else { return [Announcement(topic: topic(of: node), payload: [])] }
    return components.map { Announcement(topic: topic(of: $0, node), payload: []) }
  }

  private func topic(of node: String) -> String { "\(settings.prefix)/device/\(node)/config" }

  private func topic(of component: Component, _ node: String) -> String {
    "\(settings.prefix)/\(component.platform)/\(node)/\(component.key)/config"
  }
}
