import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

@Suite("From a request to a screen", .onOwnThreadWithFewOthers)
struct ScenarioTests {
  /// A date and time a moment ahead, with offset.
  private func soon(_ milliseconds: Int64 = 3000) -> JSON {
    .string(timestamp(utc: WallTime(milliseconds: SystemClock.wallMilliseconds + milliseconds)))
  }

  private static let publisher = "/usr/bin/mosquitto_pub"

  @Test(
    "The smallest example: a stock client publishes, and every companion shows it after five seconds",
    .enabled(if: access(ScenarioTests.publisher, X_OK) == 0))
  func smallest() throws {
    let house = try House()
    let routes = #"{ routes: [{ link: "kitchen://tea", navigate: ["/", "/tea"] }] }"#
    let companions = try ["desk", "loft"].map { try house.companion($0, routes: routes) }
    let start = SystemClock.elapsedMilliseconds
    let publisher = try Program(
      [
        "-p", "\(house.broker.port)", "-t", "carillon/command", "-m",
        #"{"title":"Tea","url":"kitchen://tea","trigger":{"after":"5s"}}"#,
      ], executable: ScenarioTests.publisher)
    #expect(try publisher.waitForExit() == .exited(0))
    for companion in companions {
      try companion.event("opened")
      #expect(try companion.events("navigate").map { $0["to"] } == ["/", "/tea"])
    }
    #expect(SystemClock.elapsedMilliseconds - start >= 5000)
  }

  // MARK: A date and time, and a link of two values

  @Test(
    "A calendar notification leads from the root to the item, one step after the other",
    arguments: [
      ("request.json", "Genre=fruits&Item=apple", "fruits:apple", ["/", "/fruits", "/fruits/apple"]),
      ("request-utf8.json", "Genre=野菜&Item=トマト", "野菜:トマト", ["/", "/野菜", "/野菜/トマト"]),
    ])
  func calendarLink(file: String, id: String, body: String, steps: [String]) throws {
    let house = try House()
    let example = Example("calendar-link")
    let kiosk = try Kiosk()
    let companion = try house.companion(
      routes: try example.text("routes.json5"), ["--execute"], environment: kiosk.environment)

    let at = soon()
    let reply = try house.command(try example.request(file, trigger: ["at": at]))
    #expect(reply["id"]?.text == id)
    #expect(reply["timezone"] == "Asia/Tokyo")
    #expect(try house.pending() == [id])

    let notification = try companion.event("notification", id)
    #expect(notification["title"] == "DeepLinkTest")
    #expect(notification["body"]?.text == body)
    #expect(notification["due"] == reply["next"])
    #expect(notification["late"] == false)
    try companion.event("opened", id)
    let printed = try companion.events("navigate", id)
    #expect(printed.map { $0["to"]?.text } == steps)
    #expect(printed.map { $0["step"] } == [1, 2, 3])
    #expect(printed.allSatisfy { $0["of"] == 3 && $0["delivery"] == notification["delivery"] })
    #expect(kiosk.log == steps.flatMap { ["begin \($0)", "end \($0)"] })
    #expect(try house.pending() == [])
    try house.waitForState(id, "opened")
  }

