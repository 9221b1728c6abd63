import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Testing

/// A command that is to be refused: what it is, its bytes, and how.
struct BadCommand: CustomTestStringConvertible, Sendable {
  var name: String
  var payload: [UInt8]
  var code: String
  var path: String
  /// What the message must hold.
  var hint: String

  init(_ name: String, _ payload: [UInt8], _ code: String, _ path: String = "", _ hint: String = "") {
    self.name = name
    self.payload = payload
    self.code = code
    self.path = path
    self.hint = hint
  }

  init(_ name: String, _ text: String, _ code: String, _ path: String = "", _ hint: String = "") {
    self.init(name, Array(text.utf8), code, path, hint)
  }

  var testDescription: String { name }
}

@Suite("Bad input", .onOwnThreadWithFewOthers)
struct BadInputTests {
  /// Sends each of them; each gets its code, place and message, in the reply and for administrators; then a good one.
  func expectRefused(_ commands: [BadCommand]) throws {
    let house = try House()
    try house.client.subscribe("carillon/relay/rejected")
    try house.client.subscribe("carillon/device/#")
    for command in commands {
      let reply = try house.ask(command.payload)
      let context = "\(command.name): \(reply.written)"
      #expect(reply["ok"] == false, "\(context)")
      #expect(reply.code == command.code, "\(context)")
      #expect(reply.path == command.path, "\(context)")
      let message = reply["error"]?["message"]?.text ?? ""
      #expect(!message.isEmpty && message.contains(command.hint), "\(context)")
      let rejected = try house.client.waitForMessage(on: "carillon/relay/rejected").json
      #expect(rejected["code"]?.text == command.code, "\(context)")
      #expect(rejected["path"]?.text == command.path, "\(context)")
      #expect(rejected["message"]?.text == message)
      #expect(rejected["topic"] == "carillon/command")
      #expect(rejected["from"] == .null)
      let excerpt = rejected["excerpt"]?.text
      #expect((excerpt != nil) == (command.code == "malformed"), "\(context)")
      #expect((excerpt?.utf8.count ?? 0) <= 200)
    }
    // None of it changed anything, and nothing has been harmed.
    #expect(try house.pending() == [])
    #expect(try house.command(#"{"command":"delivered"}"#)["items"] == [])
    #expect(!house.client.messages.contains { $0.topic.hasSuffix("/notification") })
    try expectGood(house)
  }

