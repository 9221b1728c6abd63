import CarillonTestSupport
import Testing

@testable import CarillonDesktop

/// With a real bus, a real notification service and a real screen.
@Suite(.onOwnThreadWithFewOthers) struct DunstTests {
  let bus: MessageBus
  let dunst: Dunst
  let bench: DesktopBench

  init() throws {
    bus = try MessageBus()
    dunst = try Dunst(bus, global: "  markup = full", rest: "[urgency_low]\n  timeout = 300ms\n")
    bench = try DesktopBench(bus)
    try bench.begin()
  }

  @Test func tellsWhatItCanDo() {
    #expect(bench.events == [.available([.actions, .body, .markup])])
  }

  @Test func showsAndReplacesAndCloses() throws {
    try bench.show(.bins())
    try bench.wait("1 on the screen") { try dunst.displayed() == 1 }
    try bench.show(.bins("2", title: "Bins out, still"))
    try bench.wait("1 on the screen") { try dunst.displayed() == 1 }
    bench.desktop?.close("1")
    bench.desktop?.close("2")
    try bench.wait(for: .closed(key: "2", .taken))
    try bench.wait("0 on the screen") { try dunst.displayed() == 0 }
    #expect(bench.events(of: "1") == [.shown(key: "1")])
    #expect(try dunst.history().map(\.summary) == ["Bins out, still"])
  }

  @Test func othersTagsHaveTheirOwnPlace() throws {
    try bench.show(.bins())
    try bench.show(.bins("2", tag: "heating", title: "Heating on"))
    try bench.wait("2 on the screen") { try dunst.displayed() == 2 }
  }

  /// dunst 1.9 sends no ActivationToken.
  @Test func aTapIsATapAndNoDismissal() throws {
    try bench.show(.bins())
    try dunst.tap()
    try bench.settle()
    #expect(bench.events(of: "1") == [.shown(key: "1"), .tapped(key: "1", token: nil)])
    try bench.wait("1 on the screen") { try dunst.displayed() == 1 }
  }

  @Test func aButtonIsAnActionAndNoDismissal() throws {
    try bench.show(.bins())
    try dunst.choose("Later")
    try bench.wait(for: .acted(key: "1", action: "later", token: nil))
    try bench.settle()
    #expect(bench.events(of: "1").count == 2)
  }

  @Test func aDismissalIsOne() throws {
    try bench.show(.bins())
    try dunst.dismiss()
    try bench.wait(for: .closed(key: "1", .dismissed))
  }

  @Test func aBubbleThatTimesOutIsNotDismissed() throws {
    var bubble = Bubble.bins()
    bubble.urgency = .low
    try bench.show(bubble)
    try bench.wait(for: .closed(key: "1", .timedOut))
  }

  @Test func aCloseThatOvertakesTheAnswerStillCloses() throws {
    bench.desktop?.show(.bins())
    bench.desktop?.close("1")
    try bench.wait(for: .closed(key: "1", .taken))
    #expect(bench.events(of: "1").count == 1)
    try bench.wait("0 on the screen") { try dunst.displayed() == 0 }
  }

  @Test func comesBackWithTheService() throws {
    try bench.show(.bins())
    dunst.kill()
    try bench.wait("the loss") { bench.desktop?.isAvailable == false }
    bench.desktop?.show(.bins("2"))
    try dunst.start()
    try bench.wait("the service") { bench.available.count == 2 }
    try bench.show(.bins("3"))
    #expect(bench.unavailable.count == 1)
    #expect(bench.events(of: "1") == [.shown(key: "1")])
    #expect(bench.events(of: "2") == [])
    try bench.wait("1 on the screen") { try dunst.displayed() == 1 }
  }

  @Test func comesBackWithTheBus() throws {
    try bench.show(.bins())
    bus.kill()
    try bench.wait("the loss") { bench.desktop?.isAvailable == false }
    try bus.start()
    // It ends with its bus.
    dunst.kill()
    try dunst.start()
    try bench.wait("the service") { bench.available.count == 2 }
    try bench.show(.bins("2"))
    #expect(bench.unavailable == ["the connection with the bus has ended"])
    #expect(bench.events(of: "1") == [.shown(key: "1")])
  }