  @Test("A step begins only after the one before has ended, however long that takes")
  func stepsWait() throws {
    let house = try House()
    let example = Example("calendar-link")
    let kiosk = try Kiosk()
    let companion = try house.companion(
      routes: try example.text("routes.json5"), ["--execute"], environment: kiosk.environment)
    try kiosk.hold()
    try house.command(#"{"id":"x","url":"deeplinktest://deeplink?Genre=fruits&Item=apple"}"#)
    try eventually("the first step") { kiosk.log == ["begin /"] }
    // The companion is there for everything else meanwhile.
    try house.waitForState("x", "received")
    try house.client.listen(for: .milliseconds(300))
    #expect(kiosk.log == ["begin /"])
    #expect(try companion.events("navigate").count == 1)
    kiosk.release()
    try companion.event("opened", "x")
    #expect(kiosk.log.count == 6)
  }

  @Test("The order of the query does not matter")
  func queryOrder() throws {
    let house = try House()
    let companion = try house.companion(routes: try Example("calendar-link").text("routes.json5"))
    try house.command(
      #"{"id":"x","url":"deeplinktest://deeplink?Item=%E3%83%88%E3%83%9E%E3%83%88&more=1&Genre=%E9%87%8E%E8%8F%9C"}"#
    )
    try companion.event("opened", "x")
    #expect(try companion.events("navigate").map { $0["to"]?.text } == ["/", "/野菜", "/野菜/トマト"])
  }

  @Test("Values that are written without percent-encoding arrive the same")
  func rawValues() throws {
    let house = try House()
    let companion = try house.companion(routes: try Example("calendar-link").text("routes.json5"))
    try house.command(#"{"id":"x","url":"deeplinktest://deeplink?Genre=野菜&Item=トマト"}"#)
    let notification = try companion.event("notification", "x")
    #expect(
      notification["url"]
        == "deeplinktest://deeplink?Genre=%E9%87%8E%E8%8F%9C&Item=%E3%83%88%E3%83%9E%E3%83%88")
    try companion.event("opened", "x")
    #expect(try companion.events("navigate").last?["to"] == "/野菜/トマト")
  }

  // MARK: Add, replace, remove

  @Test("A second request with the same id replaces the first: one firing, the new content")
  func replace() throws {
    let house = try House()
    let example = Example("add-replace-remove")
    let companion = try house.companion(routes: try example.text("routes.json5"))
    let first = try house.command(try example.text("add.json"))
    #expect(first["replaced"] == false)
    let second = try house.command(try example.text("replace.json"))
    #expect(second["replaced"] == true)
    #expect(second["was"] == .null)
    let items = try house.command(#"{"command":"pending"}"#)["items"]?.elements ?? []
    #expect(items.map { $0["body"] } == ["The dryer is done"])

    let notification = try companion.event("notification", "laundry")
    #expect(notification["body"] == "The dryer is done")
    #expect(notification["userInfo"] == ["machine": "dryer", "programme": 1])
    try companion.event("opened", "laundry")
    #expect(try companion.events("navigate").map { $0["to"]?.text } == ["/", "/laundry", "/laundry/dryer"])
    // Past the first request's time nothing more has come.
    #expect(try companion.events("notification").count == 1)
    #expect(try house.delivered("laundry").count == 1)
  }

  @Test("Removed requests never fire; the others do")
  func remove() throws {
    let house = try House()
    let example = Example("add-replace-remove")
    let companion = try house.companion(routes: try example.text("routes.json5"))
    try house.command(try example.request("add.json", trigger: ["after": 3]))
    try house.command(#"{"id":"after","title":"Later than the removed one","trigger":{"after":3.5}}"#)
    let cancelled = try house.command(try example.text("remove.json"))
    #expect(cancelled["ids"] == ["laundry": "cancelled"])
    #expect(try house.pending() == ["after"])
    try companion.event("notification", "after")
    #expect(try companion.events("notification", "laundry") == [])
    #expect(try house.command(try example.text("remove.json"))["ids"] == ["laundry": "unknown"])
  }

  // MARK: An interval

  @Test("After half an hour, once: the route matches by host and shows the offer")
  func interval() throws {
    let house = try House()
    let example = Example("interval-link")
    let companion = try house.companion(routes: try example.text("routes.json5"))
    let before = SystemClock.wallMilliseconds
    let reply = try house.command(try example.text("request.json"))
    let next = try #require(reply["next"]?.text)
    guard case .instant(let due) = try WrittenTime(parsing: next) else { throw TestFailure(next) }
    #expect((-2...5000).contains(due.milliseconds - before - 1_800_000))
    #expect(reply["upcoming"]?.elements?.count == 1)

    #expect(try house.command(#"{"command":"fire","id":"offer"}"#)["ids"] == ["offer": "fired"])
    try companion.event("opened", "offer")
    #expect(try companion.events("navigate").map { $0["to"]?.text } == ["sheet:offer"])
    // Its schedule is untouched.
    #expect(try house.pending() == ["offer"])
    try house.command(try example.request("request.json", trigger: ["after": 1]))
    try companion.event("opened", "offer", number: 2)
    #expect(try house.pending() == [])
  }

  @Test(
    "A notification without a link is shown and navigates nowhere; an unknown host is reported, and nothing runs"
  )
  func withoutRoute() throws {
    let house = try House()
    let example = Example("interval-link")
    let kiosk = try Kiosk()
    let companion = try house.companion(
      routes: try example.text("routes.json5"), ["--execute"], environment: kiosk.environment)
    try house.command(try example.request("plain.json", trigger: ["after": 0]))
    try house.command(try example.request("unknown-host.json", trigger: ["after": 0]))
    try companion.event("notification", "plain")
    let failed = try companion.event("failed", "stranger")
    #expect(failed["reason"]?.text?.hasPrefix("no route") == true)
    try house.waitForState("stranger", "failed")
    try house.waitForState("plain", "presented")
    let detail = try house.delivered("stranger").first?["devices"]?["desk"]?["detail"]?.text
    #expect(detail?.hasPrefix("no route") == true)
    try house.command(#"{"id":"good","url":"MYAPP://Offer"}"#)
    try companion.event("opened", "good")
    #expect(kiosk.log == ["begin sheet:offer", "end sheet:offer"])
  }

  // MARK: Three ways to be reached

  @Test("A companion that runs gets each notification exactly once, in order")
  func running() throws {
    let house = try House()
    let example = Example("three-ways")
    let companion = try house.companion(routes: try example.text("routes.json5"))
    try house.ask(try example.text("requests.json"))
    try companion.event("opened", "second")
    try expectBothOnce(companion)
  }

  @Test("A companion that is busy with a navigation gets the next one when it is free")
  func busy() throws {
    let house = try House()
    let example = Example("three-ways")
    let kiosk = try Kiosk()
    let companion = try house.companion(
      routes: try example.text("routes.json5"), ["--execute"], environment: kiosk.environment)
    try kiosk.hold()
    try house.ask(try example.text("requests.json"))
    try eventually("the first page") { kiosk.log == ["begin /page/1"] }
    // The second is on the device's disk already, and waits for its turn.
    try house.waitForState("second", "received")
    #expect(kiosk.log == ["begin /page/1"])
    kiosk.release()
    try companion.event("opened", "second")
    #expect(kiosk.log == ["begin /page/1", "end /page/1", "begin /page/2", "end /page/2"])
    try expectBothOnce(companion)
  }

  @Test("A companion that is started afterwards finds everything, and a late subscriber the latest")
  func startedAfterwards() throws {
    let house = try House()
    let example = Example("three-ways")
    let routes = try example.text("routes.json5")
    let first = try house.companion(routes: routes)
    try first.stop()
    try house.waitForStatus("device/desk", "offline")
    try house.ask(try example.text("requests.json"))
    try eventually("the latest") {
      try house.retained("carillon/device/desk/latest")?.json["id"] == "second"
    }
    let second = try house.companion(routes: routes, home: first.home)
    try second.event("opened", "second")
    try expectBothOnce(second)
    let latest = try #require(try house.retained("carillon/device/desk/latest"))
    #expect(try latest.json["kind"] == "notification")
    #expect((1...86_400).contains(latest.expiry ?? 0))
    // Started once more, it has nothing left to do.
    try second.stop()
    let third = try house.companion(routes: routes, home: first.home)
    try house.command(#"{"id":"third","url":"kiosk://page/3"}"#)
    try third.event("opened", "third")
    #expect(try third.events("notification").count == 1)
  }

  private func expectBothOnce(_ companion: Program) throws {
    #expect(try companion.events("notification").map { $0["id"]?.text } == ["first", "second"])
    #expect(try companion.events("navigate").map { $0["to"]?.text } == ["/page/1", "/page/2"])
    #expect(try companion.events("opened").map { $0["id"]?.text } == ["first", "second"])
  }

  // MARK: A universal link

  @Test("A web address opens its modal in a companion that runs and in one that is started afterwards")
  func universalLink() throws {
    let house = try House()
    let example = Example("universal-link")
    let routes = try example.text("routes.json5")
    let kiosk = try Kiosk()
    let running = try house.companion(
      routes: routes, ["--execute"], environment: kiosk.environment)
    try house.command(try example.text("request.json"))
    try running.event("opened", "universal")
    #expect(kiosk.log == ["begin modal:hogehoge", "end modal:hogehoge"])

    try house.command(try example.text("other-path.json"))
    #expect(try running.event("failed", "elsewhere")["reason"]?.text?.hasPrefix("no route") == true)

    try running.stop()
    try house.waitForAbsence("desk")
    try house.command(try example.text("request.json"))
    try house.command(try example.text("other-path.json"))
    let started = try house.companion(
      routes: routes, ["--execute"], home: running.home, environment: kiosk.environment)
    try started.event("opened", "universal")
    try started.event("failed", "elsewhere")
    #expect(kiosk.log.count == 4)
  }

  @Test(
    "The examples' routes are without fault, and their requests can be sent as they are",
    arguments: ["calendar-link", "add-replace-remove", "interval-link", "three-ways", "universal-link"])
  func examplesAreSound(name: String) throws {
    let example = Example(name)
    let kiosk = try Kiosk()
    let check = try Run(["routes", "check", example.routesFile], environment: kiosk.environment)
    #expect(check.status == .exited(0), "\(check.text)")
    let house = try House()
    for file in ["request", "request-utf8", "add", "replace", "requests", "plain"] {
      guard (try? example.text("\(file).json")) != nil else { continue }
      let run = try house.run(["schedule", "--request", "\(example.folder)/\(file).json", "--json"])
      #expect(run.status == .exited(0), "\(run.text)")
      #expect(try run.json.allSatisfy { $0["ok"] == true })
    }
  }
}
