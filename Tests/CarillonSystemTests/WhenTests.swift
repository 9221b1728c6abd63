import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Testing

/// Requests that wait for other topics and for devices, with a real broker, and with relays that come and go.
@Suite("When", .onOwnThreadWithFewOthers)
struct WhenTests {
  /// A house whose relay may watch some topics, and whose broker logs subscriptions.
  private final class Scene {
    let house: House
    private let folder: TemporaryDirectory
    let configuration: String

    init(_ topics: String = #""home/#""#, broker: String = "", start: Bool = true) throws {
      folder = try TemporaryDirectory(inMemory: true)
      configuration = try folder.write("relay.json5", "{ when: { topics: [\(topics)] } }")
      house = try House(
        relay: ["--config", configuration],
        configuration: "log_type subscribe\nlog_type unsubscribe\nlog_type information\n" + broker,
        start: start)
      try house.client.subscribe("carillon/device/+/notification")
    }

    func allow(_ topics: String) throws {
      try folder.write("relay.json5", "{ when: { topics: [\(topics)] } }")
    }

    /// What the broker has logged of subscriptions to a topic, in order: true for each SUBSCRIBE.
    func subscriptions(_ topic: String) -> [Bool] {
      house.broker.log.split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ")
        guard words.last == topic[...], words.dropFirst().first?.contains("-relay-") == true else {
          return nil
        }
        return words.count == 4
      }
    }

    func notification(_ id: String) throws -> JSON {
      try house.client.waitForMessage {
        $0.topic.hasSuffix("/notification") && (try? $0.json["id"])?.text == id
      }.json
    }

    /// The ids of all notifications until one that is sent now.
    func others() throws -> [String] {
      try house.command(#"{"id":"end","title":"x","to":"desk"}"#)
      let before = house.client.messages.filter { $0.topic.hasSuffix("/notification") }
      _ = try notification("end")
      return try (before + house.client.takeMessages().filter { $0.topic.hasSuffix("/notification") })
        .compactMap { try $0.json["id"]?.text }.filter { $0 != "end" }
    }

    func publish(_ topic: String, _ text: String, retain: Bool = false, qos: Int32 = 1) throws {
      try house.client.publish(topic, text, qos: qos, retain: retain)
    }
  }

  private func when(_ condition: String, _ beside: String = "", id: String = "a") -> String {
    #"{"id":"\#(id)","title":"x","to":"desk","trigger":{"when":{\#(condition)}\#(beside)}}"#
  }

  private let phone = #""topic":"home/phone","pointer":"/state","equals":"home""#

  // MARK: Messages

