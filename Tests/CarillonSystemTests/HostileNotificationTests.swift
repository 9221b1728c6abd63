import CarillonModel
import CarillonTestSupport
import Testing

/// What somebody publishes straight to a device's topic, past the relay.
@Suite("Past the relay", .onOwnThreadWithFewOthers)
struct HostileNotificationTests {
  private static let routes = """
    { routes: [
      { link: "myapp://note/:title", navigate: ["/note"], run: ["kiosk-show", "{title}"] },
      { link: "https://ok.example/*rest", navigate: ["/web"], run: ["kiosk-show", "{url}"] },
    ] }
    """

  private func publish(_ house: House, _ number: Int, _ url: String, id: String) throws {
    try house.client.publish(
      "carillon/device/desk/notification",
      #"{"kind":"notification","delivery":"rogue-\#(number)","id":"\#(id)","title":"x","url":"\#(url)"}"#)
  }

  @Test("The companion refuses at the point of launch what the relay would have refused")
  func disguises() throws {
    let house = try House(start: false)
    let kiosk = try Kiosk()
    let companion = try house.companion(
      routes: HostileNotificationTests.routes, ["--execute"], environment: kiosk.environment)
    try house.client.subscribe("carillon/device/desk/response")
    let links = [
      "javascript:alert(1)", "JaVaScript:alert(1)", " javascript:x", #"java\tscript:x"#,
      "file://localhost/secret.txt",
      "data:text/html,x", "smb://host/x", "https://ok.example@evil.example/", "//evil.example/x",
      "https://evil.example/x",
      "http://ok.example/x", "https://ok.example.evil.example/", "myapp://note/100%", "tel:+123",
      "otherapp://note/x", "--manual",
      #"https://ok.example\\@evil.example/"#, "https://\u{430}k.example/",
    ]
    for (index, link) in links.enumerated() {
      try publish(house, index, link, id: "r\(index)")
      let failed = try companion.event("failed", "r\(index)")
      #expect(failed["reason"]?.text?.isEmpty == false, "\(link)")
      let response = try house.client.waitForMessage {
        (try? $0.json["id"]) == .string("r\(index)") && (try? $0.json["event"]) == "failed"
      }
      #expect(try response.json["detail"]?.text?.isEmpty == false)
    }
    #expect(try companion.events("navigate") == [])
    try publish(house, 1000, "myapp://note/good", id: "good")
    try companion.event("opened", "good")
    #expect(kiosk.log == ["begin good", "end good"])
  }

  @Test("Nothing that a link holds reaches a shell, or becomes an option")
  func arguments() throws {
    let house = try House(start: false)
    let kiosk = try Kiosk()
    let companion = try house.companion(
      routes: HostileNotificationTests.routes, ["--execute"], environment: kiosk.environment)
    let texts = [
      ("%24%28touch%20pwned%29", "$(touch pwned)"), ("%60touch%20pwned%60", "`touch pwned`"),
      ("%22%3B%20touch%20pwned%3B%20%22", "\"; touch pwned; \""), ("a%27b", "a'b"), ("%2A", "*"),
      ("a%2Fb", "a/b"),
    ]
    for (index, (encoded, text)) in texts.enumerated() {
      try publish(house, index, "myapp://note/\(encoded)", id: "t\(index)")
      try companion.event("opened", "t\(index)")
      #expect(kiosk.log.suffix(2) == ["begin \(text)", "end \(text)"])
    }
    for (index, text) in ["--help", "-u", "--action=x"].enumerated() {
      try publish(house, 100 + index, "myapp://note/\(text)", id: "o\(index)")
      try companion.event("failed", "o\(index)")
    }
    #expect(kiosk.log.count == texts.count * 2)
    #expect(kiosk.folder.read("pwned") == nil && companion.home.read("pwned") == nil)
  }

  @Test("What is no notification, and what is retained, is ignored, and the next good one works")
  func garbage() throws {
    let house = try House(start: false)
    let topic = "carillon/device/desk/notification"
    try house.client.publish(
      topic, #"{"kind":"notification","delivery":"kept","id":"kept","title":"x"}"#, retain: true)
    let companion = try house.companion()
    for payload in [
      "", "{", "[]", "5", "{}", #"{"kind":"notification"}"#, #"{"kind":"other","delivery":"d","id":"i"}"#,
      "\u{FEFF}{}",
    ] {
      try house.client.publish(topic, payload)
    }
    try house.client.publish(topic, [0xFF, 0xFE, 0x00])
    try house.client.publish(topic, [UInt8](repeating: UInt8(ascii: "["), count: 100_000))
    try house.client.publish(
      topic, #"{"kind":"notification","delivery":"now","id":"r","title":"x"}"#, retain: true)
    try house.client.publish(
      topic, #"{"kind":"notification","delivery":"good","id":"good","title":"x","whatever":{"is":"new"}}"#)
    try companion.event("notification", "good")
    try house.waitForStatus("device/desk", "online")
    #expect(try companion.events("notification", "kept") == [])
    #expect(try companion.events("notification").contains { $0["delivery"] == "kept" } == false)
  }

  @Test("A notification past its expiry is told as expired and opens nothing, whatever the broker did")
  func expired() throws {
    let house = try House(start: false)
    let companion = try house.companion(routes: HostileNotificationTests.routes)
    try house.client.subscribe("carillon/device/desk/response")
    try house.client.publish(
      "carillon/device/desk/notification",
      #"{"kind":"notification","delivery":"d1","id":"old","title":"x","url":"myapp://note/x","due":"2026-01-01T00:00:00.000Z","expires":"2026-01-01T00:01:00.000Z"}"#
    )
    try companion.event("expired", "old")
    let response = try house.client.waitForMessage { (try? $0.json["event"]) == "expired" }
    #expect(try response.json["delivery"] == "d1")
    #expect(try companion.events("notification", "old") == [])
    #expect(try companion.events("navigate") == [])
  }

  @Test("A repeat of a delivery is answered with its state and not acted on")
  func repeats() throws {
    let house = try House(start: false)
    let companion = try house.companion(routes: HostileNotificationTests.routes)
    try house.client.subscribe("carillon/device/desk/response")
    for _ in 0..<3 { try publish(house, 7, "myapp://note/x", id: "same") }
    try companion.event("opened", "same")
    for _ in 0..<2 {
      try publish(house, 7, "myapp://note/x", id: "same")
      try house.client.waitForMessage { (try? $0.json["event"]) == "opened" }
    }
    #expect(try companion.events("notification").count == 1)
    #expect(try companion.events("opened").count == 1)
  }
}
