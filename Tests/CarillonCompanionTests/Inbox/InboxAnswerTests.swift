import CarillonModel
import CarillonStore
import Testing

@testable import CarillonCompanion

@Suite("The inbox and what a person does")
struct InboxAnswerTests {
  /// A device on which a tap opens links.
  private func bench() throws -> InboxBench {
    let bench = try InboxBench()
    bench.ruling = { _ in .present(.init(.whole, opens: .tap)) }
    return bench
  }

  private func tap(_ delivery: String) -> InboxKeeper.Incoming {
    .answered(delivery: delivery, action: nil, text: nil)
  }

  private func act(_ delivery: String, _ action: String, _ text: String? = nil) -> InboxKeeper.Incoming {
    .answered(delivery: delivery, action: action, text: text)
  }

  @Test("It is shown and waits; a tap opens its link, once")
  func tapped() throws {
    let bench = try bench()
    try bench.take(notification("a", url: "x:a"))
    #expect(bench.bubbles == ["a"])
    #expect(bench.navigations(of: "a") == 0)
    #expect(try bench.entry("a")?.state == .listed)
    try bench.take(tap("a"), tap("a"))
    #expect(try bench.entry("a")?.state == .started)
    try bench.navigated()
    try bench.take(tap("a"))
    #expect(bench.navigations(of: "a") == 1)
    #expect(bench.lines == ["notification a", "opened a by tap"])
    #expect(try bench.responses() == ["a received", "a presented", "a opened: tap"])
    let answer = try #require(try bench.entry("a")?.answer)
    #expect(answer.route == "r")
    #expect(answer.steps == ["/", "x:a"])
    #expect(answer.detail == "r: / > x:a")
    #expect(try bench.shown() == [])
  }

  @Test("A tap on what has no link is its answer")
  func noLink() throws {
    let bench = try bench()
    try bench.take(notification("a"))
    try bench.take(tap("a"))
    #expect(try bench.responses() == ["a received", "a presented", "a opened: tap"])
    #expect(bench.lines == ["notification a", "opened a by tap"])
  }

  @Test("A tap whose link has no route is told, and runs nothing")
  func noRoute() throws {
    let bench = try bench()
    try bench.take(notification("a", url: "x:none"))
    try bench.take(tap("a"))
    #expect(bench.navigations(of: "a") == 0)
    #expect(try bench.responses() == ["a received", "a presented", "a failed: no route"])
    try bench.take(.dismissed(delivery: "a"))
    #expect(try bench.responses().last == "a dismissed")
  }