  @Test func aServiceThatTheBusCanStartIsStarted() throws {
    dunst.kill()
    try bus.makeStartable(Desktop.service, command: Dunst.command(dunst))
    // It reads what it can start when it begins.
    try bus.restart()
    try bench.wait("the service") { bench.available.count == 2 }
    try bench.show(.bins())
    // Ends what the bus has started with it.
    bus.kill()
    try bench.wait("the loss") { bench.desktop?.isAvailable == false }
  }

  static let hostile = [
    "<b>x</b> &amp;", "<img src=\"/etc/passwd\"/><a href=\"http://x.example\">y</a>", "&lt;i&gt; &#65; &",
    "%b %s %a %n %%", "$(touch x) `touch x` \\n \\\\", "--help", "x\u{202E}cod.exe", "a\u{0}b\u{1B}[31mc",
    "\u{FFFD}\u{FEFF}", "</span>",
  ]

  /// dunst's format of a bubble is markup with the title in it.
  @Test(arguments: hostile) func hostileTextIsShownLiterally(_ text: String) throws {
    try bench.show(Bubble(key: "1", tag: "1", title: text, body: text))
    bench.desktop?.close("1")
    try bench.wait(for: .closed(key: "1", .taken))
    let past = try #require(try dunst.history().first)
    let shown = text.shown(limit: 1000)
    #expect(past.summary == shown)
    let parts = past.message.split(separator: "\n", maxSplits: 1).map(String.init)
    #expect(parts.map(Markup.text) == [shown, shown], "\(past)")
    #expect(!past.message.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
  }

  @Test func aPictureIsFoundByItsPath() throws {
    let path = try dunst.directory.write("a b ä.png", [])
    var bubble = Bubble.bins()
    bubble.icon = path
    try bench.show(bubble)
    bench.desktop?.close("1")
    try bench.wait(for: .closed(key: "1", .taken))
    #expect(try dunst.history().first?.icon == path)
  }
}

/// With markup turned off in dunst's configuration, and not mentioned there, which dunst does not tell apart.
@Suite(.onOwnThreadWithFewOthers) struct PlainDunstTests {
  @Test(arguments: ["  markup = no\n  format = \"%s\\n%b\"", ""])
  func nothingOfATextIsTakenForMarkupWhereNoneIsTold(_ setting: String) throws {
    let bus = try MessageBus()
    let dunst = try Dunst(bus, global: setting)
    let bench = try DesktopBench(bus)
    try bench.begin()
    #expect(bench.available == [[.actions, .body, .untoldMarkup]])
    for text in DunstTests.hostile {
      try bench.show(Bubble(key: text, tag: "1", title: text, body: text))
      bench.desktop?.close(text)
      try bench.wait(for: .closed(key: text, .taken))
      let past = try #require(try dunst.history().first)
      let lines = past.message.split(separator: "\n").map { Markup.text(String($0)) }
      let shown = text.shown(limit: 1000)
      let body = shown.unicodeScalars.reduce(into: "") {
        $0 += $1 == "&" ? "&\u{200D}" : $1 == "<" ? "‹" : $1 == ">" ? "›" : String($1)
      }
      #expect(lines == [shown, body], "\(past)")
    }
  }
}

/// What a person sees of a markup text (Pango's, which is XML's).
enum Markup {
  private static let entities = [
    "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'", "#39": "'",
  ]

  static func text(_ markup: String) -> String {
    var text = String.UnicodeScalarView()
    var rest = Array(markup.unicodeScalars)[...]
    while let first = rest.popFirst() {
      if first == "<", let end = rest.firstIndex(of: ">") {
        rest = rest[(end + 1)...]
      } else if first == "&", let end = rest.firstIndex(of: ";"),
        let character = entities[String(String.UnicodeScalarView(rest[..<end]))]
      {
        text += character.unicodeScalars
        rest = rest[(end + 1)...]
      } else {
        text.append(first)
      }
    }
    return String(text)
  }
}
