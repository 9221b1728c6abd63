import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

/// SIGHUP: relay and companion take other settings, and lose nothing.
@Suite("Reading the configuration anew", .onOwnThreadWithFewOthers)
struct ReloadTests {
  private func errors(_ program: Program, containing text: String) -> [String] {
    program.lines(.errors).filter { $0.contains(text) }
  }

  /// Sends SIGHUP and waits until the outcome has been told once more.
  private func reload(_ program: Program, _ text: String = "has been read anew") throws {
    let before = errors(program, containing: text).count
    program.signal(SIGHUP)
    try eventually("\(text): \(program.lines(.errors))") { errors(program, containing: text).count > before }
  }

  @Test("The relay takes other groups, limits, links and topics with its connection kept")
  func relay() throws {
    let folder = try TemporaryDirectory(inMemory: true)
    let file = try folder.write("relay.json5", "{ groups: { up: ['desk'] }, when: { topics: ['home/a'] } }")
    let manager = try ServiceManager(in: folder)
    let house = try House(relay: ["--config", file], start: false)
    let relay = try house.startRelay(environment: ["NOTIFY_SOCKET": manager.path])
    let desk = try house.device("desk")
    let bed = try house.device("bed")
    try house.client.subscribe("carillon/relay/status")
    try house.command(
      #"{"id":"w","title":"w","to":"desk","trigger":{"when":{"topic":"home/a","equals":"1"}}}"#)
    try house.command(#"{"id":"g","title":"g","to":"up","trigger":{"after":"1h"}}"#)

    try folder.write(
      "relay.json5",
      """
      { groups: { up: ["bed"] }, limits: { pending: 3 }, links: { schemes: ["home"] }, when: { topics: ["home/b"] },
        broker: "mqtt://elsewhere.example", keepAlive: "30s", log: "debug" }
      """)
    try reload(relay)
    try manager.wait(for: "RELOADING=1")
    try manager.wait(for: "READY=1")
    // On the command line the broker is another, which beats both files; the keep-alive is not.
    let fixed = try relay.wait(for: "what needs a start", on: .errors) { $0.contains("next start") }
    #expect(fixed.hasSuffix(": keepAlive"), "\(fixed)")

    // A request that was there goes where the group leads now.
    try house.command(#"{"command":"fire","id":"g"}"#)
    #expect(try bed.waitForMessage { (try? $0.json["id"])?.text == "g" }.json["title"]?.text == "g")
    #expect(!desk.messages.contains { (try? $0.json["id"])?.text == "g" })
    #expect(try house.ask(#"{"title":"x","url":"https://example.jp/"}"#).code == "forbidden")
    #expect(
      try house.ask(#"{"title":"x","trigger":{"when":{"topic":"home/a","equals":"1"}}}"#).code == "forbidden")
    // What may not be watched any more waits, and comes back with its permission.
    #expect(
      try house.command(#"{"command":"pending","ids":["w"]}"#)["items"]?.elements?.first?["state"]?.text
        == "invalid")
    try house.command(
      #"{"id":"b","title":"b","to":"bed","trigger":{"when":{"topic":"home/b","equals":"1"}}}"#)
    try house.client.publish("home/b", "1")
    try bed.waitForMessage { (try? $0.json["id"])?.text == "b" }
    try house.command(#"{"id":"c1","title":"c","trigger":{"after":"1h"}}"#)
    #expect(
      try house.ask(#"[{"title":"c","trigger":{"after":"1h"}},{"title":"c","trigger":{"after":"1h"}}]"#)
        .elements?.last?.code == "limit")

    try folder.write("relay.json5", "{ when: { topics: ['home/a'] } }")
    try reload(relay)
    #expect(
      try house.command(#"{"command":"pending","ids":["w"]}"#)["items"]?.elements?.first?["state"]?.text
        == "pending")
    try house.client.publish("home/a", "1")
    try desk.waitForMessage { (try? $0.json["id"])?.text == "w" }
    #expect(!house.client.messages.contains { $0.topic == "carillon/relay/status" && $0.text == "offline" })
    #expect(errors(relay, containing: "connected to").count == 1)
    try house.stopRelay()
  }

  @Test("A file that is wrong changes nothing and is told with its place")
  func wrong() throws {
    let folder = try TemporaryDirectory(inMemory: true)
    let file = try folder.write("relay.json5", "{ groups: { up: ['desk'] } }")
    let house = try House(relay: ["--config", file])
    let relay = try #require(house.relay)
    for (text, place) in [("{\n  gruops: {},\n}", "line 2, column 3"), ("{", "relay.json5")] {
      try folder.write("relay.json5", text)
      try reload(relay, "the old one stays")
      #expect(
        errors(relay, containing: "the old one stays").last?.contains(place) == true,
        "\(relay.lines(.errors))")
    }
    unlink(file)
    try reload(relay, "the old one stays")
    let reply = try house.command(#"{"title":"x","to":"up"}"#)
    // Nobody has seen it; the group is still known.
    #expect(reply["unknown"] == ["desk"], "\(reply.written)")
    try house.stopRelay()
  }

  @Test(
    "The companion takes other routes and permissions with its connection kept, and keeps the old of a bad file"
  )
  func companion() throws {
    let house = try House()
    let folder = try TemporaryDirectory(inMemory: true)
    func routes(_ screen: String) -> String {
      #"{ routes: [{ link: "app://go", navigate: ["/\#(screen)"] }] }"#
    }
    let file = try folder.write("companion.json5", "{ routes: 'routes.json5' }")
    try folder.write("routes.json5", routes("old"))
    let companion = try house.companion("desk", ["--config", file])
    try house.client.subscribe("carillon/device/desk/status")
    try house.command(#"{"id":"a","url":"app://go"}"#)
    #expect(try companion.event("navigate", "a")["to"]?.text == "/old")

    try folder.write("routes.json5", routes("new"))
    try reload(companion)
    try house.command(#"{"id":"b","url":"app://go"}"#)
    #expect(try companion.event("navigate", "b")["to"]?.text == "/new")

    try folder.write("routes.json5", "{ routes: [{ link: 'app://go' }] }")
    try reload(companion, "the old one stays")
    #expect(errors(companion, containing: "the old one stays").last?.contains("routes.json5, line 1") == true)
    try house.command(#"{"id":"c","url":"app://go"}"#)
    #expect(try companion.event("navigate", "c")["to"]?.text == "/new")

    try folder.write("routes.json5", routes("new"))
    try folder.write(
      "companion.json5",
      "{ routes: 'routes.json5', prefix: 'other', authorization: { default: 'denied' }, log: 'debug' }")
    try reload(companion)
    try companion.wait(for: "what needs a start", on: .errors) { $0.hasSuffix("next start on: prefix") }
    try house.command(#"{"id":"d","title":"d"}"#)
    try house.waitForState("d", "suppressed")
    #expect(!house.client.messages.contains { $0.text == "offline" })
    #expect(errors(companion, containing: "connected to").count == 1)
    try companion.stop()
  }
}
