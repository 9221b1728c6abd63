import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Testing

/// Real parts: broker, relay, companions, a session bus, dunst on a screen of its own.
@Suite("On a desktop", .onOwnThreadWithFewOthers)
struct DesktopLifeTests {
  private let routes = """
    { routes: [
      { link: "home://chores/*rest", navigate: ["/", "/chores", "/chores/{rest}"] },
      { link: "home://say/:word", navigate: ["/say"], run: ["SCRIPT", "{word}"] },
    ] }
    """

  private func steps(_ companion: Program) throws -> [JSON?] {
    try companion.events("navigate").map { $0["to"] }
  }

  @Test("A tap on one device leads to the link's target, and the other device falls silent")
  func tap() throws {
    let house = try House()
    let dunst = try Dunst(MessageBus())
    let desk = try house.companion("desk", routes: routes, environment: dunst.bus.environment)
    let wall = try house.companion("wall", routes: routes, ["--open", "tap"])
    try house.command(
      #"{"id":"bins","title":"Bins <b>out</b>","body":"a & <i>b</i>","url":"home://chores/bins","actions":[{"id":"done","title":"Done"}]}"#
    )
    try eventually("the bubble") { try dunst.displayed() == 1 }
    try house.waitForState("bins", "presented")
    try house.waitForState("bins", "presented", at: "wall")
    #expect(try steps(desk).isEmpty)

    try dunst.tap()
    try house.waitForState("bins", "opened")
    try house.waitForState("bins", "withdrawn", at: "wall")
    #expect(try steps(desk) == ["/", "/chores", "/chores/bins"])
    #expect(try steps(wall).isEmpty)
    try desk.event("opened", "bins")
    try wall.event("withdrawn", "bins")
    let detail = try #require(try house.delivered("bins").first?["devices"]?["desk"]?["detail"]?.text)
    #expect(detail == "home://chores/*rest: / > /chores > /chores/bins")
    try eventually("the bubble to go") { try dunst.displayed() == 0 }
    #expect(try dunst.history().first?.summary == "Bins <b>out</b>")

    // The other way round: what is answered elsewhere goes from the screen.
    try house.command(#"{"id":"tea","title":"Tea"}"#)
    try eventually("the bubble") { try dunst.displayed() == 1 }
    let delivery = try #require(try house.delivered("tea").first?["delivery"]?.text)
    try house.respond("wall", delivery, "acted", #","action":"done""#)
    try eventually("the bubble to go") { try dunst.displayed() == 0 }
    try house.waitForState("tea", "withdrawn")
    try desk.stop()
    try wall.stop()
  }

  @Test("Buttons and putting away are answers; a snooze reaches the relay though it is away at that moment")
  func answers() throws {
    let house = try House()
    let dunst = try Dunst(MessageBus())
    let desk = try house.companion("desk", routes: routes, environment: dunst.bus.environment)
    try house.command(#"{"id":"put","title":"Put away"}"#)
    try eventually("the bubble") { try dunst.displayed() == 1 }
    try dunst.dismiss()
    try house.waitForState("put", "dismissed")

    let actions =
      #""actions":[{"id":"later","title":"Later","snooze":"2s"},{"id":"go","title":"Map","url":"home://chores/go"}]"#
    try house.command(#"{"id":"go","title":"Trip",\#(actions)}"#)
    try eventually("the bubble") { try dunst.displayed() == 1 }
    try dunst.choose("Map")
    try house.waitForState("go", "acted")
    try desk.event("opened", "go")
    #expect(try steps(desk).last == "/chores/go")

    try house.command(#"{"id":"nap","title":"Nap",\#(actions)}"#)
    try house.waitForState("nap", "presented")
    try eventually("the bubble") { try dunst.displayed() == 1 }
    try house.killRelay()
    try dunst.choose("Later")
    try desk.event("acted", "nap")
    try house.startRelay()
    try eventually("the snoozed one", within: .seconds(30)) { try house.delivered("nap").count == 2 }
    try eventually("its bubble") { try dunst.displayed() == 1 }
    try desk.stop()
    // What nobody has answered is shown again by the next run, and was taken from the screen by the one before.
    #expect(try dunst.displayed() == 0)
  }

  @Test("The desktop may go and come: nothing is lost, what was not answered is shown again")
  func comingAndGoing() throws {
    let house = try House()
    let bus = try MessageBus()
    let dunst = try Dunst(bus)
    let desk = try house.companion("desk", environment: dunst.bus.environment)
    try house.command(#"{"id":"a","title":"A"}"#)
    try eventually("the bubble") { try dunst.displayed() == 1 }
    dunst.kill()
    bus.kill()
    try desk.wait(on: .errors) { $0.contains("printed only") }
    try house.command(#"{"id":"b","title":"B"}"#)
    try desk.event("notification", "b")
    try house.waitForState("b", "presented")
    try house.command(#"{"id":"c","title":"C"}"#)
    try house.waitForState("c", "presented")
    try house.command(#"{"command":"withdraw","ids":["c"]}"#)
    try house.waitForState("c", "withdrawn")
    try bus.restart()
    try dunst.start()
    try eventually("both bubbles", within: .seconds(60)) { try dunst.displayed() == 2 }
    try dunst.dismiss()
    try dunst.dismiss()
    try house.waitForState("a", "dismissed")
    try house.waitForState("b", "dismissed")
    #expect(try dunst.displayed() == 0)
    try desk.stop()
  }

  @Test("What was withdrawn, answered or has expired while a device was off is never seen there")
  func offline() throws {
    let house = try House()
    let dunst = try Dunst(MessageBus())
    let home = try TemporaryDirectory(inMemory: true)
    try house.companion("desk", home: home, environment: dunst.bus.environment).stop()
    try house.waitForAbsence("desk")
    for id in ["gone", "kept"] { try house.command(#"{"id":"\#(id)","title":"\#(id)","to":"desk"}"#) }
    try house.command(#"{"command":"withdraw","ids":["gone"]}"#)
    let desk = try house.companion("desk", home: home, environment: dunst.bus.environment)
    try desk.event("notification", "kept")
    try eventually("the bubble") { try dunst.displayed() == 1 }
    #expect(try desk.events("notification").map { $0["id"] } == ["kept"])
    // And one that expires on the screen goes from it.
    try dunst.dismiss()
    try house.command(#"{"id":"short","title":"Short","expires":"1s"}"#)
    try desk.event("expired", "short")
    try eventually("the bubble to go") { try dunst.displayed() == 0 }
    try desk.stop()
  }

  @Test("The desktop's token for the focus reaches the program that a tap starts, and words reach the relay")
  func token() throws {
    let house = try House()
    let bus = try MessageBus()
    let loop = try EventLoop()
    let server = try NotificationServer(bus, loop: loop, capabilities: ["actions", "body", "inline-reply"])
    func turn(_ what: String, until condition: () throws -> Bool) throws {
      let deadline = Deadline(after: .seconds(20))
      while try !condition() {
        guard !deadline.hasPassed else { throw TestFailure("\(what) did not come") }
        try loop.turn(waiting: .milliseconds(5))
      }
    }
    let folder = try TemporaryDirectory()
    let script = try folder.script("say", "printf '%s' \"$XDG_ACTIVATION_TOKEN\" >\(folder.path)/token")
    let desk = try house.companion(
      "desk", routes: routes.replacing("SCRIPT", with: script), ["--execute"], environment: bus.environment)
    try turn("the desktop") { desk.lines(.errors).contains { $0.contains("shown on the desktop") } }
    try house.command(#"{"id":"a","title":"A","url":"home://say/word"}"#)
    try turn("the bubble") { server.asked.count == 1 }
    try server.invoke(try #require(server.asked.first?.number), "default", token: "token-1")
    try turn("the link to be opened") { folder.read("token") == "token-1" }
    try house.waitForState("a", "opened")

    try house.command(
      #"{"id":"c","title":"C","actions":[{"id":"map","title":"Map","url":"home://say/map"}]}"#)
    try turn("the bubble") { server.asked.count == 2 }
    try server.invoke(try #require(server.asked.last?.number), "button:map", token: "token-2")
    try turn("the button's link to be opened") { folder.read("token") == "token-2" }
    try house.waitForState("c", "acted")

    try house.command(#"{"id":"b","title":"B","actions":[{"id":"reply","title":"Answer"}]}"#)
    try turn("the bubble") { server.asked.count == 3 }
    try server.reply(try #require(server.asked.last?.number), "on my way")
    try turn("the answer") { desk.lines().contains { $0.contains(#""event":"acted""#) } }
    try house.waitForState("b", "acted")
    #expect(desk.lines().contains { $0.contains(#""action":"reply","text":"on my way""#) })
    try desk.stop()
  }

  @Test("Hostile texts are shown as they are, and a link that is one opens nothing")
  func hostile() throws {
    let house = try House()
    let dunst = try Dunst(MessageBus())
    let folder = try TemporaryDirectory()
    let script = try folder.script("say", "printf '%s|' \"$#\" \"$@\" >>\(folder.path)/log")
    let desk = try house.companion(
      "desk", routes: routes.replacing("SCRIPT", with: script), ["--execute"],
      environment: dunst.bus.environment)
    let text = #"$(touch pwned) `touch pwned` \"; touch pwned; \" a'b <b>&amp;</b> %s \\u001b[31m \\u202e *"#
    try house.command(
      #"{"id":"text","title":"\#(text)","body":"\#(text)","url":"home://say/%24(touch%20pwned)%0A%2A"}"#)
    try eventually("the bubble") { try dunst.displayed() == 1 }
    try dunst.tap()
    try house.waitForState("text", "opened")
    #expect(folder.read("log") == "1|$(touch pwned)\n*|")
    let shown = try #require(try dunst.history().first)
    #expect(
      shown.summary.contains("$(touch pwned) `touch pwned`") && shown.summary.contains("<b>&amp;</b> %s"))
    for url in ["javascript:alert(1)", "file:///etc/passwd", "home://say/--help", "https://evil.example/"] {
      let delivery = "direct-\(url)"
      try house.client.publish(
        "carillon/device/desk/notification",
        #"{"kind":"notification","delivery":"\#(delivery)","id":"\#(url)","title":"x","url":"\#(url)"}"#)
      try desk.event("notification", url)
      try eventually("the bubble") { try dunst.displayed() == 1 }
      try dunst.tap()
      try desk.event("failed", url)
      try eventually("the bubble to go") { try dunst.displayed() == 0 }
    }
    #expect(folder.read("log") == "1|$(touch pwned)\n*|")
    try desk.stop()
  }
}

@Suite("Who may notify", .onOwnThreadWithFewOthers)
struct PermissionLifeTests {
  @Test("A new publisher is asked about once; who is denied is told how to change it")
  func asked() throws {
    let house = try House()
    let dunst = try Dunst(MessageBus())
    let home = try TemporaryDirectory(inMemory: true)
    let configuration = try home.write("companion.json5", #"{ authorization: { default: "ask" } }"#)
    let desk = try house.companion(
      "desk", ["--config", configuration], home: home, environment: dunst.bus.environment)
    for id in ["a", "b"] { try house.command(#"{"id":"\#(id)","title":"\#(id)"}"#, as: "good") }
    try eventually("the question") { try dunst.displayed() == 1 }
    try house.waitForState("b", "received")
    #expect(try desk.events("notification").isEmpty)
    try dunst.choose("Allow")
    try house.waitForState("a", "presented")
    try house.waitForState("b", "presented")
    try dunst.dismiss()
    try dunst.dismiss()

    try house.command(#"{"id":"c","title":"c"}"#, as: "bad")
    try eventually("the question") { try dunst.displayed() == 1 }
    try dunst.choose("Deny")
    try house.waitForState("c", "suppressed")
    let detail = try #require(try house.delivered("c").first?["devices"]?["desk"]?["detail"]?.text)
    #expect(detail.contains("carillon device authorize --device desk --publisher bad"))
    let list = try house.run(
      ["companion", "--list", "--json", "--device", "desk"], environment: home.stateEnvironment)
    #expect(list.text.contains(#""id":"c""#) && list.text.contains("suppressed"))

    let change = try house.run(
      ["device", "authorize", "--device", "desk", "--publisher", "bad"], environment: home.stateEnvironment)
    #expect(change.status == .exited(0), "\(change.text)")
    try house.command(#"{"id":"d","title":"d"}"#, as: "bad")
    try house.waitForState("d", "presented")
    try desk.stop()
  }

  @Test(
    "While focus is on only what is time-sensitive or critical is shown, also after a restart of the device")
  func focus() throws {
    let house = try House()
    let home = try TemporaryDirectory(inMemory: true)
    var desk = try house.companion("desk", ["--open", "tap"], home: home)
    try house.command(#"{"command":"focus","devices":["desk"],"on":true}"#)
    try desk.wait(on: .errors) { $0.contains("focus is on") }
    try house.command(#"{"id":"a","title":"a"}"#)
    try house.waitForState("a", "suppressed")
    try house.command(#"{"id":"b","title":"b","level":"timeSensitive"}"#)
    try house.waitForState("b", "presented")
    try desk.stop()
    desk = try house.companion("desk", ["--open", "tap"], home: home)
    try house.command(#"{"id":"c","title":"c"}"#)
    try house.waitForState("c", "suppressed")
    try eventually("the profile to tell") {
      try house.retained("carillon/device/desk/profile")?.text.contains(#""focus":true"#) == true
    }
    try house.command(#"{"command":"focus","devices":["desk"],"on":false}"#)
    try desk.wait(on: .errors) { $0.contains("focus is off") }
    try house.command(#"{"id":"d","title":"d"}"#)
    try house.waitForState("d", "presented")
    try desk.stop()
  }
}

extension TemporaryDirectory {
  /// Where a companion that was started with this home keeps its state.
  fileprivate var stateEnvironment: [String: String] {
    ["XDG_STATE_HOME": file(".xdg_state_home"), "XDG_RUNTIME_DIR": file(".xdg_runtime_dir")]
  }
}
