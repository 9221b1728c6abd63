import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Testing

// What is wrong with the message around a command.
extension BadInputTests {
  @Test("An empty payload is ignored quietly")
  func empty() throws {
    let house = try House()
    try house.client.subscribe("carillon/relay/rejected")
    try house.client.publish("carillon/command", "", responseTopic: "carillon/reply/nobody")
    try house.command(#"{"id":"good","to":"desk-1","title":"x"}"#)
    #expect(
      !house.client.messages.contains {
        $0.topic == "carillon/relay/rejected" || $0.topic == "carillon/reply/nobody"
      })
  }

  @Test("A retained command is refused at once, and again is no command after restarts of relay and broker")
  func retained() throws {
    let house = try House(persistence: true)
    try house.client.subscribe("carillon/relay/rejected")
    try house.client.publish(
      "carillon/command", #"{"id":"r1","title":"x","to":"desk-1"}"#, retain: true,
      responseTopic: "carillon/reply/r")
    let reply = try house.client.waitForMessage(on: "carillon/reply/r").json
    #expect(reply.code == "retained", "\(reply.written)")
    #expect(try house.client.waitForMessage(on: "carillon/relay/rejected").json["code"] == "retained")
    // One that cancels what is sent live afterwards.
    try house.client.publish("carillon/command/pub", #"{"command":"cancel","ids":["r2"]}"#, retain: true)
    try house.command(#"{"id":"r2","title":"x","to":"desk-1","trigger":{"after":"1h"}}"#)
    for _ in 0..<2 {
      try house.stopRelay()
      try house.startRelay()
    }
    #expect(try house.pending() == ["r2"])
    #expect(try house.delivered("r1") == [])
    try house.broker.restart()
    try house.waitForStatus("relay", "online", within: .seconds(40))
    let pending = try house.run(["pending", "--json"])
    #expect(try pending.json.map { $0["id"] } == ["r2"])
    #expect(try house.run(["delivered", "--json"]).output == [])
  }

  @Test("Replies go only below the publisher's own tree")
  func replyTopics() throws {
    let house = try House()
    try house.client.subscribe("carillon/relay/rejected")
    try house.client.subscribe("elsewhere/#")
    try house.client.subscribe("carillon/device/desk/notification")
    let forbidden: [(publisher: String?, topic: String)] = [
      (nil, "elsewhere/x"), (nil, "carillon/command"), (nil, "carillon/device/desk/notification"),
      (nil, "carillon/reply"),
      (nil, "carillon/reply/"), (nil, "carillon/replyx/y"), ("me", "carillon/reply/you/x"),
      ("me", "carillon/reply/me"),
      ("me", "carillon/reply/mexico/x"), (nil, "Carillon/reply/x"), (nil, "carillon/relay/status"),
    ]
    for (publisher, topic) in forbidden {
      let level = publisher.map { "/\($0)" } ?? ""
      try house.client.publish(
        "carillon/command\(level)", #"{"id":"n","title":"x","to":"desk"}"#, responseTopic: topic)
      let rejected = try house.client.waitForMessage(on: "carillon/relay/rejected").json
      #expect(rejected["code"] == "forbidden", "\(topic): \(rejected.written)")
      #expect(rejected["from"] == (publisher.map { .string($0) } ?? .null))
      try house.client.publish(
        "carillon/command\(level)", #"{"id":"n","title":"x","to":"desk","replyTo":"\#(topic)"}"#)
      let again = try house.client.waitForMessage(on: "carillon/relay/rejected").json
      #expect(again["code"] == "forbidden", "\(topic): \(again.written)")
      #expect(again["path"] == "replyTo")
    }
    for bad in [#"carillon/reply/#"#, "carillon/reply/+/x", #"carillon/reply/a\u0000b"#] {
      try house.client.publish("carillon/command", #"{"title":"x","to":"desk","replyTo":"\#(bad)"}"#)
      #expect(try house.client.waitForMessage(on: "carillon/relay/rejected").json["code"] == "forbidden")
    }
    #expect(house.client.messages.isEmpty)
    // The publisher's own tree, and for a bare command any tree of replies.
    #expect(try house.ask(#"{"command":"pending"}"#, as: "me")["items"] == [])
    try house.client.publish("carillon/command", #"{"command":"pending","replyTo":"carillon/reply/you/x"}"#)
    #expect(try house.client.waitForMessage(on: "carillon/reply/you/x").json["ok"] == true)
  }

  @Test("Topics below a publisher's are refused")
  func foreignTopics() throws {
    let house = try House()
    try house.client.subscribe("carillon/relay/rejected")
    for topic in [
      "carillon/command/a/b", "carillon/command/a b", "carillon/command/all", "carillon/command/",
    ] {
      try house.client.publish(topic, #"{"id":"n","title":"x","to":"desk"}"#)
      let rejected = try house.client.waitForMessage(on: "carillon/relay/rejected").json
      #expect(rejected["code"] == "forbidden", "\(topic): \(rejected.written)")
      #expect(rejected["topic"]?.text == topic)
      #expect(rejected["from"] == .null)
    }
    #expect(try house.delivered("n") == [])
  }

  @Test("A flood of bad commands makes few log lines, which show neither payload nor secret")
  func quietLog() throws {
    let house = try House()
    let secret = "hunter2-secret"
    let bad = (0..<300).map { index in
      Array((index % 2 == 0 ? #"{"title":"\#(secret)","tok":"\#(secret)"}"# : "{'title': '\(secret)'}").utf8)
    }
    #expect(house.client.publishBurst("carillon/command", bad) == 300)
    try house.command(#"{"id":"good","to":"desk-1","title":"x"}"#)
    let relay = try #require(house.relay)
    try house.stopRelay()
    let lines = relay.lines(.errors)
    #expect(lines.contains { $0.contains("refused on carillon/command") })
    #expect(lines.count < 40, "\(lines.count) lines")
    #expect(!lines.contains { $0.contains(secret) })
  }
}
