import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Testing

@Suite("Presence and receipts", .onOwnThreadWithFewOthers)
struct PresenceTests {
  // MARK: While a device is away

  @Test("What fires for a device that is away waits in the relay, and comes in the order of due times")
  func waits() throws {
    let house = try House()
    let first = try house.companion()
    try first.stop()
    try house.waitForStatus("device/desk", "offline")
    try house.client.subscribe("carillon/device/desk/notification")
    try house.command(#"{"id":"last","title":"x","trigger":{"after":1.2}}"#)
    try house.command(#"{"id":"middle","title":"x","trigger":{"after":1}}"#)
    let list = (0..<5).map { #"{"id":"now\#($0)","title":"x"}"# }.joined(separator: ",")
    try house.ask("[\(list)]")
    try eventually("everything to have fired") {
      try house.command(#"{"command":"delivered"}"#)["items"]?.elements?.count == 7
    }
    #expect(house.client.messages.isEmpty)
    #expect(try house.command(#"{"command":"devices"}"#)["items"]?.elements?.first?["unreceived"] == 7)
    let second = try house.companion(home: first.home)
    try second.event("notification", "last")
    #expect(
      try second.events("notification").map { $0["id"]?.text }
        == ["now0", "now1", "now2", "now3", "now4", "middle", "last"])
    try eventually("nothing to be unreceived") {
      try house.command(#"{"command":"devices"}"#)["items"]?.elements?.first?["unreceived"] == 0
    }
  }

  @Test(
    "Under catchUp latest only the newest firing of an id waits, under all each of them",
    arguments: [false, true])
  func catchUp(all: Bool) throws {
    let house = try House()
    let first = try house.companion()
    try first.stop()
    try house.waitForStatus("device/desk", "offline")
    let policy = all ? "all" : "latest"
    let reply = try house.command(
      #"{"id":"e","title":"x","catchUp":"\#(policy)","trigger":{"every":1,"count":3}}"#)
    let dues = try #require(reply["upcoming"]?.elements)
    try eventually("all three", within: .seconds(20)) {
      try house.delivered("e").count == 3 && house.pending() == []
    }
    let second = try house.companion(home: first.home)
    try second.event("notification", "e", number: all ? 3 : 1)
    try house.command(#"{"id":"end","title":"x"}"#)
    try second.event("notification", "end")
    #expect(try second.events("notification", "e").map { $0["due"] } == (all ? dues : [dues[2]]))
  }

  @Test("A replacement takes the place of what still waits under its id")
  func replacedWhileAway() throws {
    let house = try House()
    let first = try house.companion()
    try first.stop()
    try house.waitForAbsence("desk")
    for body in ["one", "two", "three"] { try house.command(#"{"id":"r","title":"x","body":"\#(body)"}"#) }
    let second = try house.companion(home: first.home)
    #expect(try second.event("notification", "r")["body"] == "three")
    try house.command(#"{"id":"end","title":"x"}"#)
    try second.event("notification", "end")
    #expect(try second.events("notification", "r").count == 1)
  }

  @Test("What expires while the device is away is never shown; what has life left is")
  func expiry() throws {
    let house = try House()
    let first = try house.companion()
    try first.stop()
    try house.waitForAbsence("desk")
    try house.command(#"{"id":"short","title":"x","expires":1}"#)
    try house.command(#"{"id":"long","title":"x","expires":"1h"}"#)
    try eventually("the short one's end") {
      guard let due = try house.delivered("short").first?["due"]?.text,
        case .instant(let time) = try WrittenTime(parsing: due)
      else { return false }
      return SystemClock.wallMilliseconds > time.milliseconds + 1000
    }
    let second = try house.companion(home: first.home)
    try second.event("notification", "long")
    try house.waitForState("short", "expired")
    #expect(try second.events("notification", "short") == [])
  }

  @Test("Expiry is the message's expiry too, and the latest does not outlive it")
  func messageExpiry() throws {
    let house = try House()
    let plain = try TestClient(port: house.broker.port)
    try plain.subscribe("carillon/device/wall/notification")
    try house.command(#"{"id":"x","title":"x","to":"wall","expires":60}"#)
    let message = try plain.waitForMessage()
    #expect((50...60).contains(message.expiry ?? 0))
    #expect(message.qos == 1 && !message.isRetained)
    guard case .instant(let due) = try WrittenTime(parsing: message.json["due"]?.text ?? ""),
      case .instant(let end) = try WrittenTime(parsing: message.json["expires"]?.text ?? "")
    else { throw TestFailure(message.text) }
    #expect(end.milliseconds - due.milliseconds == 60_000)
    try eventually("the latest") { try house.retained("carillon/device/wall/latest") != nil }
    #expect((40...60).contains(try house.retained("carillon/device/wall/latest")?.expiry ?? 0))

    try house.command(#"{"id":"y","title":"x","to":"wall"}"#)
    #expect(try plain.waitForMessage().expiry == nil)
    try house.command(#"{"id":"z","title":"x","to":"wall","expires":2}"#)
    try eventually("the latest to be z") {
      try house.retained("carillon/device/wall/latest")?.json["id"] == "z"
    }
    try eventually("the latest to be over") { try house.retained("carillon/device/wall/latest") == nil }
  }

  @Test("A broker's short queue loses nothing, since the relay keeps what waits")
  func brokersQueue() throws {
    let house = try House(configuration: "max_queued_messages 10")
    let first = try house.companion()
    try first.stop()
    try house.waitForAbsence("desk")
    for number in 0..<25 { try house.command(#"{"id":"q\#(number)","title":"x"}"#) }
    let second = try house.companion(home: first.home)
    try second.event("notification", "q24")
    #expect(try second.events("notification").map { $0["id"]?.text } == (0..<25).map { "q\($0)" })
  }

  @Test("A device that died while the relay was away counts as away when the relay is back")
  func diedMeanwhile() throws {
    let house = try House()
    let companion = try house.companion()
    try house.stopRelay()
    companion.kill()
    try house.waitForStatus("device/desk", "offline")
    try house.startRelay()
    try house.client.subscribe("carillon/device/desk/notification")
    try house.command(#"{"id":"w","title":"x"}"#)
    try house.client.listen(for: .milliseconds(300))
    #expect(house.client.messages.isEmpty)
    let again = try house.companion(home: companion.home)
    try again.event("notification", "w")
  }

  // MARK: Receipts

  @Test("What was not received is sent again when the device comes back, the same delivery; what was is not")
  func sentAgain() throws {
    let house = try House()
    let device = try house.device("desk")
    func bounce() throws {
      try device.publish("carillon/device/desk/status", "offline", retain: true)
      try device.publish("carillon/device/desk/status", "online", retain: true)
    }
    try house.command(#"{"id":"a","title":"x"}"#)
    let first = try device.waitForMessage().json
    try bounce()
    #expect(try device.waitForMessage().json == first)
    // A relay that starts anew sends it again as well.
    try house.killRelay()
    try house.startRelay()
    let third = try device.waitForMessage().json
    #expect(third["delivery"] == first["delivery"] && third["due"] == first["due"])
    let delivery = try #require(first["delivery"]?.text)
    try house.respond("desk", delivery, "received")
    try house.waitForState("a", "received")
    try bounce()
    try house.command(#"{"id":"b","title":"x"}"#)
    #expect(try device.waitForMessage().json["id"] == "b")
  }

  @Test("An older firing is not sent again where a later one of its id was received")
  func laterReceived() throws {
    let house = try House()
    let device = try house.device("desk")
    try house.command(#"{"id":"a","title":"old"}"#)
    try device.waitForMessage()
    try house.command(#"{"id":"a","title":"new"}"#)
    let new = try device.waitForMessage { (try? $0.json["title"]) == "new" }.json
    try house.respond("desk", try #require(new["delivery"]?.text), "received")
    try house.waitForState("a", "received")
    try device.publish("carillon/device/desk/status", "offline", retain: true)
    try device.publish("carillon/device/desk/status", "online", retain: true)
    try house.command(#"{"id":"end","title":"x"}"#)
    try device.waitForMessage { (try? $0.json["id"]) == "end" }
    #expect(
      !device.messages.contains { $0.text.contains(#""title":"old""#) && $0.text.contains("notification") })
  }

  @Test("At most a hundred are without a receipt at a device that is there")
  func window() throws {
    let house = try House()
    let device = try house.device("desk")
    let list = (0..<130).map { #"{"id":"w\#($0)","title":"x"}"# }.joined(separator: ",")
    try house.ask("[\(list)]")
    let first = try (0..<100).map { _ in try device.waitForMessage().json }
    try device.listen(for: .milliseconds(500))
    #expect(device.messages.isEmpty)
    for message in first { try house.respond("desk", try #require(message["delivery"]?.text), "received") }
    let rest = try (0..<30).map { _ in try device.waitForMessage().json }
    #expect((first + rest).compactMap { $0["id"]?.text } == (0..<130).map { "w\($0)" })
  }

  @Test("States only move forward, and only a device that was addressed may answer")
  func states() throws {
    let house = try House()
    let device = try house.device("desk")
    _ = try house.device("loft")
    try house.command(#"{"id":"a","title":"x","to":"desk"}"#)
    let delivery = try #require(try device.waitForMessage().json["delivery"]?.text)
    try house.respond("loft", delivery, "dismissed")
    try house.respond("nobody", delivery, "dismissed")
    try house.respond("desk", delivery + "0", "dismissed")
    try house.respond("desk", "garbage", "dismissed")
    try house.client.publish("carillon/device/desk/response", "{")
    try house.client.publish(
      "carillon/device/desk/response", #"{"delivery":"\#(delivery)","event":"dismissed"}"#, retain: true)
    for (event, more) in [
      ("presented", ""), ("received", ""), ("opened", #","by":"arrival","id":"a","new":"field""#),
      ("received", ""),
    ] {
      try house.respond("desk", delivery, event, more)
    }
    try house.waitForState("a", "opened")
    // The retained one was taken as a live message where it was published; as a stored one it never counts.
    let detail = try house.delivered("a").first
    #expect(detail?["devices"]?.names == ["desk"])
  }

  // MARK: Answers

  @Test(
    "One answer takes the notification away from the other devices, and empties the latest",
    arguments: [
      ("acted", #","action":"done""#), ("dismissed", ""), ("opened", #","by":"tap""#),
    ])
  func answer(event: String, more: String) throws {
    let house = try House()
    let phone = try house.device("phone")
    let desk = try house.companion()
    try house.command(
      #"{"id":"a","title":"x","actions":[{"id":"done","title":"Done"}]}"#)
    let delivery = try #require(try phone.waitForMessage().json["delivery"]?.text)
    try desk.event("notification", "a")
    for device in ["phone", "desk"] {
      try eventually("the latest") { try house.retained("carillon/device/\(device)/latest") != nil }
    }
    try house.respond("phone", delivery, event, more)
    let withdrawn = try desk.event("withdrawn", "a")
    #expect(withdrawn["delivery"]?.text == delivery && withdrawn["reason"]?.text == event)
    for device in ["phone", "desk"] {
      try eventually("no latest") { try house.retained("carillon/device/\(device)/latest") == nil }
    }
    try house.waitForState("a", "withdrawn")
    try house.waitForState("a", event, at: "phone")
    // The one that answered is not told to withdraw, and a second answer changes nothing.
    try house.respond("desk", delivery, "dismissed")
    try house.command(#"{"id":"end","title":"x"}"#)
    #expect(try phone.waitForMessage().json["id"] == "end")
  }

  @Test("Opened by arrival is no answer")
  func arrival() throws {
    let house = try House()
    let companion = try house.companion(routes: #"{routes:[{link:"a://b",navigate:["/b"]}]}"#)
    let phone = try house.device("phone")
    try house.command(#"{"id":"a","title":"x","url":"a://b"}"#)
    try companion.event("opened", "a")
    try house.waitForState("a", "opened")
    try house.command(#"{"id":"end","title":"x"}"#)
    #expect(try phone.waitForMessage().json["id"] == "a")
    #expect(try phone.waitForMessage().json["id"] == "end")
  }

  @Test("A withdrawal is sent again until it is answered")
  func withdrawalAgain() throws {
    let house = try House()
    let device = try house.device("desk")
    try house.command(#"{"id":"a","title":"x"}"#)
    let delivery = try #require(try device.waitForMessage().json["delivery"]?.text)
    try house.respond("desk", delivery, "received")
    try house.command(#"{"command":"withdraw","ids":["a"]}"#)
    #expect(try device.waitForMessage().json["kind"] == "withdrawal")
    func bounce() throws {
      try device.publish("carillon/device/desk/status", "offline", retain: true)
      try device.publish("carillon/device/desk/status", "online", retain: true)
    }
    try bounce()
    #expect(try device.waitForMessage().json["kind"] == "withdrawal")
    try house.respond("desk", delivery, "withdrawn")
    try house.waitForState("a", "withdrawn")
    try bounce()
    try house.command(#"{"id":"end","title":"x"}"#)
    #expect(try device.waitForMessage().json["id"] == "end")
  }

  @Test("What was answered elsewhere or withdrawn while a device was away is dropped on the way there")
  func droppedOnTheWay() throws {
    let house = try House()
    let first = try house.companion()
    let phone = try house.device("phone")
    try first.stop()
    try house.waitForAbsence("desk")
    try house.command(#"{"id":"answered","title":"x"}"#)
    let delivery = try #require(try phone.waitForMessage().json["delivery"]?.text)
    try house.respond("phone", delivery, "dismissed")
    try house.command(#"{"id":"withdrawn","title":"x"}"#)
    try house.command(#"{"command":"withdraw","ids":["withdrawn"]}"#)
    try house.waitForState("answered", "withdrawn")
    let second = try house.companion(home: first.home)
    try house.command(#"{"id":"end","title":"x"}"#)
    try second.event("notification", "end")
    #expect(try second.events.count == 1)
  }

  // MARK: The latest

  @Test("The latest is updated at most once a second, and the last of a burst is what remains")
  func latest() throws {
    let house = try House()
    let device = try house.device("desk")
    try house.client.subscribe("carillon/device/desk/latest")
    for number in 0..<20 { try house.command(#"{"id":"n\#(number)","title":"x"}"#) }
    try device.waitForMessage { (try? $0.json["id"]) == "n19" }
    let last = try house.client.waitForMessage {
      $0.topic.hasSuffix("/latest") && (try? $0.json["id"]) == "n19"
    }
    #expect(last.isRetained && last.qos == 1)
    let updates = house.client.messages.filter { $0.topic.hasSuffix("/latest") }
    #expect(updates.count <= 6, "\(updates.count)")
    // It is the notification as it was sent.
    #expect(try last.json["kind"] == "notification")
  }
}