  @Test("A button is an answer; one with a link opens that; the answer does not wait for the way")
  func buttons() throws {
    let bench = try bench()
    let actions: [JSON] = [["id": "done"], ["id": "map", "url": "x:map"], ["id": "bad", "url": "x:none"]]
    for name in ["a", "b", "c"] { try bench.take(notification(name, url: "x:own", actions: actions)) }
    try bench.take(act("a", "done", "some words"), act("b", "map"), act("c", "bad"), act("c", "done"))
    #expect(
      try bench.responses().filter { $0.contains("acted") } == [
        "a acted: done", "b acted: map", "c acted: bad",
      ])
    #expect(try bench.entry("a")?.answer?.text == "some words")
    #expect(try bench.entry("c")?.answer?.detail == "failed: no route")
    #expect(bench.navigations(of: "a") == 0)
    #expect(bench.navigations(of: "b") == 1)
    #expect(bench.navigations(of: "c") == 0)
    try bench.navigated()
    #expect(try bench.entry("b")?.answer?.event == .acted)
    #expect(try bench.entry("b")?.state == .done)
    #expect(bench.lines.suffix(1) == ["opened b by tap"])
    // What was opened is the button's link, not the notification's.
    let opened = bench.steps.compactMap { step in
      if case .line(.opened(_, let url, _)) = step { url } else { nil }
    }
    #expect(opened == ["x:map"])
  }

  @Test("A button that the notification does not have is none")
  func strangeButton() throws {
    let bench = try bench()
    try bench.take(notification("a", actions: [["id": "done"]]))
    try bench.take(act("a", "allow"))
    #expect(try bench.responses() == ["a received", "a presented"])
  }

  @Test("Put away is an answer; gone by itself is not")
  func closing() throws {
    let bench = try bench()
    try bench.take(notification("a"), notification("b"))
    try bench.take(.timedOut(delivery: "b"), .dismissed(delivery: "a"), .dismissed(delivery: "a"))
    #expect(
      try bench.responses() == [
        "a received", "b received", "a presented", "b presented", "a dismissed",
      ])
    #expect(try bench.shown() == ["b"])
    #expect(try bench.entry("b")?.presentation == [.list, .sound, .badge])
  }

  @Test(
    "While its link is being opened since it arrived, a tap makes it the person's, and putting away answers it"
  )
  func answersMeanwhile() throws {
    let bench = try InboxBench()
    try bench.take(
      notification("a", url: "x:a"), notification("b", url: "x:b"), notification("c", url: "x:c"))
    try bench.take(tap("a"), .dismissed(delivery: "b"), tap("c"))
    try bench.navigated()
    try bench.navigated()
    #expect(bench.navigations(of: "b") == 0)
    #expect(
      try bench.responses() == [
        "a received", "b received", "c received", "b dismissed", "a opened: tap", "c opened: tap",
      ])
  }

  @Test("A withdrawal after the answer changes nothing")
  func answeredFirst() throws {
    let bench = try bench()
    try bench.take(notification("a", url: "x:a", actions: [["id": "map", "url": "x:map"]]))
    try bench.take(act("a", "map"))
    try bench.take(withdrawal("a"))
    try bench.navigated()
    #expect(try bench.responses() == ["a received", "a presented", "a acted: map"])
    #expect(bench.lines == ["notification a", "acted a: map", "opened a by tap"])
  }

  @Test("What expires on the screen goes from it and cannot be tapped any more")
  func expires() throws {
    let bench = try bench()
    let end = bench.now + .seconds(60)
    try bench.take(notification("a", expires: end), notification("b", expires: end + .seconds(1)))
    bench.now = end
    try bench.take(tap("a"), .overdue)
    #expect(bench.lines == ["notification a", "notification b", "expired a"])
    #expect(bench.steps.contains(.hidden("a")))
    try bench.take(.overdue)
    bench.now = end + .seconds(1)
    try bench.take(.overdue)
    #expect(bench.lines.last == "expired b")
    #expect(try bench.shown() == [])
  }

  @Test("The newest firing takes the place on the screen; a tap on the older one comes too late")
  func replaced() throws {
    let bench = try bench()
    try bench.take(notification("a1", id: "a", url: "x:a"))
    try bench.take(notification("a2", id: "a", url: "x:a"))
    try bench.take(tap("a1"))
    #expect(bench.navigations(of: "a1") == 0)
    try bench.take(tap("a2"))
    #expect(bench.navigations(of: "a2") == 1)
  }

  @Test("Killed between the tap and the way: it goes on; killed on the way: it is reported")
  func killed() throws {
    let bench = try bench()
    try bench.take(notification("a", url: "x:a"), notification("b", url: "x:b"))
    try bench.take(tap("a"))
    try bench.take(tap("b"))
    try bench.start()
    #expect(bench.lines.suffix(1) == ["failed a: interrupted"])
    #expect(bench.navigations(of: "b") == 1)
    try bench.navigated()
    #expect(try bench.responses().suffix(2) == ["a failed: interrupted", "b opened: tap"])
  }
}

@Suite("The inbox and permissions")
struct InboxPermissionTests {
  @Test("What is suppressed is listed with its reason, not shown, and not opened though it arrives")
  func suppressed() throws {
    let bench = try InboxBench()
    bench.ruling = { _ in .suppress("focus is on") }
    try bench.take(notification("a", url: "x:a"))
    #expect(bench.lines == ["suppressed a: focus is on"])
    #expect(bench.bubbles.isEmpty)
    #expect(bench.navigations(of: "a") == 0)
    #expect(try bench.responses() == ["a received", "a suppressed: focus is on"])
    #expect(try bench.shown() == ["a"])
    try bench.take(withdrawal("a"))
    #expect(try bench.shown() == [])
  }

  @Test("A new publisher's wait for the person, and are shown or suppressed then", arguments: [true, false])
  func asked(allows: Bool) throws {
    let bench = try InboxBench()
    bench.ruling = { _ in .ask }
    try bench.take(notification("a", from: "new"), notification("b", from: "new"))
    #expect(bench.lines.isEmpty)
    #expect(bench.errands.first == .ask(publisher: "new"))
    #expect(try bench.responses() == ["a received", "b received"])
    try bench.start()
    #expect(bench.lines.isEmpty)
    bench.ruling = { _ in allows ? .present(.init(.whole, opens: .tap)) : .suppress("denied") }
    try bench.take(withdrawal("b"), .reconsider)
    #expect(bench.lines == [allows ? "notification a" : "suppressed a: denied"])
    #expect(try bench.responses().last == (allows ? "a presented" : "a suppressed: denied"))
  }

