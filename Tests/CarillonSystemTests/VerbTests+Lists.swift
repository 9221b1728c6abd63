import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Testing

extension VerbTests {
  // MARK: Lists

  @Test(
    "An array is one transaction in order; a bad element is refused alone, and the reply is an array in that order"
  )
  func array() throws {
    let house = try House()
    try house.client.subscribe("carillon/relay/rejected")
    let reply = try house.ask(
      #"[{"id":"a","title":"x","to":"desk","trigger":{"after":"1h"}},{"id":"b","titel":"x"},5,{"command":"cancel","ids":["a"]},{"id":"c","title":"x","to":"desk","trigger":{"after":"1h"}}]"#
    )
    let elements = try #require(reply.elements)
    #expect(elements.map { $0["ok"] } == [true, false, false, true, true])
    #expect(elements[1].code == "unknown-field" && elements[1]["id"] == "b")
    #expect(elements[2].code == "invalid")
    #expect(elements[3]["ids"] == ["a": "cancelled"])
    #expect(try house.pending() == ["c"])
    #expect(try house.client.waitForMessage(on: "carillon/relay/rejected").json["code"] == "unknown-field")
    #expect(try house.client.waitForMessage(on: "carillon/relay/rejected").json["code"] == "invalid")
  }

  @Test("Lists come in pages that a cursor continues, and can be narrowed by id and device")
  func pages() throws {
    let house = try House()
    let list = (0..<25).map {
      #"{"id":"p\#($0)","title":"x","to":"\#($0 % 5 == 0 ? "desk" : "loft")","trigger":{"after":"1h"}}"#
    }
    try house.ask("[\(list.joined(separator: ","))]")
    var found: [String] = []
    var cursor = ""
    var pages = 0
    repeat {
      let page = try house.command(#"{"command":"pending","limit":10\#(cursor)}"#)
      found += page["items"]?.elements?.compactMap { $0["id"]?.text } ?? []
      cursor = page["after"]?.text.map { #","after":"\#($0)""# } ?? ""
      pages += 1
    } while !cursor.isEmpty && pages < 10
    #expect(found == (0..<25).map { "p\($0)" })
    #expect(pages == 3)
    let mine = try house.command(#"{"command":"pending","device":"desk"}"#)["items"]?.elements ?? []
    #expect(mine.count == 5)
    let named = try house.command(#"{"command":"pending","ids":["p3","p4","nope"]}"#)["items"]?.elements ?? []
    #expect(named.compactMap { $0["id"]?.text } == ["p3", "p4"])
  }

  @Test("A page stays below 256 KiB")
  func pageSize() throws {
    let house = try House()
    let body = String(repeating: "b", count: 50_000)
    for number in 0..<8 {
      try house.command(#"{"id":"big\#(number)","body":"\#(body)","to":"desk","trigger":{"after":"1h"}}"#)
    }
    let page = try house.command(#"{"command":"pending"}"#)
    #expect(page.encoded.count <= 256 * 1024)
    let cursor = try #require(page["after"]?.text)
    let first = page["items"]?.elements?.count ?? 0
    #expect((1..<8).contains(first))
    let rest = try house.command(#"{"command":"pending","after":"\#(cursor)"}"#)
    #expect(first + (rest["items"]?.elements?.count ?? 0) >= 6)
  }

  @Test("Delivered tells each firing with its state on each device, newest first")
  func delivered() throws {
    let house = try House()
    let companion = try house.companion(routes: #"{routes:[{link:"a://b",navigate:["/b"]}]}"#)
    try house.command(#"{"id":"one","title":"x","url":"a://b"}"#)
    try house.command(#"{"id":"two","title":"x","to":["desk","wall"]}"#)
    try companion.event("opened", "one")
    try companion.event("notification", "two")
    try house.waitForState("one", "opened")
    try house.waitForState("two", "presented")
    let items = try house.command(#"{"command":"delivered"}"#)["items"]?.elements ?? []
    #expect(items.map { $0["id"] } == ["two", "one"])
    for item in items { #expect(item.names == ["delivery", "id", "due", "fired", "devices"]) }
    // Taken by the broker is no more than that.
    #expect(items.first?["devices"]?["wall"]?["state"] == "accepted")
    #expect(items.first?["devices"]?["desk"]?.names == ["state", "at", "detail"])
    #expect(try house.command(#"{"command":"delivered","device":"wall"}"#)["items"]?.elements?.count == 1)
    let page = try house.command(#"{"command":"delivered","limit":1}"#)
    let cursor = try #require(page["after"]?.text)
    #expect(
      try house.command(#"{"command":"delivered","limit":1,"after":"\#(cursor)"}"#)["items"]?.elements?
        .first?["id"] == "one")
  }

  @Test("Devices are listed with their profile; a forgotten one is gone with all that was kept for it")
  func devicesAndForget() throws {
    let house = try House()
    let companion = try house.companion(routes: #"{routes:[{link:"a://b",navigate:["/b"]}]}"#)
    let item = try #require(try house.command(#"{"command":"devices"}"#)["items"]?.elements?.first)
    #expect(item.names == ["name", "online", "unreceived", "focus", "focusUntil", "profile"])
    #expect(item["name"] == "desk" && item["online"] == true && item["unreceived"] == 0)
    #expect(item["profile"]?["schemes"] == ["a"])
    try companion.stop()
    try house.waitForAbsence("desk")
    try house.command(#"{"id":"w","title":"x"}"#)
    let away = try #require(try house.command(#"{"command":"devices"}"#)["items"]?.elements?.first)
    #expect(away["online"] == false && away["unreceived"] == 1)
    try eventually("the latest") { try house.retained("carillon/device/desk/latest") != nil }

    #expect(try house.command(#"{"command":"forget","device":"desk"}"#)["ok"] == true)
    #expect(try house.command(#"{"command":"devices"}"#)["items"] == [])
    for leaf in ["latest", "status", "profile"] {
      #expect(try house.retained("carillon/device/desk/\(leaf)") == nil, "\(leaf)")
    }
    // `all` does not mean it any more, and nothing waits for it.
    #expect(try house.command(#"{"id":"n","title":"x"}"#)["devices"] == [])
    let back = try house.companion(home: companion.home)
    try house.command(#"{"id":"new","title":"x"}"#)
    try back.event("notification", "new")
    #expect(try back.events("notification").count == 1)
  }

  @Test("An emptied profile forgets the device")
  func emptiedProfile() throws {
    let house = try House()
    let companion = try house.companion()
    try companion.stop()
    try house.client.publish("carillon/device/desk/profile", "", retain: true)
    try eventually("the device to be gone") { try house.command(#"{"command":"devices"}"#)["items"] == [] }
  }

  @Test("A firing that reaches nobody is failed, and told")
  func nobody() throws {
    let house = try House()
    try house.command(#"{"id":"n","title":"x"}"#)
    let item = try #require(try house.delivered("n").first)
    #expect(item["devices"] == [:])
    #expect(item.written.contains("no device"))
    try eventually("the state to count it") {
      try house.retained("carillon/relay/state")?.json["failed"] == 1
    }
  }

  @Test("Groups and all are resolved at the firing; the configuration's list narrows all")
  func groups() throws {
    let config = try TemporaryDirectory()
    try config.write(
      "relay.json5", #"{ groups: { upstairs: ["bed", "bath"] }, devices: ["bed", "desk"] }"#)
    let house = try House(relay: ["--config", config.file("relay.json5")])
    let all = try ["bed", "bath", "desk", "loft"].map { (name: $0, client: try house.device($0)) }
    func reached(_ id: String, _ to: String) throws -> [String] {
      try house.command(#"{"id":"\#(id)","title":"x"\#(to)}"#)
      let devices = try house.delivered(id).first?["devices"]
      return all.map(\.name).filter { devices?[$0] != nil }
    }
    #expect(try reached("g", #","to":"upstairs""#) == ["bed", "bath"])
    #expect(try reached("both", #","to":["upstairs","bed","loft"]"#) == ["bed", "bath", "loft"])
    #expect(try reached("all", "") == ["bed", "desk"])
  }

  @Test("Two requests of one millisecond, and ids that look alike, are told apart")
  func identity() throws {
    let house = try House()
    let device = try house.device("desk")
    let ids = [
      "ab12", "ba21", "a", "A", "\u{E9}", "e\u{301}", "r 1", "r/1", "#", "'; DROP TABLE request; --",
    ]
    let list = ids.map { #"{"id":"\#($0)","title":"x","to":"desk"}"# }
    try house.ask("[\(list.joined(separator: ","))]")
    let messages = try ids.map { _ in try device.waitForMessage().json }
    #expect(messages.map { Array($0["id"]?.text?.utf8 ?? "".utf8) } == ids.map { Array($0.utf8) })
    #expect(Set(messages.map { $0["delivery"]?.text }).count == ids.count)
    try house.stopRelay()
    try house.startRelay()
    try house.ask("[\(list.joined(separator: ","))]")
    let first = Set(messages.compactMap { $0["delivery"]?.text })
    let again = try ids.map { _ in
      try device.waitForMessage { !first.contains((try? $0.json["delivery"]?.text) ?? "") }.json
    }
    #expect(Set((messages + again).map { $0["delivery"]?.text }).count == 2 * ids.count)
  }

  @Test("Link templates are filled in, percent-encoded, and the rest of the link is as it was given")
  func templates() throws {
    let house = try House()
    let device = try house.device("desk")
    let link = "home://x?id={id}&due={due}&device={device}&d={delivery}&kept=a%2Bb+c"
    try house.command(#"{"id":"a b&c","url":"\#(link)","to":"desk"}"#)
    let message = try device.waitForMessage().json
    let url = try #require(message["url"]?.text)
    let due = String(try #require(message["due"]?.text).prefix(19)).replacing(":", with: "%3A")
    #expect(url.hasPrefix("home://x?id=a%20b%26c&due=\(due)%2B"))
    #expect(url.contains("&device=desk&d=\(message["delivery"]?.text ?? "-")&kept=a%2Bb+c"))
    let bad = try house.ask(#"{"url":"home://x?{other}","to":"desk"}"#)
    #expect(bad.code == "invalid" && bad.path == "url")
  }

  // MARK: MQTT 3.1.1

  @Test("A publisher that speaks MQTT 3.1.1 names its reply topic in the command")
  func replyTo() throws {
    let house = try House()
    let device = try house.device("desk")
    let old = try TestClient(port: house.broker.port, version: 4)
    try old.subscribe("carillon/reply/old/#", options: 0)
    for qos: Int32 in [0, 1, 2] {
      try old.publish(
        "carillon/command/old",
        #"{"id":"o\#(qos)","title":"x","to":"desk","replyTo":"carillon/reply/old/\#(qos)"}"#,
        qos: qos)
      let reply = try old.waitForMessage(on: "carillon/reply/old/\(qos)").json
      #expect(reply["ok"] == true && reply["id"]?.text == "o\(qos)")
      #expect(try device.waitForMessage().json["from"] == "old")
    }
  }
}
