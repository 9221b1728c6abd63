import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

@Suite("The command line", .onOwnThreadWithFewOthers)
struct CommandLineTests {
  private let future = ["--after", "1h"]

  // MARK: With a relay

  @Test("Every verb tells a person and a program what became of it, and ends with 0, for unknown ids too")
  func verbs() throws {
    let house = try House()
    let device = try house.device("desk")
    func good(_ arguments: [String], _ hint: String) throws {
      let run = try house.run(arguments)
      #expect(run.status == .exited(0), "\(arguments): \(run.text)")
      #expect(run.output.joined(separator: "\n").contains(hint), "\(arguments): \(run.text)")
    }
    func json(_ arguments: [String]) throws -> [JSON] {
      let run = try house.run(arguments + ["--json"])
      #expect(run.status == .exited(0), "\(arguments): \(run.text)")
      return try run.json
    }
    try good(["schedule", "--id", "a", "--title", "Tea", "--to", "desk"] + future, "a: next at")
    let reply = try json(
      ["schedule", "--id", "b", "--title", "Tea", "--url", "kitchen://tea", "--to", "desk"] + future)
    #expect(reply.count == 1 && reply[0]["ok"] == true && reply[0]["id"] == "b")
    try good(["schedule", "--title", "Now", "--to", "desk"], "fired now")
    #expect(try device.waitForMessage().json["title"] == "Now")
    try good(["pending"], "Tea")
    #expect(try json(["pending"]).compactMap { $0["id"]?.text } == ["a", "b"])
    #expect(try json(["pending", "--device", "desk"]).count == 2)
    try good(["fire", "a", "nope"], "a: fired")
    #expect(try device.waitForMessage().json["id"] == "a")
    try good(["pause", "a"], "a: paused")
    try good(["resume", "a", "nope"], "nope: unknown")
    try good(["delivered"], "desk")
    #expect(try json(["delivered"]).count == 2)
    try good(["devices"], "desk")
    #expect(try json(["devices"]).first?["name"] == "desk")
    try good(["withdraw", "a", "nope"], "a: withdrawn")
    #expect(try json(["cancel", "a", "nope"]).first?["ids"] == ["a": "cancelled", "nope": "unknown"])
    try good(["cancel", "--all"], "b: cancelled")
    try good(["cancel", "--thread", "none"], "")
    try good(["devices", "--forget", "desk"], "desk: forgotten")
    #expect(try json(["pending"]) == [])
  }

