import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

/// Discovery at a real broker.
@Suite("Home Assistant", .onOwnThreadWithFewOthers)
struct HomeAssistantLifeTests {
  private static let relayTopic = "homeassistant/device/carillon_relay/config"
  private static let deskTopic = "homeassistant/device/carillon_device_desk/config"

  /// What a fresh subscriber finds under `homeassistant`, by topic.
  private func announced(_ house: House) throws -> Set<String> {
    let onlooker = try TestClient(port: house.broker.port)
    try onlooker.subscribe("homeassistant/#")
    try onlooker.subscribe("carillon/mark")
    try onlooker.publish("carillon/mark", "end")
    _ = try onlooker.waitForMessage(on: "carillon/mark")
    return Set(onlooker.messages.filter { $0.isRetained && !$0.payload.isEmpty }.map(\.topic))
  }

  /// Starts the relay anew with other settings.
  private func restart(_ house: House, _ settings: String) throws {
    try house.stopRelay()
    let file = try house.folder.write("relay.json5", "{ homeAssistant: \(settings) }")
    try house.startRelay(["--config", file])
  }

  @Test(
    "A relay and its devices are announced, again when Home Assistant starts, and a forgotten one is taken back"
  )
  func announcing() throws {
    let house = try House()
    let device = try house.device("desk")
    try device.publish("carillon/device/desk/profile", #"{"name":"desk","version":"7.7"}"#, retain: true)
    try eventually("the announcements") { try announced(house) == [Self.relayTopic, Self.deskTopic] }
    try eventually("the version") {
      try house.retained(Self.deskTopic)?.json["device"]?["sw_version"] == "7.7"
    }
    try house.client.subscribe("homeassistant/#")
    _ = try house.client.waitForMessage(on: Self.deskTopic)
    try house.client.publish("homeassistant/status", "online")
    let again = try house.client.waitForMessage(on: Self.deskTopic)
    #expect(try again.json["device"]?["via_device"] == "carillon_relay")
    try house.command(#"{"command":"forget","device":"desk"}"#)
    try eventually("the device to be gone") { try announced(house) == [Self.relayTopic] }
    #expect(try house.retained("carillon/device/desk/last") == nil)
  }

  @Test("Another form takes the place of the one before, and without discovery nothing is left")
  func forms() throws {
    let house = try House()
    _ = try house.device("desk")
    try eventually("the announcements") { try announced(house) == [Self.relayTopic, Self.deskTopic] }
    try restart(house, "{ single: true }")
    try eventually("single ones") {
      let topics = try announced(house)
      return topics.count == 16 && topics.contains("homeassistant/switch/carillon_device_desk/focus/config")
    }
    try restart(house, "{ discovery: false }")
    try eventually("nothing") { try announced(house).isEmpty }
  }

  @Test("What its buttons, switch and notification send does what they say, and their states follow")
  func entities() throws {
    let house = try House()
    let device = try house.device("desk")
    try eventually("the announcements") { try announced(house) == [Self.relayTopic, Self.deskTopic] }
    let relay = try #require(try house.retained(Self.relayTopic)).json["components"]
    let desk = try #require(try house.retained(Self.deskTopic)).json["components"]
    func press(_ component: JSON?, _ payload: String) throws {
      let topic = try #require(component?["command_topic"]?.text)
      try house.client.publish(topic, try #require(component?[payload]?.text))
    }
    func summary(_ key: String) throws -> JSON? { try house.retained("carillon/relay/summary")?.json[key] }
    func last(_ key: String) throws -> JSON? { try house.retained("carillon/device/desk/last")?.json[key] }

    try house.command(#"{"message":"A","target":"desk","data":{"tag":"a"},"trigger":{"after":"1h"}}"#)
    try house.command(#"{"id":"b","title":"B","trigger":{"after":"2h"}}"#)
    try eventually("two to be pending") { try summary("pending") == 2 }
    let next = try #require(try summary("next")?.text)
    #expect(next.hasSuffix("Z") && !next.contains("."))
    try press(relay?["fire_next"], "payload_press")
    #expect(try device.waitForMessage().json["id"] == "a")
    try eventually("the last notification") { try last("last") == "A" && summary("lastFired") != .null }
    #expect(try last("ended") == .null)

    try house.client.subscribe("carillon/device/desk/event")
    let delivery = try #require(try last("delivery")?.text)
    try house.respond("desk", delivery, "received")
    try house.respond("desk", delivery, "acted", #","action":"done""#)
    let event = try house.client.waitForMessage(on: "carillon/device/desk/event")
    #expect(
      try event.json["event_type"] == "acted" && event.json["id"] == "a" && event.json["action"] == "done")
    #expect(!event.isRetained)
    try eventually("the answer") { try last("ended") == "acted" && last("endedBy") == "desk" }

    try press(relay?["cancel_all"], "payload_press")
    try eventually("nothing to be pending") { try summary("pending") == 0 && summary("next") == .null }
    try press(desk?["focus"], "payload_on")
    try eventually("do not disturb") { try house.retained("carillon/device/desk/focus")?.text == "on" }

    try house.client.publish("carillon/command/homeassistant", "{{ states('sensor.x') }}")
    try eventually("the error") { try summary("lastError")?.text?.contains("template") == true }
    #expect(try summary("error")?["from"] == "homeassistant")
  }

  // MARK: The example

  @Test(
    "The example package is YAML, with the scripts that its page names",
    .enabled(
      if: access("/usr/lib/python3/dist-packages/yaml/__init__.py", R_OK) == 0,
      "python3-yaml is not installed"))
  func package() throws {
    let read =
      "import json,sys,yaml;print(json.dumps({k:[*v['fields']] for k,v in yaml.safe_load(open(sys.argv[1]))['script'].items()}))"
    let program = try Program(["-c", read, Self.package], executable: "/usr/bin/python3")
    #expect(try program.waitForExit() == .exited(0), "\(program.lines(.errors))")
    let scripts = try JSON(line: try #require(program.lines(.output).first))
    #expect(scripts["carillon_send"] == ["call", "pause"])
    #expect(scripts["carillon_notify"] == ["message", "title", "target", "data", "schedule", "timeout"])
  }

  private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
  private static let package = root + "/config/examples/home-assistant/carillon.yaml"

  // MARK: The real one

  private static let python = getenv("CARILLON_HOME_ASSISTANT").map { String(cString: $0) } ?? ""

  /// `CARILLON_HOME_ASSISTANT=/path/to/venv/bin/python`, where `pip install homeassistant==2025.4.4 paho-mqtt==2.1.0` has been
  /// run with Python 3.13.
  @Test(
    "A real Home Assistant finds the entities, presses a button, and its script waits for the answer",
    .enabled(if: !python.isEmpty, "CARILLON_HOME_ASSISTANT names no Python with homeassistant"),
    .timeLimit(.minutes(5)))
  func realOne() throws {
    let house = try House()
    let folder = try TemporaryDirectory()
    let program = try Program(
      [Self.root + "/Tests/HomeAssistant/drive.py", folder.path, "\(house.broker.port)", Self.package],
      executable: Self.python)
    let exit = try program.waitForExit(within: .seconds(240))
    #expect(exit == .exited(0), "\(program.lines(.output) + program.lines(.errors).suffix(20))")
    #expect(program.lines(.output).filter { $0.hasPrefix("ok ") }.count >= 8, "\(program.lines(.output))")
  }
}
