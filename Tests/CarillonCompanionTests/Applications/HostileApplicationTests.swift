import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

@testable import CarillonCompanion

@Suite("Programs that should not be on the socket", .serialized)
struct HostileApplicationTests {
  let bench: ApplicationBench

  init() throws { bench = try ApplicationBench() }

  static let nonsense = [
    "hello", "{", "[]", "42", "{}", #"{"attach":"home"}"#, #"{"attach":[]}"#, #"{"attach":["1x"]}"#,
    #"{"attach":[7]}"#, #"{"attach":["a b"]}"#, #"{"attach":["home"],"name":5}"#,
    #"{"attach":["home\u0000"]}"#,
    #"{"attach":["home"],"attach":["x"]}"#, #"{"answer":"tap","delivery":"d"}"#, #"{"reload":"everything"}"#,
    #"{"reload":true}"#, "\u{0}\u{0}", String(repeating: "[", count: 10_000), "\u{FEFF}{}",
    "{'attach':['home']}",
  ]

  @Test("Before it is attached, one line that cannot be read ends it, with the reason", arguments: nonsense)
  func unreadable(_ line: String) throws {
    let client = try bench.connect()
    client.send(line)
    let told = try client.object()
    #expect(told["event"] == "refused")
    #expect(told["reason"]?.text?.isEmpty == false)
    try client.waitForEnd()
    #expect(bench.events.isEmpty)
    #expect(bench.hub.connections.isEmpty)
  }

  @Test("Once attached, it is told and goes on", arguments: nonsense)
  func unreadableLater(_ line: String) throws {
    let (client, application) = try bench.attached("home")
    client.send(line)
    if line.contains(#""answer":"tap""#) { return try bench.expectNothing(after: client) }
    #expect(try client.object()["event"] == "refused")
    try bench.expectNothing(after: client)
    #expect(bench.hub.applications == [application])
  }

  @Test("A second attach is refused, and the first holds")
  func twice() throws {
    let (client, application) = try bench.attached("home")
    client.send(#"{"attach":["https"]}"#)
    #expect(try client.object()["event"] == "refused")
    #expect(bench.hub.applications == [application])
  }

  @Test("Schemes have no case, and there are at most 32")
  func schemes() throws {
    let list = (1...33).map { "\"s\($0)\"" }
    let many = try bench.connect()
    many.send("{\"attach\":[\(list.joined(separator: ","))]}")
    #expect(try many.object()["event"] == "refused")
    let fits = try bench.connect()
    fits.send("{\"attach\":[\(list.dropLast().joined(separator: ",")),\"S1\"]}")
    #expect(try fits.object()["event"] == "attached")
    #expect(bench.hub.applications.first?.schemes.count == 32)
    #expect(bench.hub.applications.first?.name == "application")
  }

  @Test("A line beyond the limit ends it, whether it ever ends or not", arguments: [true, false])
  func longLine(_ ends: Bool) throws {
    let (client, application) = try bench.attached("home")
    let text = [UInt8](repeating: UInt8(ascii: "x"), count: 300_000) + (ends ? [UInt8(ascii: "\n")] : [])
    client.send(text)
    try client.waitForEnd()
    #expect(try bench.event() == .detached(application))
  }

  @Test("A line at the limit is read")
  func longestLine() throws {
    let (client, _) = try bench.attached("home")
    let line = #"{"reload":"authorization","x":""#
    let fill = String(repeating: "x", count: ApplicationLine.limit - line.utf8.count - 2)
    client.send(line + fill + "\"}")
    #expect(try bench.event() == .authorizationChanged)
  }

  @Test("Lines are read in whatever pieces they come")
  func pieces() throws {
    let client = try bench.connect()
    for byte in #"{"attach":["home"]}"#.utf8 {
      client.send([byte])
      try bench.loop.turn(waiting: .milliseconds(1))
    }
    client.send("\n\r\n \n{\"reload\":\"authorization\"}\n{\"reload\":\"authorization\"}")
    #expect(try client.object()["event"] == "attached")
    #expect(try client.object()["event"] == "reloaded")
    #expect(try client.object()["event"] == "reloaded")
    #expect(bench.events.count == 3)
  }

  @Test("What stands before the end without a line feed is a line")
  func lastLine() throws {
    let client = try bench.connect()
    client.send(Array(#"{"reload":"authorization"}"#.utf8))
    shutdown(client.descriptor, Int32(SHUT_WR))
    #expect(try bench.event() == .authorizationChanged)
    try client.waitForEnd()
  }

  @Test("A program that does not attach itself in time is sent away")
  func silent() throws {
    bench.hub.patience.attaching = 30
    let client = try bench.connect()
    #expect(try client.object()["event"] == "refused")
    try client.waitForEnd()
    #expect(bench.hub.connections.isEmpty)
  }

  @Test(
    "An application that reads nothing is dropped once 1 MiB waits for it, and holds nothing up meanwhile")
  func deaf() throws {
    let (client, application) = try bench.attached("home")
    let notification = try bench.notification("d1", title: String(repeating: "x", count: 60_000))
    for _ in 1...40 { bench.hub.tell(application, notification) }
    #expect(try bench.event() == .detached(application))
    withExtendedLifetime(client) {}
  }

  @Test("What is too long for a line is not told, and counts as not answered")
  func longNotification() throws {
    let (client, application) = try bench.attached("home")
    let notification = try bench.notification("d1", title: String(repeating: "x", count: 300_000))
    bench.hub.tell(application, notification)
    bench.hub.ask(application, notification, .whole)
    #expect(try bench.event() == .presentation(application, delivery: "d1", nil))
    var step = bench.step("d1", 1)
    step.to = String(repeating: "x", count: 300_000)
    bench.hub.navigate(application, step)
    #expect(
      try bench.event()
        == .stepFailed(application, delivery: "d1", step: 1, reason: "the step is too long to be told"))
    try bench.expectNothing(after: client)
  }

  @Test("So many programs may be connected, and the next one when one has left")
  func many() throws {
    let clients = try (1...ApplicationHub.connectionsLimit).map { _ in try bench.attached("home").0 }
    let next = try bench.connect()
    #expect(try next.object()["event"] == "refused")
    try next.waitForEnd()
    clients[0].close()
    guard case .detached = try bench.event() else { throw TestFailure("it has not left") }
    _ = try bench.attached("home")
    withExtendedLifetime(clients) {}
  }

  @Test("Another user's program is refused")
  func otherUser() throws {
    bench.hub.admits = { $0 != geteuid() }
    let client = try bench.connect()
    #expect(try client.object() == ["event": "refused", "reason": "this companion belongs to another user"])
    try client.waitForEnd()
  }
}