  @Test("What comes while the seat is locked is listed, and shown when it is unlocked")
  func locked() throws {
    let bench = try InboxBench()
    bench.ruling = { _ in .present(.init(.list, opens: .tap, isVeiled: true)) }
    try bench.take(notification("a"), notification("b"))
    #expect(bench.bubbles.isEmpty)
    #expect(try bench.responses() == ["a received", "b received"])
    try bench.take(withdrawal("b"))
    bench.ruling = { _ in .present(.init(.whole, opens: .tap)) }
    try bench.take(.unveil)
    #expect(bench.bubbles == ["a"])
    try bench.take(.unveil)
    #expect(bench.bubbles == ["a"])
    #expect(try bench.responses().last == "a presented")
  }
}

@Suite("The inbox and applications")
struct InboxApplicationTests {
  @Test("An attached application is asked how to present; what it says counts, and silence is the usual")
  func consulted() throws {
    let bench = try InboxBench()
    bench.ruling = { _ in .present(.init(.whole, opens: .tap, consults: true)) }
    try bench.take(
      notification("a", url: "x:a"), notification("b", url: "x:b"), notification("c", url: "x:c"))
    #expect(bench.bubbles.isEmpty)
    #expect(bench.errands.count == 3)
    try bench.take(
      .ruled(delivery: "a", .list), .ruled(delivery: "b", nil), .ruled(delivery: "c", []),
      .ruled(delivery: "c", .whole))
    #expect(bench.bubbles == ["b"])
    #expect(try bench.responses().suffix(3) == ["a presented", "b presented", "c presented"])
    #expect(try bench.entry("c")?.presentation == [])
    try bench.take(.answered(delivery: "c", action: nil, text: nil))
    #expect(bench.navigations(of: "c") == 1)
  }

  @Test(
    "A tap whose application is not there is held until it attaches, and handed over once",
    arguments: [false, true])
  func held(killed: Bool) throws {
    let bench = try InboxBench()
    bench.ruling = { _ in .present(.init(.whole, opens: .tap)) }
    bench.absent = ["x"]
    try bench.take(
      notification("a", url: "x:a"), notification("b", url: "y:b"), notification("c", url: "x:c"))
    try bench.take(.answered(delivery: "a", action: nil, text: nil))
    try bench.take(.answered(delivery: "b", action: nil, text: nil))
    #expect(bench.errands == [.launch(scheme: "x", delivery: "a")])
    #expect(bench.navigations(of: "a") == 0)
    #expect(bench.navigations(of: "b") == 1)
    #expect(try bench.entry("a")?.state == .held)
    try bench.navigated()
    if killed { try bench.start() }
    bench.absent = []
    try bench.take(.attached(schemes: ["x"]))
    #expect(bench.navigations(of: "a") == 1)
    try bench.take(.attached(schemes: ["x"]))
    try bench.navigated()
    #expect(bench.navigations(of: "a") == 1)
    #expect(try bench.responses().last == "a opened: tap")
  }

  @Test("What is held and answered elsewhere is not handed over")
  func withdrawn() throws {
    let bench = try InboxBench()
    bench.absent = ["x"]
    try bench.take(notification("a", url: "x:a"))
    #expect(bench.errands == [.launch(scheme: "x", delivery: "a")])
    try bench.take(withdrawal("a"))
    bench.absent = []
    try bench.take(.attached(schemes: ["x"]))
    #expect(bench.navigations(of: "a") == 0)
    #expect(try bench.responses() == ["a received", "a withdrawn"])
  }

  @Test("An application that cannot be started is the link's failure")
  func cannotStart() throws {
    let bench = try InboxBench()
    bench.absent = ["x"]
    try bench.take(notification("a", url: "x:a"))
    try bench.take(.absent(schemes: ["x"], reason: "cannot run app"))
    #expect(try bench.responses() == ["a received", "a failed: cannot run app"])
    try bench.take(.attached(schemes: ["x"]))
    #expect(bench.navigations(of: "a") == 0)
  }
}