  func expectGood(_ house: House) throws {
    try house.command(#"{"id":"good","title":"Good","to":"desk-1"}"#)
    let message = try house.client.waitForMessage(on: "carillon/device/desk-1/notification")
    #expect(try message.json["title"] == "Good")
  }

  @Test("What is not JSON is malformed, with an excerpt")
  func malformed() throws {
    let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
    let deepField = #"{"title":"x","userInfo":\#(deep)}"#
    try expectRefused([
      BadCommand(
        "not UTF-8", Array(#"{"title":"a"#.utf8) + [0xFF, 0xFE] + Array(#""}"#.utf8), "malformed", "", "UTF-8"
      ),
      BadCommand(
        "overlong UTF-8", Array(#"{"title":""#.utf8) + [0xC0, 0xAF] + Array(#""}"#.utf8), "malformed"),
      BadCommand("a lone surrogate", #"{"title":"\ud800"}"#, "malformed"),
      BadCommand("a lone low surrogate", #"{"title":"\udc00x"}"#, "malformed"),
      BadCommand("a brace", "{", "malformed", "", "line 1"),
      BadCommand("a bracket", "[", "malformed"),
      BadCommand(
        "a byte order mark", [0xEF, 0xBB, 0xBF] + Array(#"{"title":"x"}"#.utf8), "malformed", "",
        "byte order mark"),
      BadCommand("a name twice", #"{"title":"x","title":"y"}"#, "malformed", "", "twice"),
      BadCommand("a name twice, inside", #"{"title":"x","trigger":{"after":1,"after":2}}"#, "malformed"),
      BadCommand("nested 10,000 deep", deep, "malformed"),
      BadCommand("nested 10,000 deep in a field", deepField, "malformed"),
      BadCommand("Python notation", "{'title': 'Tea', 'body': None}", "malformed", "", "Python"),
      BadCommand("Python constants", #"{"title": "Tea", "repeats": True}"#, "malformed", "", "Python"),
      BadCommand("NaN", #"{"title":"x","trigger":{"after":NaN}}"#, "malformed"),
      BadCommand("Infinity", #"{"title":"x","trigger":{"after":Infinity}}"#, "malformed"),
      BadCommand("1e999", #"{"title":"x","trigger":{"after":1e999}}"#, "malformed"),
      BadCommand("something after it", #"{"title":"x"} x"#, "malformed"),
      BadCommand("plain words", "turn on the light", "malformed"),
      BadCommand("a control character", "{\"title\":\"a\u{1}\"}", "malformed"),
    ])
  }

  @Test("What is no command is refused with its place")
  func shapes() throws {
    let long = String(repeating: "i", count: 300)
    try expectRefused([
      BadCommand("an empty list", "[]", "invalid"),
      BadCommand("a number", "5", "invalid", "", "object"),
      BadCommand("null", "null", "invalid"),
      BadCommand("an empty object", "{}", "invalid"),
      BadCommand("only an id", #"{"id":"x"}"#, "invalid"),
      BadCommand("an unknown field", #"{"title":"x","titel":"y"}"#, "unknown-field", "titel", "titel"),
      BadCommand(
        "an unknown verb", #"{"command":"shedule","title":"x"}"#, "invalid", "command", "schedule"),
      BadCommand("a verb that is a number", #"{"command":5}"#, "invalid", "command"),
      BadCommand("a number for id", #"{"id":5,"title":"x"}"#, "invalid", "id", "number"),
      BadCommand("an id of 300 bytes", #"{"id":"\#(long)","title":"x"}"#, "invalid", "id", "256"),
      BadCommand("an empty id", #"{"id":"","title":"x"}"#, "invalid", "id"),
      BadCommand("a control character in the id", #"{"id":"a\u0007b","title":"x"}"#, "invalid", "id"),
      BadCommand("NUL in the id", #"{"id":"a\u0000b","title":"x"}"#, "invalid", "id"),
      BadCommand("a number for title", #"{"title":5}"#, "invalid", "title"),
      BadCommand("a list for title", #"{"title":["x"]}"#, "invalid", "title"),
      BadCommand("a level that is none", #"{"title":"x","level":"loud"}"#, "invalid", "level"),
      BadCommand("nine actions", actions(9), "invalid", "actions"),
      BadCommand(
        "an action without a title", #"{"title":"x","actions":[{"id":"a"}]}"#, "invalid", "actions[0].title"),
      BadCommand(
        "an unknown field in an action", #"{"title":"x","actions":[{"id":"a","title":"A","uri":"x:y"}]}"#,
        "unknown-field", "actions[0].uri"),
      BadCommand("a negative revision", #"{"title":"x","id":"a","revision":-1}"#, "invalid", "revision"),
      BadCommand(
        "an enormous revision", #"{"title":"x","id":"a","revision":9007199254740992}"#, "invalid", "revision"),
      BadCommand("a revision in text", #"{"title":"x","id":"a","revision":"1"}"#, "invalid", "revision"),
      BadCommand("an empty key", #"{"title":"x","key":""}"#, "invalid", "key"),
      BadCommand("cancel of nothing", #"{"command":"cancel"}"#, "invalid"),
      BadCommand("cancel of two things", #"{"command":"cancel","ids":["a"],"all":true}"#, "invalid"),
      BadCommand("cancel of all: false", #"{"command":"cancel","all":false}"#, "invalid", "all"),
      BadCommand("cancel by a text", #"{"command":"cancel","ids":"a"}"#, "invalid", "ids"),
      BadCommand(
        "cancel with a title", #"{"command":"cancel","ids":["a"],"title":"x"}"#, "unknown-field", "title"),
      BadCommand("pause by thread", #"{"command":"pause","thread":"a"}"#, "unknown-field", "thread"),
      BadCommand("fire of nothing", #"{"command":"fire"}"#, "invalid", "id"),
      BadCommand("forget of nothing", #"{"command":"forget"}"#, "invalid", "device"),
      BadCommand("a limit of 0", #"{"command":"pending","limit":0}"#, "invalid", "limit"),
      BadCommand("a cursor that is none", #"{"command":"pending","after":"x"}"#, "invalid", "after"),
    ])
  }

  private func actions(_ count: Int) -> String {
    let list = (0..<count).map { #"{"id":"\#($0)","title":"T"}"# }.joined(separator: ",")
    return #"{"title":"x","actions":[\#(list)]}"#
  }

  @Test("Names that could leave their topic are refused, one by one")
  func names() throws {
    let long = String(repeating: "n", count: 70_000 - 5_000)
    let bad = [
      "a/b", "lamp#1", "Temp +1", "#", "+", "$SYS", "", "a\\u0000b", "ü", "a b",
      String(repeating: "n", count: 65),
    ]
    var commands = bad.map {
      BadCommand("a device \($0)", #"{"title":"x","to":["ok","\#($0)"]}"#, "invalid", "to[1]")
    }
    commands += bad.map { BadCommand("one device \($0)", #"{"title":"x","to":"\#($0)"}"#, "invalid", "to") }
    commands += [
      BadCommand("a name of 65,000 letters", #"{"title":"x","to":"\#(long)"}"#, "invalid", "to"),
      BadCommand("forget all", #"{"command":"forget","device":"all"}"#, "invalid", "device", "all"),
      BadCommand("a listing of all", #"{"command":"pending","device":"all"}"#, "invalid", "device"),
      BadCommand("no device", #"{"title":"x","to":[]}"#, "invalid", "to"),
      BadCommand("a number for a device", #"{"title":"x","to":[5]}"#, "invalid", "to[0]"),
    ]
    try expectRefused(commands)
  }

  @Test("Durations that are none are refused with the field")
  func durations() throws {
    let values = [
      "-5", "-0.5", "1e300", "3155760001", #""-5""#, #""NaN""#, #""inf""#, #""1e999""#, #""5 parsecs""#,
      #""""#, "true", "null",
      "{}", #""P1Y""#, #""P1M""#, #""1:99""#, #""99999999999999999999d""#,
    ]
    var commands = values.map {
      BadCommand(
        "after \($0)", #"{"title":"x","trigger":{"after":\#($0)}}"#, "invalid",
        $0 == "null" ? "trigger" : "trigger.after")
    }
    commands += (values + ["0", "-0.0", "1e-9", "0.5", #""0s""#]).map {
      BadCommand(
        "every \($0)", #"{"title":"x","trigger":{"every":\#($0)}}"#, "invalid",
        $0 == "null" ? "trigger" : "trigger.every")
    }
    commands += ["0", "-1", #""soon""#, "4294967296"].map {
      BadCommand("expires \($0)", #"{"title":"x","expires":\#($0)}"#, "invalid", "expires")
    }
    try expectRefused(commands)
  }

  @Test("Times and zones in nonsense are refused with the field")
  func times() throws {
    let times = [
      #""tomorrow""#, #""2026-02-30T10:00""#, #""2026-13-01T10:00""#, #""2026-12-24T25:00""#,
      #""2026-12-24T10:00+99:00""#,
      #""2026-12-24""#, #""""#, "true", "null", "[]", "1e300", #""18:00""#,
    ]
    var commands = times.map {
      BadCommand(
        "at \($0)", #"{"title":"x","trigger":{"at":\#($0)}}"#, "invalid",
        $0 == "null" ? "trigger" : "trigger.at")
    }
    let zones = [
      "Mars/Olympus", "Etc/Unknown", "Not/AZone", "../../etc/passwd", "Europe/../Europe/Berlin",
      "/etc/localtime", "", "posixrules\\u0000",
      "Europe", ".", "Europe/Berlin/",
    ]
    commands += zones.map {
      BadCommand(
        "zone \($0)", #"{"title":"x","timezone":"\#($0)","trigger":{"at":"2036-12-24T18:00"}}"#, "invalid",
        "timezone")
    }
    commands += [
      BadCommand("zone 5", #"{"title":"x","timezone":5}"#, "invalid", "timezone"),
      BadCommand(
        "a time long past", #"{"title":"x","trigger":{"at":"2020-01-01T00:00Z"}}"#, "past", "trigger.at"),
      BadCommand(
        "a time that has expired", #"{"title":"x","expires":"1h","trigger":{"at":"\#(ago(2 * 3600))"}}"#,
        "past", "trigger.at"),
      BadCommand(
        "a rule that is over", #"{"title":"x","trigger":{"every":"1m","until":"2020-01-01T00:00Z"}}"#, "past",
        "trigger.until"),
    ]
    try expectRefused(commands)
  }

  private func ago(_ seconds: Int64) -> String {
    timestamp(utc: WallTime(milliseconds: SystemClock.wallMilliseconds - seconds * 1000))
  }

  @Test("Triggers that are not one, and what has no meaning yet, are refused by name")
  func triggers() throws {
    try expectRefused([
      BadCommand("two kinds", #"{"title":"x","trigger":{"after":5,"every":"1m"}}"#, "invalid", "trigger"),
      BadCommand("no kind", #"{"title":"x","trigger":{}}"#, "invalid", "trigger"),
      BadCommand("a text", #"{"title":"x","trigger":"soon"}"#, "invalid", "trigger"),
      BadCommand("an unknown kind", #"{"title":"x","trigger":{"afer":5}}"#, "unknown-field", "trigger.afer"),
      BadCommand(
        "a text for calendar", #"{"title":"x","trigger":{"calendar":"hour=7"}}"#, "invalid",
        "trigger.calendar"),
      BadCommand(
        "an hour too late", #"{"title":"x","trigger":{"calendar":{"hour":24}}}"#, "invalid",
        "trigger.calendar.hour"),
      BadCommand("a bad cron", #"{"title":"x","trigger":{"cron":"75 * * * *"}}"#, "invalid", "trigger.cron"),
      BadCommand(
        "a bad rrule", #"{"title":"x","trigger":{"rrule":"FREQ=OFTEN"}}"#, "invalid", "trigger.rrule"),
      BadCommand(
        "start beside cron", #"{"title":"x","trigger":{"cron":"@daily","start":0}}"#, "invalid",
        "trigger.start"),
      BadCommand("sun", #"{"title":"x","trigger":{"sun":"sunset"}}"#, "invalid", "trigger.sun"),
      BadCommand(
        "when without a test", #"{"title":"x","trigger":{"when":{"topic":"a"}}}"#, "invalid", "trigger.when"),
      BadCommand(
        "a topic that may not be watched", #"{"title":"x","trigger":{"when":{"topic":"a","equals":1}}}"#,
        "forbidden", "trigger.when.topic"),
      BadCommand(
        "a wildcard", #"{"title":"x","trigger":{"when":{"topic":"a/+","equals":1}}}"#, "invalid",
        "trigger.when.topic"),
      BadCommand(
        "repeats beside after", #"{"title":"x","trigger":{"after":5,"repeats":true}}"#, "invalid",
        "trigger.repeats"),
      BadCommand(
        "repeats in words", #"{"title":"x","trigger":{"every":"1m","repeats":"yes"}}"#, "invalid",
        "trigger.repeats"),
      BadCommand(
        "from beside after", #"{"title":"x","trigger":{"after":5,"from":"2036-01-01T00:00"}}"#, "invalid",
        "trigger.from"),
      BadCommand(
        "a count of 0", #"{"title":"x","trigger":{"every":"1m","count":0}}"#, "invalid", "trigger.count"),
      BadCommand(
        "a fraction for count", #"{"title":"x","trigger":{"every":"1m","count":1.5}}"#, "invalid",
        "trigger.count"),
      BadCommand("a nag without times", #"{"title":"x","nag":{"every":"5m"}}"#, "invalid", "nag.times"),
      BadCommand(
        "a nag that never rests", #"{"title":"x","nag":{"every":0,"times":6}}"#, "invalid", "nag.every"),
      BadCommand(
        "a snooze of no time", #"{"title":"x","actions":[{"id":"l","title":"Later","snooze":0}]}"#, "invalid",
        "actions[0].snooze"),
      BadCommand("focus on nobody", #"{"command":"focus","on":true}"#, "invalid", "devices"),
      BadCommand("focus neither on nor off", #"{"command":"focus","devices":"desk"}"#, "invalid", "on"),
      BadCommand(
        "focus until a time that has passed",
        #"{"command":"focus","devices":"desk","on":true,"until":"2020-01-01T00:00"}"#, "past", "until"),
      BadCommand(
        "focus that is off until",
        #"{"command":"focus","devices":"desk","on":false,"until":"2036-01-01T00:00"}"#,
        "invalid", "until"),
      BadCommand(
        "a command to Home Assistant's phone apps", #"{"message":"request_location_update"}"#, "invalid",
        "message", "phone apps"),
      BadCommand(
        "Home Assistant's form with a bad link", #"{"message":"Hello","data":{"url":"/a{b}"}}"#, "invalid",
        "data.url"),
      BadCommand("a template that was not rendered", "{{ states('sensor.x') }}", "malformed", "", "template"),
      BadCommand("catchUp in other words", #"{"title":"x","catchUp":"some"}"#, "invalid", "catchUp"),
    ])
  }

  @Test("Links of a denied scheme are refused in every disguise, and so are bad links")
  func links() throws {
    let denied = [
      "javascript:alert(1)", "JaVaScript:alert(1)", "file://localhost/secret.txt", "data:text/html,x",
      "smb://host/x",
      "vbscript:x", "ftp://host/x", "ssh://host/", "about:blank", "blob:https://ok.example/x",
      "view-source:https://ok.example/",
      "FILE:///etc/passwd",
    ]
    let bad = [
      " javascript:x", #"java\tscript:x"#, #"java\nscript:x"#, "https://ok.example@evil.example/",
      "//evil.example/x", "myapp://p/100%",
      "https://{bad.example/", "myapp://a b", "https://ok.example/a/../b", "https://ok.example/a/%2e%2e/b",
      "page", "",
      #"https://ok.example/\u0000"#, "--manual", "https://user:secret@ok.example/",
      #"\u0001https://ok.example/"#,
      "myapp://x?{nonsense}", #"https://ok.example\\@evil.example/"#,
    ]
    var commands = denied.map { BadCommand($0, #"{"title":"x","url":"\#($0)"}"#, "forbidden", "url") }
    commands += bad.map { BadCommand("<\($0)>", #"{"title":"x","url":"\#($0)"}"#, "invalid", "url") }
    commands += denied.prefix(3).map {
      BadCommand(
        "an action to \($0)", #"{"title":"x","actions":[{"id":"a","title":"A","url":"\#($0)"}]}"#,
        "forbidden",
        "actions[0].url")
    }
    let long = "myapp://" + String(repeating: "p", count: 8200)
    commands.append(BadCommand("a link of over 8 KiB", #"{"title":"x","url":"\#(long)"}"#, "invalid", "url"))
    try expectRefused(commands)
  }

  @Test("A payload of over 64 KiB is too large, one of 64 KiB is taken")
  func size() throws {
    func payload(_ size: Int) -> [UInt8] {
      let head = Array(#"{"id":"big","to":"desk-1","trigger":{"after":3600},"body":""#.utf8)
      return head + [UInt8](repeating: UInt8(ascii: "b"), count: size - head.count - 2) + Array("\"}".utf8)
    }
    try expectRefused([
      BadCommand("65 KiB", payload(65 * 1024), "too-large"),
      BadCommand("one byte too many", payload(64 * 1024 + 1), "too-large"),
      BadCommand("a megabyte", payload(1_000_000), "too-large"),
    ])
    let house = try House()
    #expect(try house.ask(payload(64 * 1024))["ok"] == true)
    #expect(try house.pending() == ["big"])
  }

  @Test("A message that the broker would not take is refused when it is asked for, not when it is due")
  func brokersLimit() throws {
    let house = try House(configuration: "max_packet_size 20000")
    let body = String(repeating: "b", count: 18_000)
    let reply = try house.ask(
      #"{"id":"big","to":"desk-1","body":"\#(body)","userInfo":"\#(body.prefix(1500))"}"#)
    #expect(reply.code == "too-large", "\(reply.written)")
    #expect(try house.command(#"{"command":"delivered"}"#)["items"] == [])
    #expect(try house.command(#"{"id":"good","to":"desk-1","title":"x"}"#)["ok"] == true)
  }

  @Test("A packet beyond what the relay takes is dropped by the broker, once, and no more comes of it")
  func overThePacketLimit() throws {
    let house = try House()
    try house.client.publish("carillon/command", [UInt8](repeating: UInt8(ascii: "x"), count: 1_200_000))
    try house.command(#"{"id":"good","to":"desk-1","title":"x"}"#)
    #expect(house.relay?.lines(.errors).filter { $0.contains("connected to") }.count == 1)
  }

}
