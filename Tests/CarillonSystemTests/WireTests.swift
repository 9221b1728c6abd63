import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Testing

/// What travels, message by message: topics, QoS, retain flags, expiry, and the names of all fields.
@Suite("On the wire", .onOwnThreadWithFewOthers)
struct WireTests {
  private let retained: Set<String> = ["latest", "focus", "status", "profile", "state", "last", "summary"]

  @Test(
    "Everything that relay and companion publish is QoS 1, and retained exactly where the protocol says so")
  func flags() throws {
    let house = try House(start: false)
    let onlooker = try TestClient(port: house.broker.port)
    try onlooker.subscribe("carillon/#")
    try house.startRelay()
    let companion = try house.companion(routes: #"{routes:[{link:"a://b",navigate:["/b"]}]}"#)
    try house.command(#"{"id":"a","title":"x","url":"a://b","expires":"1h"}"#)
    try companion.event("opened", "a")
    try house.ask(#"{"titel":"x"}"#)
    try house.command(#"{"command":"withdraw","ids":["a"]}"#)
    try companion.event("withdrawn", "a")
    try companion.stop()
    try house.stopRelay()
    try onlooker.waitForMessage { $0.topic == "carillon/relay/status" && $0.text == "offline" }
    var leaves: Set<String> = []
    for message in onlooker.messages where !message.topic.hasPrefix("carillon/mark") {
      guard !message.topic.hasPrefix("carillon/command") else { continue }
      let isReply = message.topic.hasPrefix("carillon/reply")
      let leaf = isReply ? "reply" : String(message.topic.split(separator: "/").last ?? "")
      leaves.insert(leaf)
      #expect(message.qos == 1, "\(message.topic)")
      #expect(message.isRetained == retained.contains(leaf), "\(message.topic)")
      let mayExpire = leaf == "latest" || leaf == "notification"
      #expect(message.expiry == nil || mayExpire, "\(message.topic)")
      #expect((message.correlationData != nil) == isReply, "\(message.topic)")
    }
    #expect(
      leaves == [
        "notification", "latest", "focus", "response", "status", "profile", "state", "rejected", "reply",
        "last", "summary", "event",
      ])
  }

  @Test("The companion's profile and responses have the protocol's fields")
  func companionFields() throws {
    let house = try House()
    try house.client.subscribe("carillon/device/desk/response")
    let companion = try house.companion(routes: #"{routes:[{link:"a://b",navigate:["/b"]}]}"#)
    let profile = try #require(try house.retained("carillon/device/desk/profile")).json
    #expect(
      Set(profile.names) == [
        "name", "authorization", "focus", "presentation", "presence", "schemes", "version", "instance",
      ])
    #expect(profile["name"] == "desk" && profile["presence"] == "unknown" && profile["schemes"] == ["a"])
    #expect(profile["authorization"] == "authorized" && profile["focus"] == false)
    try house.command(#"{"id":"a","title":"x","url":"a://b"}"#)
    try companion.event("opened", "a")
    let received = try house.client.waitForMessage { $0.topic.hasSuffix("/response") }.json
    #expect(received.names == ["delivery", "id", "event", "at"] && received["event"] == "received")
    let opened = try house.client.waitForMessage { $0.topic.hasSuffix("/response") }.json
    #expect(opened.names == ["delivery", "id", "event", "by", "at", "detail", "route", "steps"])
    #expect(opened["event"] == "opened" && opened["by"] == "arrival")
    _ = try WrittenTime(parsing: opened["at"]?.text ?? "")
    try house.command(#"{"id":"n","title":"x","url":"a://nowhere"}"#)
    try house.client.waitForMessage { $0.topic.hasSuffix("/response") }
    let failed = try house.client.waitForMessage { $0.topic.hasSuffix("/response") }.json
    #expect(failed.names == ["delivery", "id", "event", "at", "detail"] && failed["event"] == "failed")
  }

  @Test("A notification's fields are the protocol's, then the content as it was sent")
  func notificationFields() throws {
    let house = try House()
    let device = try house.device("desk")
    let content =
      #""title":"T","subtitle":"S","body":"B","url":"a://b","actions":[{"id":"i","title":"A"}],"sound":"default","badge":1,"image":"https://example.jp/i","thread":"t","category":"c","level":"active","userInfo":{"any":[1,2.5,null,true,"\u00e9"]}"#
    try house.command(#"{"id":"a",\#(content),"to":"desk"}"#)
    let message = try device.waitForMessage().json
    #expect(
      message.names.prefix(9) == [
        "kind", "delivery", "id", "from", "due", "fired", "late", "missed", "expires",
      ])
    #expect(
      Set(message.names.dropFirst(9)) == [
        "title", "subtitle", "body", "url", "actions", "sound", "badge", "image", "thread", "category",
        "level",
        "userInfo",
      ])
    #expect(message["userInfo"] == ["any": [1, .number(2.5), nil, true, "\u{E9}"]])
    #expect(message["due"]?.text?.utf8.count == "2026-12-01T19:00:00.000+01:00".utf8.count)
  }

  @Test("A refusal has the same fields for the publisher and for administrators, whoever sent it")
  func refusalFields() throws {
    let house = try House()
    try house.client.subscribe("carillon/relay/rejected")
    let reply = try house.ask(#"{"id":"bins","title":"x","trigger":{"every":0}}"#, as: "me")
    #expect(reply.names == ["ok", "command", "id", "error"])
    #expect(reply["command"] == "schedule" && reply["id"] == "bins")
    #expect(reply["error"]?.names == ["code", "path", "message"])
    let rejected = try house.client.waitForMessage(on: "carillon/relay/rejected").json
    #expect(rejected.names == ["code", "path", "message", "topic", "from"])
    #expect(rejected["topic"] == "carillon/command/me" && rejected["from"] == "me")
    try house.ask("{", as: "me")
    let malformed = try house.client.waitForMessage(on: "carillon/relay/rejected").json
    #expect(malformed.names == ["code", "path", "message", "topic", "from", "excerpt"])
  }

  @Test(
    "Without a reply topic nothing is answered, and the command runs all the same",
    arguments: [Int32(0), 1, 2])
  func withoutReply(qos: Int32) throws {
    let house = try House()
    let device = try house.device("desk")
    try house.client.publish("carillon/command", #"{"id":"a","title":"x","to":"desk"}"#, qos: qos)
    try device.waitForMessage()
    #expect(house.client.messages.isEmpty)
  }

  @Test(
    "Nothing is told to fire before it is due, and the due time told at acceptance is the one that is kept")
  func dueTimes() throws {
    let house = try House()
    let device = try house.device("desk")
    for round in 0..<10 {
      let reply = try house.command(
        #"{"id":"d\#(round)","title":"x","to":"desk","trigger":{"after":\#(0.1 + Double(round) / 1000)}}"#)
      let message = try device.waitForMessage { $0.text.contains(#""id":"d\#(round)""#) }.json
      #expect(message["due"] == reply["next"])
      guard case .instant(let due) = try WrittenTime(parsing: message["due"]?.text ?? ""),
        case .instant(let fired) = try WrittenTime(parsing: message["fired"]?.text ?? "")
      else { throw TestFailure(message.written) }
      #expect(fired >= due)
    }
  }

  @Test("The reply names the verb as it was understood")
  func verbs() throws {
    let house = try House()
    #expect(try house.ask(#"{"command":null,"title":"x","to":"desk"}"#)["command"] == "schedule")
    #expect(try house.ask(#"{"command":"shedule"}"#)["command"] == "shedule")
    #expect(try house.ask(#"{"command":5}"#)["command"] == .null)
    #expect(try house.ask("{")["command"] == .null)
  }

  @Test("The state is told at most once a second, however much happens")
  func stateRate() throws {
    let house = try House()
    try house.client.subscribe("carillon/relay/state")
    let start = SystemClock.elapsedMilliseconds
    var number = 0
    while SystemClock.elapsedMilliseconds - start < 2500 {
      try house.command(#"{"id":"s\#(number)","title":"x","to":"desk","trigger":{"after":"1h"}}"#)
      number += 1
    }
    let seconds = (SystemClock.elapsedMilliseconds - start) / 1000
    let states = try house.client.messages.filter { $0.topic == "carillon/relay/state" }.map { try $0.json }
    #expect((1...Int(seconds) + 2).contains(states.count), "\(states.count) in \(seconds) s")
    try eventually("the last state") {
      try house.retained("carillon/relay/state")?.json["pending"]?.whole == Int64(number)
    }
  }

  @Test("Each element of an array may have a key of its own, and is recognised by it")
  func keysInArrays() throws {
    let house = try House()
    let device = try house.device("desk")
    let one = #"{"title":"x","to":"desk","key":"a"}"#
    let first = try house.ask("[\(one),\(one.replacing(#""a""#, with: #""b""#))]")
    let second = try house.ask("[\(one.replacing(#""a""#, with: #""c""#)),\(one)]")
    #expect(second.elements?.last == first.elements?.first)
    #expect(second.elements?.first?["delivery"] != first.elements?.first?["delivery"])
    for _ in 0..<3 { try device.waitForMessage() }
    try device.listen(for: .milliseconds(200))
    #expect(device.messages.isEmpty)
  }

  @Test("A device's order is that of due times, whether they are on the wall clock or elapsed")
  func orderOverBothClocks() throws {
    let house = try House()
    let companion = try house.companion()
    let now = SystemClock.wallMilliseconds
    var list: [String] = []
    for number in 0..<10 {
      let at = timestamp(utc: WallTime(milliseconds: now + 1500 + Int64(number) * 40))
      list.append(#"{"id":"w\#(number)","title":"x","trigger":{"at":"\#(at)"}}"#)
      list.append(#"{"id":"e\#(number)","title":"x","trigger":{"after":\#(1.52 + Double(number) / 25)}}"#)
    }
    try house.ask("[\(list.joined(separator: ","))]")
    try eventually("all of them", within: .seconds(20)) { try companion.events("notification").count == 20 }
    let dues = try companion.events("notification").compactMap { $0["due"]?.text }
    #expect(dues == dues.sorted())
  }

  @Test(
    "A request that names a device in a group and by itself reaches it once; a device without a status at once"
  )
  func plainSubscriber() throws {
    let house = try House()
    let plain = try TestClient(port: house.broker.port, version: 4)
    try plain.subscribe("carillon/device/tv/notification", options: 0)
    let reply = try house.command(#"{"id":"a","title":"x","to":["tv","tv"]}"#)
    #expect(reply["unknown"] == ["tv"])
    try plain.waitForMessage()
    try house.waitForState("a", "accepted", at: "tv")
    try plain.listen(for: .milliseconds(200))
    #expect(plain.messages.isEmpty)
  }
}