  @Test("Somebody sits down at a device, and a relay that was away meanwhile says so late")
  func presence() throws {
    let house = try House()
    let desk = try house.device("desk")
    func profile(_ presence: String) throws {
      try desk.publish(
        "carillon/device/desk/profile", #"{"name":"desk","presence":"\#(presence)"}"#, retain: true)
    }
    try profile("locked")
    try eventually("the profile") {
      let item = try house.command(#"{"command":"devices"}"#)["items"]?.elements?.first
      return item?["profile"]?["presence"] == "locked"
    }
    try house.command(when(#""device":"desk","presence":"active""#))
    try profile("active")
    let first = try desk.waitForMessage(on: "carillon/device/desk/notification").json
    #expect(first["id"] == "a" && first["late"] == false)
    try profile("idle")
    try eventually("the profile") {
      let item = try house.command(#"{"command":"devices"}"#)["items"]?.elements?.first
      return item?["profile"]?["presence"] == "idle"
    }
    try house.command(when(#""device":"desk","presence":"active""#, id: "b"))
    try house.killRelay()
    try profile("active")
    try house.startRelay()
    let second = try desk.waitForMessage {
      $0.topic.hasSuffix("/notification") && (try? $0.json["id"]) == "b"
    }
    #expect(try second.json["late"] == true)
  }

  @Test("A message that begins to match fires, right after the reply too, and what is stored is no news")
  func edges() throws {
    let scene = try Scene()
    let reply = try scene.house.command(when(phone, #","repeats":true"#))
    #expect(reply["next"] == .null && reply["upcoming"] == .array([]))
    try scene.publish("home/phone", #"{"state":"home"}"#)
    let first = try scene.notification("a")
    #expect(first["late"] == false && first["missed"] == 0)
    try scene.publish("home/other", #"{"state":"home"}"#, retain: true)
    try scene.house.command(
      when(phone.replacing("home/phone", with: "home/other"), #","repeats":true"#, id: "b"))
    try scene.publish("home/other", #"{"state":"home"}"#, retain: true)
    #expect(try scene.others() == [])
    try scene.publish("home/other", "away", retain: true)
    try scene.publish("home/other", #"{"state":"home"}"#, qos: 0)
    #expect(try scene.notification("b")["late"] == false)
  }

  @Test("A topic is subscribed to only while a request needs it, also when the relay was killed in between")
  func subscribedWhileNeeded() throws {
    let scene = try Scene()
    #expect(scene.subscriptions("home/phone") == [])
    try scene.house.command(when(phone))
    try scene.house.command(when(phone, id: "b"))
    try scene.house.command(#"{"command":"pause","ids":["b"]}"#)
    #expect(scene.subscriptions("home/phone") == [true, true], "each learns where it begins")
    try scene.house.command(#"{"command":"cancel","ids":["a"]}"#)
    try scene.house.stopRelay()
    try scene.house.startRelay()
    #expect(scene.subscriptions("home/phone") == [true, true, true])
    try scene.house.command(#"{"command":"cancel","ids":["b"]}"#)
    try eventually("the topic to be given up") { scene.subscriptions("home/phone").last == false }
    // The relay dies between the commit of a cancel and giving the topic up: the broker's session still has it.
    try scene.house.command(when(phone))
    try scene.house.stopRelay()
    let relay = try scene.house.startRelay(fault: "relay.committed")
    try scene.publish("carillon/command", #"{"command":"cancel","ids":["a"]}"#)
    try relay.waitForExit()
    let before = scene.subscriptions("home/phone").count
    try scene.house.startRelay()
    try scene.publish("home/phone", "x")
    try eventually("the stray topic to be given up") {
      scene.subscriptions("home/phone").dropFirst(before) == [false]
    }
  }

  @Test("A stored value that changed while the relay was away is a late edge; one that did not, is none")
  func changedWhileAway() throws {
    let scene = try Scene()
    for id in ["changed", "same"] {
      try scene.publish("home/\(id)", id == "same" ? "on" : "off", retain: true)
      try scene.house.command(when(#""topic":"home/\#(id)","equals":"on""#, id: id))
    }
    try scene.house.stopRelay()
    try scene.publish("home/changed", "on", retain: true)
    try scene.publish("home/same", "on", retain: true)
    try scene.house.startRelay()
    #expect(try scene.notification("changed")["late"] == true)
    #expect(try scene.others() == [])
    #expect(try scene.house.pending() == ["same"])
  }

  @Test("Messages that the broker kept while the relay was off are late edges, after the commands among them")
  func keptMessages() throws {
    let scene = try Scene()
    try scene.house.command(when(#""topic":"home/a","equals":"on""#))
    try scene.house.command(when(#""topic":"home/b","equals":"on""#, id: "b"))
    try scene.house.killRelay()
    for topic in ["home/a", "home/b"] {
      try scene.publish(topic, "on")
      try scene.publish(topic, "off")
    }
    try scene.publish("carillon/command", #"{"command":"cancel","ids":["b"]}"#)
    try scene.house.startRelay()
    #expect(try scene.notification("a")["late"] == true)
    #expect(try scene.others() == [])
  }

  @Test(
    "Killed around the commit of an edge, it fires once", arguments: ["relay.received", "relay.committed"])
  func killedAroundTheCommit(place: String) throws {
    let scene = try Scene()
    try scene.house.command(when(#""topic":"home/a","equals":"on""#, #","repeats":true"#))
    try scene.house.stopRelay()
    let relay = try scene.house.startRelay(fault: place)
    try scene.publish("home/a", "on")
    try relay.waitForExit()
    try scene.house.startRelay()
    _ = try scene.notification("a")
    #expect(try scene.others() == [])
    #expect(try scene.house.delivered("a").count == 1)
  }

  @Test("A request that joins others on a topic learns what is stored there, and tells them nothing by that")
  func joining() throws {
    let scene = try Scene()
    let condition = #""topic":"home/a","equals":"on""#
    try scene.house.command(when(condition, #","repeats":true"#))
    try scene.publish("home/a", "on", retain: true)
    _ = try scene.notification("a")
    try scene.publish("home/a", "off")
    // Two firings of one request are a second apart.
    try scene.house.command(when(#""topic":"home/b","silent":1.1"#, id: "later"))
    _ = try scene.notification("later")
    try scene.house.command(when(condition, id: "b"))
    #expect(try scene.others() == [])
    try scene.publish("home/a", "on")
    _ = try scene.notification("a")
    #expect(try scene.others() == [], "the stored value is where the other begins")
  }

  @Test("A match that has to hold, a delay, and a silence")
  func times() throws {
    let scene = try Scene()
    try scene.house.command(when(#""topic":"home/a","above":20,"for":1"#, id: "for"))
    try scene.house.command(when(#""topic":"home/b","above":20,"for":1"#, id: "broken"))
    try scene.house.command(when(#""topic":"home/b","above":20,"delay":1"#, id: "delay"))
    try scene.house.command(when(#""topic":"home/b","above":20,"for":0.5,"delay":0.5"#, id: "broken too"))
    try scene.house.command(when(#""topic":"home/a","above":20,"for":0.5,"delay":0.5"#, id: "both"))
    let reply = try scene.house.command(when(#""topic":"home/c","silent":2"#, id: "silent"))
    #expect(reply["next"]?.text != nil)
    for topic in ["home/a", "home/b", "home/c"] { try scene.publish(topic, "21.5") }
    try scene.publish("home/b", "19")
    var ids: [String] = []
    for _ in 0..<4 {
      ids.append(
        try scene.house.client.waitForMessage { $0.topic.hasSuffix("/notification") }.json["id"]?.text ?? "")
    }
    #expect(Set(ids.prefix(3)) == ["for", "delay", "both"] && ids.last == "silent")
    #expect(try scene.others() == [])
    #expect(try scene.house.pending() == ["broken", "broken too"])
  }

  @Test("It ends by itself when until has passed")
  func until() throws {
    let scene = try Scene()
    let until = SystemClock.wallMilliseconds / 1000 + 2
    try scene.house.command(when(phone, #","repeats":true,"until":\#(until)"#))
    #expect(scene.subscriptions("home/phone").last == true)
    try eventually("the end") { try scene.house.pending().isEmpty }
    try eventually("the topic to be given up") { scene.subscriptions("home/phone").last == false }
  }

  // MARK: Devices

  @Test("Half an hour after the first visit ends, scaled to seconds, over restarts of the relay")
  func visit() throws {
    let scene = try Scene("", start: true)
    try scene.house.command(when(#""device":"guest","status":"offline","delay":3"#))
    let guest = try scene.house.companion("guest")
    try guest.stop()
    // The relay has seen it go, too.
    try eventually("the edge") {
      let listed = try scene.house.command(#"{"command":"pending"}"#)["items"]?.elements?.first
      return listed?["next"]?.text != nil
    }
    try scene.house.killRelay()
    try scene.house.startRelay()
    let listed = try scene.house.command(#"{"command":"pending"}"#)["items"]?.elements?.first
    let due = try #require(listed?["next"]?.text)
    let notification = try scene.notification("a")
    #expect(notification["due"]?.text == due)
    #expect(notification["late"] == false)
    #expect(try scene.house.pending() == [])
  }

  @Test("A device that goes while the relay is off is seen late, one that came back is not seen to have gone")
  func goneWhileAway() throws {
    let scene = try Scene("")
    for device in ["gone", "back"] {
      _ = try scene.house.device(device)
      try scene.house.command(when(#""device":"\#(device)","status":"offline""#, id: device))
    }
    try scene.house.stopRelay()
    try scene.publish("carillon/device/gone/status", "offline", retain: true)
    try scene.house.startRelay()
    #expect(try scene.notification("gone")["late"] == true)
    #expect(try scene.others() == [])
  }

  // MARK: Permission

  @Test("Nothing may be watched but what the configuration allows, and nothing of the relay's own")
  func forbidden() throws {
    let scene = try Scene(##""home/+/state", "a/#""##)
    for topic in ["home/x", "b", "carillon/command", "carillon/device/desk/status"] {
      let reply = try scene.house.ask(when(#""topic":"\#(topic)","equals":1"#))
      #expect(reply.code == "forbidden" && reply.path == "trigger.when.topic", "\(topic)")
    }
    for topic in ["home/+/state", "a/#", "$SYS/broker/uptime", "$share/x/a/b"] {
      #expect(try scene.house.ask(when(#""topic":"\#(topic)","equals":1"#)).code == "invalid", "\(topic)")
    }
    for topic in ["home/x/state", "a", "a/b/c", "a//"] {
      try scene.house.command(when(#""topic":"\#(topic)","equals":1"#, id: topic))
    }
    // What the configuration takes back is listed as invalid, until it is given again.
    try scene.house.stopRelay()
    try scene.allow(#""home/+/state""#)
    let relay = try scene.house.startRelay()
    let items = try scene.house.command(#"{"command":"pending"}"#)["items"]?.elements ?? []
    #expect(items.map { $0["state"] } == ["pending", "invalid", "invalid", "invalid"])
    #expect(relay.lines(.errors).contains { $0.contains("allow it in when.topics") })
    try scene.house.stopRelay()
    try scene.allow(##""home/+/state", "a/#""##)
    try scene.house.startRelay()
    try scene.publish("a//", "1")
    _ = try scene.notification("a//")
  }

  @Test("A broker that refuses a subscription is told in the log and in the relay's warnings")
  func refusedByTheBroker() throws {
    let plugin = "/usr/lib/x86_64-linux-gnu/mosquitto_dynamic_security.so"
    let folder = try TemporaryDirectory()
    let rules = try folder.write(
      "rules.json",
      """
      {"defaultACLAccess": {"publishClientSend": true, "publishClientReceive": true, "subscribe": true, "unsubscribe": true},
       "groups": [{"groupname": "all", "roles": [{"rolename": "some"}]}], "anonymousGroup": "all",
       "roles": [{"rolename": "some", "acls": [
         {"acltype": "subscribeLiteral", "topic": "home/secret", "priority": 10, "allow": false}]}]}
      """)
    let scene = try Scene(
      broker: "plugin \(plugin)\nplugin_opt_config_file \(rules)\n")
    func warnings() throws -> String {
      try scene.house.retained("carillon/relay/state")?.json["warnings"]?.written ?? ""
    }
    #expect(try scene.house.command(when(#""topic":"home/secret","equals":1"#))["ok"] == true)
    try scene.house.command(when(#""topic":"home/open","equals":1"#, id: "b"))
    try eventually("the warning") { try warnings().contains("home/secret") }
    #expect(try !warnings().contains("home/open"))
    let relay = try #require(scene.house.relay)
    #expect(relay.lines(.errors).contains { $0.contains("home/secret") && $0.contains("access list") })
    try scene.house.stopRelay()
    try scene.house.startRelay()
    try eventually("the warning after a restart") { try warnings().contains("home/secret") }
    try scene.house.command(#"{"command":"cancel","all":true}"#)
    try eventually("the warning to go") { try warnings() == "[]" }
  }
}
