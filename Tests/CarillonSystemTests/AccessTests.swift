import CarillonModel
import CarillonTestSupport
import Testing

/// The broker's access list of `config/acl.conf`, enforced by a real Mosquitto: each attack fails with it and succeeds
/// without it. Mosquitto grants what it forbids, so that only what arrives counts.
@Suite("Access list", .onOwnThread)
struct AccessTests {
  static let users = ["relay", "desk", "kitchen", "homeassistant", "backup", "admin"]

  /// A broker with logins, a relay, and two devices that the test plays.
  final class Household {
    let folder: TemporaryDirectory
    let broker: Broker
    let relay: Program
    let desk: TestClient
    let kitchen: TestClient
    let homeassistant: TestClient
    let backup: TestClient
    private var count = 0

    init(isEnforced: Bool) throws {
      folder = try TemporaryDirectory(inMemory: true)
      let passwords = try folder.write("passwords", "")
      for user in users {
        let program = try Program(
          ["-b", passwords, user, "secret of \(user)"], executable: "/usr/bin/mosquitto_passwd")
        try program.waitForExit()
        try folder.write("\(user).secret", "secret of \(user)\n")
      }
      let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
      broker = try Broker(
        configuration: isEnforced
          ? "allow_anonymous false\npassword_file \(passwords)\nacl_file \(root)/config/acl.conf"
          : "allow_anonymous true\npassword_file \(passwords)")
      relay = try Program(
        [
          "relay", "--broker", broker.url, "--store", "sqlite:\(folder.file("relay.db"))", "--username",
          "relay",
          "--password-file", folder.file("relay.secret"),
        ])
      desk = try Household.client(broker, "desk")
      kitchen = try Household.client(broker, "kitchen")
      homeassistant = try Household.client(broker, "homeassistant")
      backup = try Household.client(broker, "backup")
      for (name, device) in [("desk", desk), ("kitchen", kitchen)] {
        try device.subscribe("carillon/device/\(name)/notification")
        try device.publish("carillon/device/\(name)/status", "online", retain: true)
      }
      try homeassistant.subscribe("carillon/reply/homeassistant/#")
      try backup.subscribe("carillon/reply/backup/#")
      try homeassistant.subscribe("carillon/relay/status")
      try homeassistant.waitForMessage { $0.topic == "carillon/relay/status" && $0.text == "online" }
      try eventually("the devices") {
        try ask(homeassistant, "homeassistant", #"{"command":"devices"}"#)["items"]?.elements?.count == 2
      }
    }

    static func client(_ broker: Broker, _ user: String) throws -> TestClient {
      try TestClient(port: broker.port, username: user, password: "secret of \(user)")
    }

    /// A command and its reply.
    func ask(_ client: TestClient, _ publisher: String, _ command: String) throws -> JSON {
      count += 1
      let topic = "carillon/reply/\(publisher)/\(count)"
      try client.publish("carillon/command/\(publisher)", command, responseTopic: topic)
      return try client.waitForMessage(on: topic).json
    }

    /// Notifies devices, and returns the delivery once the last of them has it.
    @discardableResult
    func notify(_ id: String, _ devices: [(name: String, client: TestClient)]) throws -> String {
      let names = devices.map { "\"\($0.name)\"" }.joined(separator: ",")
      let reply = try ask(homeassistant, "homeassistant", #"{"id":"\#(id)","title":"t","to":[\#(names)]}"#)
      for device in devices {
        try device.client.waitForMessage {
          $0.topic == "carillon/device/\(device.name)/notification" && $0.text.contains("\"\(id)\"")
        }
      }
      return try #require(reply["delivery"]?.text)
    }
  }

  @Test("Each attack is refused with the list, and succeeds without it", arguments: [true, false])
  func attacks(isEnforced: Bool) throws {
    let house = try Household(isEnforced: isEnforced)
    var succeeded: [String: Bool] = [:]
    let (desk, kitchen, backup) = (house.desk, house.kitchen, house.backup)

    try kitchen.subscribe("carillon/device/desk/#")
    let delivery = try house.notify("a", [("desk", desk), ("kitchen", kitchen)])
    succeeded["a device reads another's notifications"] = kitchen.messages.contains {
      $0.topic == "carillon/device/desk/notification"
    }

    for (who, attacker) in [("a device", kitchen), ("a publisher", backup)] {
      try attacker.publish("carillon/device/desk/notification", #"{"kind":"notification","id":"forged"}"#)
      try house.notify("b \(who)", [("desk", desk)])
      succeeded["\(who) writes a notification"] = desk.takeMessages().contains { $0.text.contains("forged") }

      try attacker.publish(
        "carillon/device/desk/profile", #"{"name":"desk","version":"\#(who)"}"#, retain: true)
      try attacker.publish("carillon/device/desk/status", "offline", retain: true)
      let devices = try house.ask(
        house.homeassistant, "homeassistant", #"{"command":"devices","device":"desk"}"#)
      let item = devices["items"]?.elements?.first
      succeeded["\(who) forges a device's profile"] = item?["profile"]?["version"]?.text == who
      succeeded["\(who) says that another device is off"] = item?["online"] == false
      try desk.publish("carillon/device/desk/status", "online", retain: true)

      let answer =
        #"{"delivery":"\#(delivery)","id":"a","event":"\#(who == "a device" ? "presented" : "dismissed")"}"#
      let before = try state(house, "a")
      try attacker.publish("carillon/device/desk/response", answer)
      succeeded["\(who) answers for another device"] = try state(house, "a") != before

      try desk.subscribe("carillon/device/desk/focus")
      _ = desk.takeMessages()
      try attacker.publish("carillon/device/desk/focus", "on")
      try house.notify("c \(who)", [("desk", desk)])
      succeeded["\(who) silences a device"] = desk.takeMessages().contains {
        $0.topic.hasSuffix("/focus") && $0.text == "on"
      }
    }

    try kitchen.publish(
      "carillon/command/homeassistant", #"{"id":"forged d","title":"t","trigger":{"after":3600}}"#)
    try backup.publish(
      "carillon/command/homeassistant", #"{"id":"forged p","title":"t","trigger":{"after":3600}}"#)
    try backup.publish("carillon/command", #"{"id":"bare","title":"t","trigger":{"after":3600}}"#)
    let pending =
      try house.ask(house.homeassistant, "homeassistant", #"{"command":"pending"}"#)["items"]?.elements ?? []
    for id in ["forged d", "forged p", "bare"] {
      succeeded["a command is forged: \(id)"] = pending.contains { $0["id"]?.text == id }
    }

    try backup.subscribe("carillon/reply/homeassistant/#")
    _ = try house.ask(house.homeassistant, "homeassistant", #"{"command":"pending"}"#)
    _ = try house.ask(backup, "backup", #"{"command":"pending","limit":1}"#)
    succeeded["a publisher reads replies to another"] = backup.takeMessages().contains {
      $0.topic.hasPrefix("carillon/reply/homeassistant/")
    }

    let admin = try Household.client(house.broker, "admin")
    try admin.subscribe("carillon/relay/status")
    _ = admin.takeMessages()
    try backup.publish("carillon/relay/status", "offline and forged")
    try backup.publish("carillon/command/backup", #"{"id":"e","title":"t","to":"desk"}"#)
    try desk.waitForMessage { $0.text.contains("\"e\"") }
    try admin.listen(for: .milliseconds(200))
    succeeded["a publisher speaks for the relay"] = admin.takeMessages().contains {
      $0.text.contains("forged")
    }

    succeeded["somebody without a login connects"] = (try? TestClient(port: house.broker.port)) != nil

    #expect(succeeded.count == 17)
    for (attack, success) in succeeded { #expect(success != isEnforced, "\(attack): \(success)") }
    try relayStaysInItsTree(house, backup)
  }

  private func state(_ house: Household, _ id: String) throws -> String? {
    let reply = try house.ask(
      house.homeassistant, "homeassistant", #"{"command":"delivered","ids":["\#(id)"]}"#)
    return reply["items"]?.elements?.first?["devices"]?["desk"]?["state"]?.text
  }

  /// With the list or without it.
  private func relayStaysInItsTree(_ house: Household, _ backup: TestClient) throws {
    let onlooker = try Household.client(house.broker, "relay")
    for filter in ["home/#", "carillon/reply/homeassistant/stolen", "carillon/relay/rejected"] {
      try onlooker.subscribe(filter)
    }
    for topic in ["home/lock", "carillon/reply/homeassistant/stolen", "carillon/device/desk/notification"] {
      try backup.publish("carillon/command/backup", #"{"command":"devices"}"#, responseTopic: topic)
      try backup.publish("carillon/command/backup", #"{"command":"devices","replyTo":"\#(topic)"}"#)
    }
    _ = try house.ask(backup, "backup", #"{"command":"devices"}"#)
    #expect(!onlooker.takeMessages().contains { !$0.topic.hasSuffix("/rejected") })
    #expect(!house.desk.takeMessages().contains { $0.text.contains("items") })
  }

  @Test("With the list and logins, relay, companion and command line do all that they are for")
  func works() throws {
    let house = try Household(isEnforced: true)
    house.desk.disconnect()
    let login = ["--broker", house.broker.url]
    let companion = try Program(
      [
        "companion", "--device", "desk", "--json", "--username", "desk", "--password-file",
        house.folder.file("desk.secret"),
      ]
        + login)
    try companion.wait(for: "the connection", on: .errors) { $0.contains("connected to") }
    let publisher =
      login + [
        "--username", "homeassistant", "--password-file", house.folder.file("homeassistant.secret"),
        "--publisher",
        "homeassistant",
      ]
    let schedule = try Run(["schedule", "--title", "Tea", "--id", "tea", "--to", "desk"] + publisher)
    #expect(schedule.status == .exited(0), "\(schedule.text)")
    try companion.event("notification", "tea")
    try eventually("the answer") { try state(house, "tea") == "presented" }
    #expect(try Run(["focus", "on", "desk"] + publisher).status == .exited(0))
    try eventually("focus") {
      let devices = try house.ask(
        house.homeassistant, "homeassistant", #"{"command":"devices","device":"desk"}"#)
      return devices["items"]?.elements?.first?["profile"]?["focus"] == true
    }
    #expect(try Run(["devices", "--forget", "kitchen"] + publisher).status == .exited(0))
    try eventually("the kitchen to be forgotten") {
      try house.ask(house.homeassistant, "homeassistant", #"{"command":"devices"}"#)["items"]?.elements?.count
        == 1
    }
    let wrong = try Run(
      [
        "schedule", "--title", "x", "--username", "homeassistant", "--password-file",
        house.folder.file("desk.secret"),
      ] + login)
    #expect(wrong.status == .exited(69))
    try companion.stop()
  }
}
