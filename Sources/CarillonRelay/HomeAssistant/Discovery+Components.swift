import CarillonModel

// The entities. Their states are what the protocol has retained anyway, and where that does not suffice `relay/summary`,
// `device/<device>/last` and `device/<device>/event`.
extension Discovery.Component {
  /// The platform of what is no entity, but starts automations.
  static let trigger = "device_automation"

  fileprivate init(_ platform: String, _ key: String, _ name: String, _ members: JSONObject) {
    self.init(platform: platform, key: key, members: ["name": .string(name), "qos": 1])
    for member in members.members { self.members.append(member.name, member.value) }
  }

  fileprivate func with(_ name: String, _ value: JSON) -> Self {
    var changed = self
    changed.members.append(name, value)
    return changed
  }
}

extension Discovery {
  var relayComponents: [Component] {
    [
      summary("pending", "Pending requests", "pending", icon: "mdi:bell-cog-outline")
        .with("state_class", "measurement"),
      summary("next", "Next due", "next", icon: "mdi:bell-ring-outline").with("device_class", "timestamp"),
      summary("last_fired", "Last fired", "lastFired", icon: "mdi:bell-check-outline")
        .with("device_class", "timestamp"),
      diagnostic(
        summary("oldest_unreceived", "Oldest unreceived", "oldestUnreceived", icon: "mdi:bell-sleep-outline")
          .with("device_class", "timestamp")),
      diagnostic(
        summary("last_error", "Last error", "lastError", icon: "mdi:bell-alert-outline")
          .with("json_attributes_topic", .string(topics.relaySummary))
          .with("json_attributes_template", "{{ value_json.error | to_json }}")),
      diagnostic(summary("version", "Version", "version", icon: "mdi:tag-outline")),
      diagnostic(connectivity("connected", "Connected", topics.relayStatus)),
      button(
        "cancel_all", "Cancel all", icon: "mdi:bell-cancel-outline", ["command": "cancel", "all": true]),
      button("fire_next", "Fire next", icon: "mdi:bell-ring", ["command": "fire", "next": true]),
    ]
  }

  func components(of device: Name) -> [Component] {
    [
      connectivity("online", "Online", topics.device(device, .status)),
      focus(device), event(device), notify(device), last(device),
      trigger(device, "opened"), trigger(device, "acted"),
    ]
  }

  /// The relay's part in it is over while it is away.
  private func available(_ component: Component) -> Component {
    component.with("availability_topic", .string(topics.relayStatus))
  }

  private func diagnostic(_ component: Component) -> Component {
    component.with("entity_category", "diagnostic")
  }

  private func summary(_ key: String, _ name: String, _ member: String, icon: String) -> Component {
    available(
      Component(
        "sensor", key, name,
        [
          "state_topic": .string(topics.relaySummary),
          "value_template": .string("{{ value_json.\(member) }}"),
          "icon": .string(icon),
        ]))
  }

  private func connectivity(_ key: String, _ name: String, _ topic: String) -> Component {
    Component(
      "binary_sensor", key, name,
      [
        "state_topic": .string(topic), "payload_on": "online", "payload_off": "offline",
        "device_class": "connectivity",
      ])
  }

  private func button(_ key: String, _ name: String, icon: String, _ command: JSON) -> Component {
    available(
      Component(
        "button", key, name,
        [
          "command_topic": .string(commands), "payload_press": .string(command.encodedText),
          "icon": .string(icon),
        ]))
  }

  private func focus(_ device: Name) -> Component {
    func command(_ isOn: Bool) -> JSON {
      let command: JSON = ["command": "focus", "devices": [.string(device.text)], "on": .bool(isOn)]
      return .string(command.encodedText)
    }
    return available(
      Component(
        "switch", "focus", "Do not disturb",
        [
          "state_topic": .string(topics.device(device, .focus)), "state_on": "on", "state_off": "off",
          "command_topic": .string(commands), "payload_on": command(true), "payload_off": command(false),
          "icon": "mdi:minus-circle-outline",
        ]))
  }

  private func event(_ device: Name) -> Component {
    available(
      Component(
        "event", "event", "Response",
        [
          "state_topic": .string(topics.device(device, .event)),
          "event_types": .array(ResponseEvent.told.map { .string($0.rawValue) }),
          "icon": "mdi:gesture-tap-button",
        ]))
  }

  /// What it sends is a request of the protocol: a text is never taken for a command to a phone.
  private func notify(_ device: Name) -> Component {
    let template = "{\"to\":[\(JSON.string(device.text).encodedText)],\"body\":{{ value | to_json }}}"
    return available(
      Component(
        "notify", "notify", "Notification",
        [
          "command_topic": .string(commands), "command_template": .string(template),
          "icon": "mdi:message-badge-outline",
        ]))
  }

  private func last(_ device: Name) -> Component {
    let topic = JSON.string(topics.device(device, .last))
    return available(
      Component(
        "sensor", "last", "Last notification",
        [
          "state_topic": topic, "value_template": "{{ value_json.last }}", "json_attributes_topic": topic,
          "icon": "mdi:bell-outline",
        ]))
  }

  private func trigger(_ device: Name, _ event: String) -> Component {
    Component(
      platform: Component.trigger, key: "on_\(event)",
      members: [
        "automation_type": "trigger", "type": .string(event), "subtype": "notification",
        "topic": .string(topics.device(device, .event)), "payload": .string(event),
        "value_template": "{{ value_json.event_type }}", "qos": 1,
      ])
  }
}

extension ResponseEvent {
  /// The events that Home Assistant hears of.
  static let told: [ResponseEvent] = [.opened, .acted, .dismissed, .failed]
}
