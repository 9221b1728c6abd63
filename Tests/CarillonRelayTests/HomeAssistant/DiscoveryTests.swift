import CarillonModel
import Testing

@testable import CarillonRelay

/// What Home Assistant is told by discovery, against what a release of it takes.
@Suite struct DiscoveryTests {
  private let reference: DiscoveryReference
  private let device: Name

  init() throws {
    reference = try DiscoveryReference()
    device = try Name("Living-Room.tv")
  }

  private func discovery(single: Bool = false, prefix: String = "carillon") throws -> Discovery {
    var settings = HomeAssistantSettings()
    settings.single = single
    return Discovery(topics: try Topics(prefix: prefix), settings: settings, version: "1.2.3")
  }

  private func object(_ announcement: Discovery.Announcement) throws -> JSONObject {
    guard case .object(let object) = try JSON(parsing: announcement.payload) else { return [:] }
    return object
  }

  /// Since 2025.10; before, a member that is not known is passed over.
  private static let newer: Set<String> = ["default_entity_id"]

  @Test func `A device's message holds components that Home Assistant takes`() throws {
    let discovery = try discovery()
    let messages = discovery.relay() + discovery.device(device, version: "9.9")
    #expect(messages.count == 2)
    for message in messages {
      let object = try object(message)
      #expect(object.members.map(\.name) == ["device", "origin", "components"])
      for part in ["device", "origin"] {
        let fields = try #require(members(object[part]))
        #expect(reference.faults(of: fields, as: part) == [])
      }
      let components = try #require(members(object["components"]))
      #expect(components.members.count > 6)
      for member in components.members {
        var component = try #require(members(member.value))
        let platform = try #require(component["platform"]?.text)
        component["platform"] = nil
        // As Home Assistant itself puts them together.
        component["device"] = object["device"]
        #expect(reference.faults(of: component, as: platform, besides: Self.newer) == [], "\(member.name)")
        #expect((component["unique_id"] != nil) == (platform != "device_automation"), "\(member.name)")
      }
    }
  }

