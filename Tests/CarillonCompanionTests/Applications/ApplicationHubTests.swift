import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

@testable import CarillonCompanion

@Suite("Applications on the socket", .serialized)
struct ApplicationHubTests {
  let bench: ApplicationBench

  init() throws { bench = try ApplicationBench() }

  @Test("An application attaches, is asked and told, and answers")
  func conversation() throws {
    let (client, application) = try bench.attached("home")
    #expect(application.name == "test")
    #expect(bench.hub.application(for: "HOME") == application)
    bench.hub.ask(application, try bench.notification("d1"), [.list, .sound])
    let asked = try client.object()
    #expect(asked["event"] == "notification")
    #expect(asked["presentation"] == ["list", "sound"])
    #expect(asked["delivery"] == "d1")
    #expect(asked["title"] == "Bins")
    #expect(asked["userInfo"] == ["a": 1])
    client.send(#"{"answer":"present","delivery":"d1","presentation":["banner"]}"#)
    #expect(try bench.event() == .presentation(application, delivery: "d1", .banner))
    bench.hub.navigate(application, bench.step("d1", 1))
    let step = try client.object()
    #expect(step["event"] == "navigate")
    #expect(step["to"] == "/1")
    client.send(#"{"answer":"done","delivery":"d1","step":1,"more":"later"}"#)
    #expect(try bench.event() == .stepDone(application, delivery: "d1", step: 1))
    bench.hub.navigate(application, bench.step("d1", 2))
    client.send(#"{"answer":"failed","delivery":"d1","step":2,"reason":"no \u001b such screen"}"#)
    #expect(
      try bench.event()
        == .stepFailed(application, delivery: "d1", step: 2, reason: #"no \u{1b} such screen"#))
    client.send(#"{"answer":"act","delivery":"d1","action":"done","text":"at seven"}"#)
    #expect(try bench.event() == .acted(application, delivery: "d1", action: "done", text: "at seven"))
    client.send(#"{"answer":"dismiss","delivery":"d1"}"#)
    #expect(try bench.event() == .dismissed(application, delivery: "d1"))
    client.send(#"{"answer":"tap","delivery":"d1"}"#)
    #expect(try bench.event() == .tapped(application, delivery: "d1"))
    client.close()
    #expect(try bench.event() == .detached(application))
    #expect(bench.hub.application(for: "home") == nil)
  }

  @Test("What is held is told as such, and can be answered until it is taken back")
  func held() throws {
    let (client, application) = try bench.attached("home")
    bench.hub.tell(application, try bench.notification("d1"))
    let told = try client.object()
    #expect(told["held"] == true)
    #expect(told["presentation"] == nil)
    client.send(#"{"answer":"tap","delivery":"d1"}"#)
    #expect(try bench.event() == .tapped(application, delivery: "d1"))
    bench.hub.tell(application, .withdrawn(delivery: "d1", id: "bins", reason: "opened"))
    #expect(try client.object()["event"] == "withdrawn")
    client.send(#"{"answer":"tap","delivery":"d1"}"#)
    try bench.expectNothing(after: client)
  }

  @Test("Of several the newest takes a scheme, and the one before it when that leaves")
  func several() throws {
    let (client, first) = try bench.attached("home", "https")
    let (second, other) = try bench.attached("home")
    #expect(bench.hub.application(for: "home") == other)
    #expect(bench.hub.application(for: "https") == first)
    #expect(bench.hub.application(for: "tel") == nil)
    second.close()
    #expect(try bench.event() == .detached(other))
    #expect(bench.hub.application(for: "home") == first)
    #expect(bench.hub.applications == [first])
    withExtendedLifetime(client) {}
  }

  @Test(
    "What nothing asked for is ignored",
    arguments: [
      #"{"answer":"present","delivery":"d1","presentation":[]}"#,
      #"{"answer":"done","delivery":"d2","step":1}"#, #"{"answer":"done","delivery":"d1","step":2}"#,
      #"{"answer":"failed","delivery":"d2","step":1}"#, #"{"answer":"tap","delivery":"d2"}"#,
      #"{"answer":"act","delivery":"d2","action":"x"}"#, #"{"answer":"dismiss","delivery":"d2"}"#,
    ])
  func unasked(_ answer: String) throws {
    let (client, application) = try bench.attached("home")
    bench.hub.navigate(application, bench.step("d1", 1))
    _ = try client.object()
    client.send(answer)
    try bench.expectNothing(after: client)
  }

  @Test(
    "The application that was not asked does not answer for the one that was, and nothing is answered twice")
  func wrongApplication() throws {
    let (client, application) = try bench.attached("home")
    let (other, _) = try bench.attached("home")
    bench.hub.ask(application, try bench.notification("d1"), .whole)
    bench.hub.navigate(application, bench.step("d1", 1))
    other.send(#"{"answer":"present","delivery":"d1","presentation":[]}"#)
    other.send(#"{"answer":"done","delivery":"d1","step":1}"#)
    try bench.expectNothing(after: other)
    for _ in 1...2 { client.send(#"{"answer":"done","delivery":"d1","step":1}"#) }
    for _ in 1...2 { client.send(#"{"answer":"present","delivery":"d1","presentation":[]}"#) }
    #expect(try bench.event() == .stepDone(application, delivery: "d1", step: 1))
    #expect(try bench.event() == .presentation(application, delivery: "d1", []))
    try bench.expectNothing(after: client)
  }

  @Test("An application that does not say in time how to present has no wish, and one that leaves neither")
  func noAnswer() throws {
    bench.hub.patience.answering = 30
    let (client, application) = try bench.attached("home")
    bench.hub.ask(application, try bench.notification("d1"), .whole)
    #expect(try bench.event() == .presentation(application, delivery: "d1", nil))
    client.send(#"{"answer":"present","delivery":"d1","presentation":["list"]}"#)
    try bench.expectNothing(after: client)
    bench.hub.patience.answering = 60_000
    bench.hub.ask(application, try bench.notification("d2"), .whole)
    bench.hub.ask(application, try bench.notification("d3"), .whole)
    client.close()
    #expect(try bench.event() == .presentation(application, delivery: "d2", nil))
    #expect(try bench.event() == .presentation(application, delivery: "d3", nil))
    #expect(try bench.event() == .detached(application))
    bench.hub.ask(application, try bench.notification("d4"), .whole)
    #expect(bench.events.isEmpty)
    #expect(try bench.event() == .presentation(application, delivery: "d4", nil))
    bench.hub.navigate(application, bench.step("d4", 1))
    #expect(
      try bench.event()
        == .stepFailed(application, delivery: "d4", step: 1, reason: "the application has left"))
  }

  @Test("The companion is told of new rules without anybody attaching, and says when they hold")
  func reload() throws {
    let client = try bench.connect()
    client.send(#"{"reload":"authorization"}"#)
    #expect(try bench.event() == .authorizationChanged)
    #expect(try client.object() == ["event": "reloaded", "what": "authorization"])
  }

  @Test("Nothing that a notification says reaches a terminal as a control character")
  func harmless() throws {
    let (client, application) = try bench.attached("home")
    bench.hub.ask(application, try bench.notification("d1", title: "a\u{1b}[2J\u{9b}b\u{7f}\n"), .whole)
    let line = try client.line()
    #expect(line.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != 0xC2 })
    #expect(try JSON(parsing: line)["title"] == "a\u{1b}[2J\u{9b}b\u{7f}\n")
  }

  @Test("A payload's own members cannot pass for the companion's")
  func forged() throws {
    let (client, application) = try bench.attached("home")
    let payload = #"{"kind":"notification","delivery":"d","id":"i","title":"t","event":"x","held":true}"#
    let notification = try Notification(reading: Fields(JSON(parsing: Array(payload.utf8))))
    bench.hub.ask(application, notification, .banner)
    let told = try client.object()
    #expect(told["event"] == "notification")
    #expect(told["held"] == nil)
  }
}