  @Test("Content and trigger travel as the options say")
  func content() throws {
    let house = try House()
    let run = try house.run([
      "schedule", "--id", "full", "--to", "desk", "--to", "loft", "--title", "T", "--subtitle", "S", "--body",
      "B",
      "--url", "home://x?{due}", "--action", "done=Done", "--action", "map=Where=https://example.jp/x",
      "--sound", "bell",
      "--badge", "3", "--image", "https://example.jp/i.png", "--thread", "th", "--category", "cat", "--level",
      "timeSensitive",
      "--user-info", #"{"a":[1,2]}"#, "--every", "6h", "--from", "2036-12-01T08:00", "--count-limit", "10",
      "--timezone",
      "Asia/Tokyo", "--expires", "2h", "--catch-up", "all", "--revision", "7",
    ])
    #expect(run.status == .exited(0), "\(run.text)")
    let item = try #require(try house.command(#"{"command":"pending"}"#)["items"]?.elements?.first)
    #expect(
      item["to"] == ["desk", "loft"] && item["title"] == "T" && item["subtitle"] == "S" && item["body"] == "B"
    )
    #expect(item["url"] == "home://x?{due}" && item["sound"] == "bell" && item["badge"] == 3)
    #expect(item["actions"]?.elements?.map { $0["id"] } == ["done", "map"])
    #expect(item["actions"]?.elements?.last?["url"] == "https://example.jp/x")
    #expect(item["thread"] == "th" && item["category"] == "cat" && item["level"] == "timeSensitive")
    #expect(item["userInfo"] == ["a": [1, 2]] && item["revision"] == 7 && item["catchUp"] == "all")
    #expect(item["next"] == "2036-12-01T08:00:00.000+09:00" && item["timezone"] == "Asia/Tokyo")
    #expect(item["trigger"]?["count"] == 10)
  }

  @Test("A request can come from a file or from standard input, a list of them too")
  func requestFile() throws {
    let house = try House()
    let folder = try TemporaryDirectory()
    let file = try folder.write(
      "list.json",
      #"[{"id":"a","title":"x","trigger":{"after":"1h"}},{"id":"b","titel":"x"},{"id":"c","title":"x","trigger":{"after":"1h"}}]"#
    )
    let list = try house.run(["schedule", "--request", file, "--json"])
    #expect(list.status == .exited(65), "\(list.text)")
    let input = try Program(
      ["schedule", "--request", "-", "--broker", house.broker.url], takesInput: true)
    try input.send(#"{"id":"d","title":"x","trigger":{"after":"1h"}}"#)
    input.closeInput()
    #expect(try input.waitForExit() == .exited(0))
    #expect(try house.pending().contains("d"))
    #expect(try house.run(["schedule", "--request", "/nonexistent"]).status == .exited(1))
    #expect(try house.run(["schedule", "--request", file, "--title", "x"]).status == .exited(64))
  }

  @Test("The same key sent again changes nothing and tells the first reply")
  func key() throws {
    let house = try House()
    let device = try house.device("desk")
    let arguments = ["schedule", "--title", "x", "--to", "desk", "--key", "k", "--json"]
    let first = try house.run(arguments)
    let second = try house.run(arguments)
    #expect(first.status == .exited(0) && second.status == .exited(0))
    #expect(first.output == second.output)
    try device.waitForMessage()
    try device.listen(for: .milliseconds(200))
    #expect(device.messages.isEmpty)
    #expect(try house.run(["schedule", "--title", "y", "--to", "desk", "--key", "k"]).status == .exited(65))
  }

  @Test("What the relay refuses ends with 65, and says where")
  func refusedByRelay() throws {
    let house = try House()
    try house.run(["schedule", "--id", "r", "--title", "x", "--revision", "5"] + future).expect(0)
    let stale = try house.run(["schedule", "--id", "r", "--title", "x", "--revision", "4"] + future)
    #expect(
      stale.status == .exited(65) && stale.text.contains("stale") && stale.text.contains("revision"),
      "\(stale.text)")
    let json = try house.run(["schedule", "--id", "r", "--title", "x", "--revision", "4", "--json"] + future)
    #expect(json.status == .exited(65))
    #expect(try json.json.first?.code == "stale")
    let denied = try house.run(["schedule", "--title", "x", "--url", "javascript:alert(1)"])
    #expect(denied.status == .exited(65) && denied.text.contains("forbidden at url"), "\(denied.text)")
    let past = try house.run(["schedule", "--title", "x", "--at", "2020-01-01T00:00Z"])
    #expect(past.status == .exited(65) && past.text.contains("past"), "\(past.text)")
    let zone = try house.run([
      "schedule", "--title", "x", "--at", "2036-01-01T00:00", "--timezone", "Mars/Olympus",
    ])
    #expect(zone.status == .exited(65) && zone.text.contains("Mars/Olympus"), "\(zone.text)")
  }

  @Test("What waits at the broker is taken when the relay comes; the command's own time is its wait")
  func queue() throws {
    let house = try House()
    try house.stopRelay()
    let queued = try house.run(["schedule", "--id", "q", "--title", "x", "--queue"] + future)
    #expect(queued.status == .exited(0) && queued.output.count == 1, "\(queued.text)")
    let json = try house.run(["schedule", "--id", "j", "--title", "x", "--queue", "--json"] + future)
    #expect(try json.json.first?["ok"] == true)
    #expect(try json.json.first?["key"]?.text?.isEmpty == false)
    let waited = try house.run(["schedule", "--id", "w", "--title", "x", "--wait", "1s"] + future)
    #expect(waited.status == .exited(69))
    #expect(waited.text.contains("--key "), "\(waited.text)")
    try house.client.listen(for: .milliseconds(1200))
    try house.startRelay()
    try eventually("what was queued") { try house.pending().sorted() == ["j", "q"] }
  }

  @Test("Without a broker every verb that needs one ends with 69 in one line")
  func noBroker() throws {
    let url = "mqtt://127.0.0.1:\(try Loopback.freePort())"
    for arguments in [
      ["schedule", "--title", "x"], ["cancel", "a"], ["withdraw", "a"], ["fire", "a"], ["pause", "a"],
      ["resume", "a"],
      ["pending"], ["delivered"], ["devices"], ["devices", "--forget", "a"],
      ["schedule", "--title", "x", "--queue"],
    ] {
      let run = try Run(arguments + ["--broker", url, "--wait", "2s"])
      #expect(run.status == .exited(69), "\(arguments): \(run.text)")
      #expect(run.errors.count == 1 && run.output.isEmpty, "\(arguments): \(run.text)")
    }
  }

  @Test("A broker that never answers ends the wait with 69")
  func silentBroker() throws {
    let forwarder = try Forwarder(to: 0, mode: .silent)
    let started = SystemClock.elapsedMilliseconds
    let run = try Run(["pending", "--broker", forwarder.url, "--wait", "1s"])
    #expect(run.status == .exited(69), "\(run.text)")
    #expect(SystemClock.elapsedMilliseconds - started < 8000)
  }

  @Test(
    "A wrong option ends with 64",
    arguments: [
      ["schedule", "--bogus"], ["schedule", "--title"], ["cancel"], ["cancel", "a", "--all"],
      ["fire"], ["nope"], [],
      ["focus", "on"], ["focus", "desk", "on"], ["backup"], ["restore"], ["doctor", "me"], ["open"],
      ["open", "a://b", "c://d"],
      ["preview"], ["routes"],
      ["routes", "frob"],
      ["pending", "--wait", "soon"], ["relay", "extra"],
      ["schedule", "--title", "x", "--after", "5", "--every", "5"],
    ])
  func wrongOptions(arguments: [String]) throws {
    let run = try Run(arguments)
    #expect(run.status == .exited(64), "\(run.status) \(run.text)")
    #expect(run.output.isEmpty && !run.errors.isEmpty)
  }

  @Test(
    "A request judged bad here ends with 65, before anything is sent",
    arguments: [
      ["schedule", "--title", "x", "--after", "-3"],
      ["schedule", "--title", "x", "--url", "no-scheme"], ["schedule"],
      ["schedule", "--title", "x", "--every", "0"], ["schedule", "--title", "x", "--to", "a/b"],
      ["schedule", "--title", "x", "--level", "loud"], ["schedule", "--title", "x", "--trigger", "{"],
      ["schedule", "--title", "x", "--trigger", #"{"cron":"0 75 * * *"}"#],
      ["schedule", "--title", "x", "--cron", "0 0 31 2 *"],
      ["schedule", "--title", "x", "--at", "tomorrow"],
      ["schedule", "--id", "", "--title", "x"], ["schedule", "--title", "x", "--user-info", "{"],
    ])
  func badHere(arguments: [String]) throws {
    let run = try Run(arguments + ["--broker", "mqtt://127.0.0.1:1"])
    #expect(run.status == .exited(65), "\(run.status) \(run.text)")
  }

  @Test("Options come from the command line, then the environment, then the file")
  func precedence() throws {
    let house = try House()
    let folder = try TemporaryDirectory()
    let config = try folder.write("c.json5", #"{ broker: "\#(house.broker.url)", prefix: "nowhere" }"#)
    let none = try Run(["pending", "--config", config, "--wait", "1s"])
    #expect(none.status == .exited(69), "\(none.text)")
    let environment = try Run(
      ["pending", "--config", config, "--wait", "5s"], environment: ["CARILLON_PREFIX": "carillon"])
    #expect(environment.status == .exited(0), "\(environment.text)")
    let flag = try Run(
      ["pending", "--config", config, "--prefix", "carillon"], environment: ["CARILLON_PREFIX": "elsewhere"])
    #expect(flag.status == .exited(0), "\(flag.text)")
  }

  @Test("Watch prints what happens, a JSON object a line")
  func watch() throws {
    let house = try House()
    let watch = try Program(["watch", "--json", "--broker", house.broker.url])
    try watch.wait(for: "the state") { $0.contains("carillon/relay/state") }
    try house.command(#"{"id":"seen","title":"x","to":"desk"}"#)
    let line = try watch.wait(for: "the notification") { $0.contains("device/desk/notification") }
    #expect(try JSON(line: line)["payload"]?["id"] == "seen")
    watch.signal(SIGINT)
    #expect(try watch.waitForExit(within: .seconds(5)) == .exited(0))
    let text = try Program(["watch", "--broker", house.broker.url])
    try text.wait(for: "a line") { _ in true }
    text.terminate()
    #expect(try text.waitForExit(within: .seconds(5)) == .exited(0))
  }

  // MARK: Without a broker

  private func preview(_ arguments: [String]) throws -> [JSON] {
    let run = try Run(
      ["preview"] + arguments + ["--json"], environment: ["CARILLON_BROKER": "mqtt://127.0.0.1:1"])
    #expect(run.status == .exited(0), "\(run.text)")
    return try run.json
  }

  @Test("Preview prints the next firings, exclusive of its start, five unless told")
  func preview() throws {
    let six = try preview([
      "--every", "6h", "--from", "2036-12-01T08:00", "--timezone", "Europe/Berlin", "--after",
      "2036-12-01T08:00+01:00",
    ])
    #expect(six.count == 5)
    #expect(six.first == ["due": "2036-12-01T14:00:00.000+01:00", "utc": "2036-12-01T13:00:00.000Z"])
    let at = try preview(["--at", "2036-06-10T09:00", "--timezone", "Asia/Tokyo"])
    #expect(at == [["due": "2036-06-10T09:00:00.000+09:00", "utc": "2036-06-10T00:00:00.000Z"]])
    let gap = try preview(["--at", "2036-03-30T02:30", "--timezone", "Europe/Berlin"])
    #expect(gap.first?["utc"] == "2036-03-30T01:00:00.000Z")
    let twice = try preview(["--at", "2036-10-26T02:30", "--timezone", "Europe/Berlin"])
    #expect(twice.first?["utc"] == "2036-10-26T00:30:00.000Z")
    let count = try preview([
      "--trigger", #"{"every":"1d","from":"2036-12-01T08:00","count":2}"#, "--count", "9",
    ])
    #expect(count.count == 2)
    let after = try preview([
      "--trigger", #"{"after":"30m"}"#, "--after", "2036-01-01T00:00Z", "--timezone", "UTC",
    ])
    #expect(after.first?["utc"] == "2036-01-01T00:30:00.000Z")
    let text = try Run(["preview", "--at", "2036-06-10T09:00", "--timezone", "Asia/Tokyo"])
    #expect(text.output == ["2036-06-10T09:00:00+09:00"])
  }

  @Test("Open resolves a link here, and its status says how that went")
  func open() throws {
    let folder = try TemporaryDirectory()
    let kiosk = try Kiosk()
    let routes = try folder.write(
      "routes.json5",
      #"{ routes: [{ link: "app://go/:what", navigate: ["/", "/{what}"], run: ["kiosk-show", "{step}"] }, { link: "app://bad", navigate: ["/bad"], run: ["false"] }] }"#
    )
    func open(_ link: String, _ more: [String] = [], environment: [String: String] = [:]) throws -> Run {
      try Run(
        ["open", link, "--routes", routes] + more, environment: kiosk.environment.merging(environment) { $1 })
    }
    let told = try open("app://go/tea", ["--json"])
    #expect(told.status == .exited(0))
    #expect(try told.json.map { $0["to"]?.text } == ["/", "/tea"])
    #expect(
      try told.json.allSatisfy { $0["event"] == "navigate" && $0["url"] == "app://go/tea" && $0["of"] == 2 })
    #expect(kiosk.log == [])
    let run = try open("app://go/tea", ["--execute"])
    #expect(run.status == .exited(0), "\(run.text)")
    #expect(kiosk.log == ["begin /", "end /", "begin /tea", "end /tea"])
    #expect(try open("app://nowhere").status == .exited(1))
    #expect(try open("app://bad", ["--execute"]).status == .exited(1))
    for denied in [
      "javascript:alert(1)", "JAVASCRIPT:x", "file:///etc/passwd", "other://x", "https://evil.example/",
    ] {
      #expect(try open(denied).status == .exited(65), "\(denied)")
    }
    for bad in ["//x", " app://go/x", "app://go/a b", "app://go/100%", "https://ok.example@evil.example/"] {
      #expect(try open(bad).status == .exited(65), "\(bad)")
    }
    #expect(try open("app://go/tea", environment: ["CARILLON_OPEN": "1"]).status != .exited(0))
    #expect(try open("app://go/-x", ["--execute"]).status == .exited(0))
  }

  @Test("A link that a route opens with carillon open does not go round in circles")
  func circle() throws {
    let folder = try TemporaryDirectory()
    let binary = try Program.carillon()
    let routes = try folder.write(
      "routes.json5",
      #"{ routes: [{ link: "app://round", navigate: ["/"], run: ["\#(binary)", "open", "--", "{url}"] }] }"#)
    let run = try Run(["open", "app://round", "--routes", routes, "--execute"], within: .seconds(20))
    #expect(run.status == .exited(1), "\(run.text)")
  }

  @Test("Routes are checked with the place of each fault, and listed in their order")
  func routes() throws {
    let folder = try TemporaryDirectory()
    let good = try folder.write("good.json5", #"{ routes: [{ link: "a://b", navigate: ["/b"] }] }"#)
    let bad = try folder.write(
      "bad.json5",
      "{ routes: [\n  { link: \"http://:host/x\", navigate: [\"/\"] },\n  { link: \"a://b\", navigate: [\"/{other}\"] } ] }"
    )
    #expect(try Run(["routes", "check", good]).status == .exited(0))
    let check = try Run(["routes", "check", bad])
    #expect(check.status == .exited(78))
    #expect(
      check.text.contains("routes[0].link") && check.text.contains("routes[1].navigate"), "\(check.text)")
    #expect(check.text.contains("line 2") && check.text.contains("line 3"))
    let list = try Run(["routes", "list", "--routes", good])
    #expect(list.status == .exited(0) && list.text.contains("a://b"))
  }

  @Test("Every verb has help with an example, and the version is told")
  func help() throws {
    for verb in [
      "relay", "companion", "schedule", "cancel", "withdraw", "fire", "pause", "resume", "pending",
      "delivered", "devices", "preview",
      "open", "watch", "demo",
    ] {
      let run = try Run([verb, "--help"])
      #expect(
        run.status == .exited(0) && run.text.contains("carillon \(verb)") && run.text.contains("Example"),
        "\(verb)")
    }
    #expect(try Run(["--version"]).output.first?.hasPrefix("carillon ") == true)
    #expect(try Run(["--help"]).status == .exited(0))
  }

}

extension Run {
  /// - Throws: where it did not end with that status.
  func expect(_ code: Int32) throws {
    guard status == .exited(code) else { throw TestFailure("it ended with \(status): \(text)") }
  }
}
