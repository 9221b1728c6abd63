import CarillonLoop
import CarillonTestSupport
import Testing

@testable import CarillonDesktop

/// What dunst does not do, with a service of the test's own on a real bus.
@Suite struct NotificationServerTests {
  static let everything = ["actions", "body", "body-markup", "inline-reply", "sound", "persistence"]

  let bus: MessageBus
  let bench: DesktopBench

  init() throws {
    bus = try MessageBus()
    bench = try DesktopBench(bus)
  }

  func server(_ capabilities: [String] = everything) throws -> NotificationServer {
    let server = try NotificationServer(bus, loop: bench.loop, capabilities: capabilities)
    try bench.begin()
    return server
  }

  @Test func asksAsTheSpecificationHasIt() throws {
    let server = try server()
    var bubble = Bubble.bins()
    bubble.body = "1 < 2 & <b>3</b>\n4"
    bubble.icon = "appointment-soon"
    bubble.category = "im.received"
    bubble.sound = "message-new-instant"
    bubble.replyTitle = "Answer"
    try bench.show(bubble)
    let asked = try #require(server.asked.first)
    #expect(asked.application == "Carillon")
    #expect(asked.replaces == 0)
    #expect(asked.icon == "appointment-soon")
    #expect(asked.summary == "Bins out")
    #expect(asked.body == "1 &lt; 2 &amp; &lt;b&gt;3&lt;/b&gt;\n4")
    #expect(
      asked.actions == [
        "default", "Open", "button:done", "Done", "button:later", "Later", "inline-reply", "Answer",
      ])
    #expect(
      asked.hints == [
        "urgency": .byte(1), "desktop-entry": .string("carillon"), "category": .string("im.received"),
        "sound-name": .string("message-new-instant"),
      ])
    #expect(asked.timeout == -1)
  }

  @Test func criticalStaysAndSilentIsSilent() throws {
    let server = try server()
    var bubble = Bubble.bins()
    bubble.urgency = .critical
    bubble.icon = "/usr/share/icons/a b%.png"
    try bench.show(bubble)
    #expect(server.asked.first?.timeout == 0)
    #expect(
      server.asked.first?.hints == [
        "urgency": .byte(2), "desktop-entry": .string("carillon"), "suppress-sound": .bool(true),
        "image-path": .string("file:///usr/share/icons/a%20b%25.png"),
      ])
  }

  @Test func withoutMarkupTheTextGoesAsItIs() throws {
    let server = try server(["body"])
    var bubble = Bubble.bins()
    bubble.body = "<b>x</b> &amp;"
    try bench.show(bubble)
    #expect(server.asked.first?.body == "<b>x</b> &amp;")
    #expect(server.asked.first?.actions == [])
  }

  @Test func withoutABodyItsTextGoesIntoTheTitle() throws {
    let server = try server([])
    var bubble = Bubble.bins()
    bubble.body = "Green &\npaper."
    try bench.show(bubble)
    #expect(server.asked.first?.summary == "Bins out - Green & paper.")
    #expect(server.asked.first?.body == "")
  }

  @Test func theTokenGoesWithItsAction() throws {
    let server = try server()
    try bench.show(.bins())
    try bench.show(.bins("2", tag: "other"))
    try server.emit("ActivationToken", [.uint32(101), .string("other_TIME1")])
    try server.invoke(102, "default", token: "token_TIME2")
    try server.invoke(101, "button:done")
    try bench.settle()
    #expect(bench.events(of: "2").last == .tapped(key: "2", token: "token_TIME2"))
    #expect(bench.events(of: "1").last == .acted(key: "1", action: "done", token: "other_TIME1"))
    #expect(bench.events(of: "1").count == 2 && bench.events(of: "2").count == 2)
  }

  @Test func aTokenThatIsNoneIsLeftOut() throws {
    let server = try server()
    try bench.show(.bins())
    try server.invoke(101, "default", token: "a\nb")
    try bench.wait(for: .tapped(key: "1", token: nil))
  }

  @Test func anAnswerInWordsIsPassedOn() throws {
    let server = try server()
    var bubble = Bubble.bins()
    bubble.replyTitle = "Answer"
    try bench.show(bubble)
    try server.reply(101, "Yes <b>& no</b>")
    try bench.settle()
    #expect(bench.events(of: "1") == [.shown(key: "1"), .replied(key: "1", text: "Yes <b>& no</b>")])
  }

  @Test func anAnswerInWordsThatIsTooLongIsCut() throws {
    let server = try server()
    var bubble = Bubble.bins()
    bubble.replyTitle = "Answer"
    try bench.show(bubble)
    try server.reply(101, String(repeating: "ä", count: 5000))
    try bench.wait(for: .replied(key: "1", text: String(repeating: "ä", count: 2048)))
  }

  @Test func whatWasNotOfferedIsNotTaken() throws {
    let server = try server()
    var bubble = Bubble.bins()
    bubble.takesTap = false
    bubble.buttons.append(.init(id: "default", title: "A button of that name"))
    try bench.show(bubble)
    for action in ["default", "done", "button:other", "inline-reply", ""] {
      try server.emit("ActionInvoked", [.uint32(101), .string(action)])
    }
    try server.emit("NotificationReplied", [.uint32(101), .string("unasked")])
    try server.emit("ActionInvoked", [.uint32(101), .string("button:default")])
    try bench.settle()
    #expect(bench.events(of: "1") == [.shown(key: "1"), .acted(key: "1", action: "default", token: nil)])
  }

  @Test func closesWhatIsStillUnderWay() throws {
    let server = try server()
    server.holdsBack = true
    bench.desktop?.show(.bins())
    try bench.wait { server.waiting == 1 }
    bench.desktop?.close("1")
    try server.release()
    try bench.wait(for: .closed(key: "1", .taken))
    #expect(server.closed == [101])
    #expect(server.shown.isEmpty)
    #expect(bench.events(of: "1").count == 1)
  }

  @Test func ofWhatComesForAPlaceMeanwhileTheLastIsShown() throws {
    let server = try server()
    server.holdsBack = true
    for key in ["1", "2", "3"] { bench.desktop?.show(.bins(key)) }
    try bench.wait { server.waiting == 1 }
    try server.release()
    try bench.wait(for: .shown(key: "3"))
    #expect(server.asked.map(\.replaces) == [0, 101])
    #expect(server.shown.count == 1)
    #expect(bench.events(of: "1") + bench.events(of: "2") == [])
  }

  @Test func reasonsOfClosingAreToldApart() throws {
    let server = try server()
    let closings: [(UInt32, Desktop.Closing)] = [
      (1, .timedOut), (2, .dismissed), (3, .taken), (4, .unknown), (77, .unknown),
    ]
    for (reason, closing) in closings {
      let key = "\(reason)"
      try bench.show(.bins(key, tag: key))
      try server.close(try #require(server.asked.last?.number), reason: reason)
      try bench.wait(for: .closed(key: key, closing))
    }
  }

  @Test func aRefusalIsTold() throws {
    let server = try server()
    server.override = { peer, call in
      guard call.member == "Notify" else { return false }
      try peer.refuse(call, "org.example.Full", "too\nmany")
      return true
    }
    bench.desktop?.show(.bins())
    try bench.wait(for: .refused(key: "1", reason: "too many"))
    #expect(bench.desktop?.isAvailable == true)
  }

  @Test func aServiceThatHangsIsGivenUpAndFoundAgain() throws {
    let server = try server()
    try bench.show(.bins())
    bench.desktop?.answerLimit = .milliseconds(50)
    server.holdsBack = true
    bench.desktop?.show(.bins("2"))
    try bench.wait("the service again") { bench.available.count == 2 }
    #expect(bench.unavailable.first?.hasPrefix("the notification service does not answer: ") == true)
    #expect(bench.events(of: "2") == [])
    try server.release()
    try bench.show(.bins("3"))
  }

  @Test func anotherServiceTakesOver() throws {
    let first = try server()
    try bench.show(.bins())
    let second = try NotificationServer(bus, loop: bench.loop, capabilities: ["body"])
    try bench.wait("the other service") { bench.available.count == 2 }
    try first.invoke(101, "default")
    try bench.settle()
    #expect(bench.events(of: "1") == [.shown(key: "1")])
    #expect(second.asked.count == 1)
    #expect(bench.available.last == [.body])
  }

  @Test func aServiceThatComesLaterIsFound() throws {
    bench.desktop?.start()
    try bench.wait("the reason") { bench.unavailable.count == 1 }
    #expect(bench.unavailable.first?.hasPrefix("no notification service on the session bus: ") == true)
    _ = try server()
    #expect(bench.available.count == 1)
  }

  @Test func afterAStopNothingIsTold() throws {
    let server = try server()
    try bench.show(.bins())
    let count = bench.events.count
    bench.desktop?.stop()
    bench.desktop?.show(.bins("2"))
    bench.desktop?.close("1")
    try server.invoke(101, "default")
    let other = try BusPeer(bus, loop: bench.loop)
    try other.call(Desktop.service, "/", "test.Test", "Heard", [])
    var isHeard = false
    server.override = { _, call in
      isHeard = true
      return true
    }
    try bench.wait { isHeard }
    #expect(bench.events.count == count)
    #expect(bench.desktop?.isAvailable == false)
    server.override = nil
    try bench.begin()
    try bench.show(.bins("3"))
  }
}