  @Test func `Single messages hold one component each`() throws {
    let discovery = try discovery(single: true)
    let messages = discovery.relay() + discovery.device(device, version: "")
    #expect(Set(messages.map(\.topic)).count == messages.count)
    for message in messages {
      let levels = message.topic.split(separator: "/").map(String.init)
      #expect(levels.count == 5 && levels[0] == "homeassistant" && levels[4] == "config")
      // Node and object have to be of these characters.
      #expect(
        levels[2...3].allSatisfy { $0.utf8.allSatisfy { Name.isAllowed($0) && $0 != UInt8(ascii: ".") } })
      let faults = reference.faults(
        of: try object(message), as: levels[1],
        besides: Self.newer.union(levels[1] == "device_automation" ? ["origin"] : []))
      #expect(faults == [], "\(message.topic)")
    }
    let removed = discovery.relayRemoval() + discovery.removal(device)
    #expect(removed.map(\.topic) == messages.map(\.topic) && removed.allSatisfy(\.payload.isEmpty))
  }

  @Test func `The entities are those of the protocol's page, with both words for their ids`() throws {
    let discovery = try discovery()
    let relay = try object(discovery.relay()[0])
    let entities: [(String, String)] = [
      ("pending", "sensor"), ("next", "sensor"), ("last_fired", "sensor"), ("oldest_unreceived", "sensor"),
      ("last_error", "sensor"), ("version", "sensor"), ("connected", "binary_sensor"),
      ("cancel_all", "button"),
      ("fire_next", "button"),
    ]
    for (key, platform) in entities {
      let component = try #require(relay["components"]?[key])
      #expect(component["platform"]?.text == platform)
      #expect(component["object_id"]?.text == "carillon_relay_\(key)")
      #expect(component["default_entity_id"]?.text == "\(platform).carillon_relay_\(key)")
      #expect(component["unique_id"]?.text == "carillon_relay_\(key)")
    }
    let desk = try object(discovery.device(try Name("desk"), version: "9.9")[0])
    for (key, platform) in [
      ("online", "binary_sensor"), ("focus", "switch"), ("event", "event"), ("notify", "notify"),
      ("last", "sensor"),
      ("on_opened", "device_automation"), ("on_acted", "device_automation"),
    ] { #expect(desk["components"]?[key]?["platform"]?.text == platform, "\(key)") }
    #expect(desk["components"]?["focus"]?["object_id"] == "carillon_desk_focus")
    #expect(desk["device"]?["via_device"] == relay["device"]?["identifiers"]?.elements?.first)
    #expect(desk["device"]?["sw_version"] == "9.9")
  }

  @Test func `What its buttons and switches send are commands`() throws {
    let discovery = try discovery()
    func command(_ payload: String?) throws -> Command? {
      guard case .single(let received) = CommandPayload(reading: Array((payload ?? "").utf8)) else {
        return nil
      }
      return try received.command.get()
    }
    let relay = try object(discovery.relay()[0])["components"]
    #expect(try command(relay?["cancel_all"]?["payload_press"]?.text) == .cancel(.all))
    #expect(try command(relay?["fire_next"]?["payload_press"]?.text) == .fireNext)
    let components = try object(discovery.device(device, version: "")[0])["components"]
    for isOn in [true, false] {
      #expect(
        try command(components?["focus"]?[isOn ? "payload_on" : "payload_off"]?.text)
          == .focus(FocusChange(devices: Recipients(names: [device]), isOn: isOn)))
    }
    let template = try #require(components?["notify"]?["command_template"]?.text)
    let rendered = template.replacing("{{ value | to_json }}", with: "\"clear_notification \\\"x\\\"\"")
    guard case .schedule(let request)? = try command(rendered) else {
      Issue.record("\(rendered)")
      return
    }
    #expect(request.to.names == [device])
    #expect(request.content.members["body"] == "clear_notification \"x\"")
    for key in ["cancel_all", "fire_next"] {
      #expect(relay?[key]?["command_topic"] == "carillon/command/homeassistant")
    }
  }

  @Test func `Names that look alike have identities of their own`() throws {
    let names = [
      "desk", "Desk", "DESK", "de.sk", "de_sk", "de-sk", "de--sk", "de__sk", "relay", "-", "_", ".", "a-b",
      "a_b", "a.b",
    ]
    #expect(Set(names.map { EntityName($0).unique }).count == names.count)
    for name in names {
      let entity = EntityName(name)
      let letters = (entity.unique + entity.shown).utf8
      #expect(letters.allSatisfy { Name.isAllowed($0) && !"ABDEKS.-".utf8.contains($0) }, "\(entity)")
    }
    #expect(EntityName("living-room").unique == "living_room" && EntityName("desk").unique == "desk")
    #expect(EntityName("Desk").shown == "desk")
    let discovery = try discovery()
    #expect(try discovery.device(Name("relay"), version: "")[0].topic != discovery.relay()[0].topic)
  }

  @Test func `Relays under other prefixes are others`() throws {
    let (one, other) = (try discovery(), try discovery(prefix: "house/bells"))
    #expect(one.relay()[0].topic != other.relay()[0].topic)
    let text = String(decoding: other.device(device, version: "")[0].payload, as: UTF8.self)
    #expect(!text.contains("\"carillon/") && text.contains("\"house/bells/device/Living-Room.tv/focus\""))
  }

  @Test func `States have all their keys always, whole seconds, and ON or OFF`() throws {
    let time = WallTime(milliseconds: 1_809_950_400_999)
    let refusal = Refusal(.invalid, at: "trigger.cron", String(repeating: "ä\n", count: 400))
    let empty = RelaySummary(
      pending: 0, next: nil, lastFired: nil, oldestUnreceived: nil, error: nil, store: "ok", version: "1")
    var full = empty
    full.next = time
    full.error = LastError(refusal, topic: "carillon/command", from: nil, at: time)
    func keys(_ json: JSON?) -> [String] {
      if case .object(let object)? = json { object.members.map(\.name) } else { [] }
    }
    #expect(keys(empty.json) == keys(full.json) && keys(empty.json["error"]) == keys(full.json["error"]))
    #expect(full.json["next"] == "2027-05-10T12:00:00Z")
    let text = try #require(full.json["lastError"]?.text)
    #expect(text.unicodeScalars.count == 255 && text.hasPrefix("invalid at trigger.cron: ä"))
    #expect(!text.contains("\n"))
    let last = Discovery.last(nil, id: nil)
    #expect(last["last"] == .null && last["late"] == "OFF" && last["level"] == .null)
    #expect(keys(last).count == 15)
    let event = Discovery.event(Response(delivery: "d", event: .dismissed), id: "a", at: time)
    #expect(keys(event) == ["event_type", "id", "delivery", "by", "action", "text", "detail", "at"])
  }
}

/// The members of an object; `nil` for anything else.
private func members(_ value: JSON?) -> JSONObject? {
  if case .object(let object)? = value { object } else { nil }
}
