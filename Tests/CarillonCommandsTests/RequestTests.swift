import CarillonModel
import CarillonTestSupport
import Testing

@testable import CarillonCommands

@Suite struct RequestTests {
  private func settings(_ words: [String], _ verb: CommandLineVerb = Schedule.verb) throws -> Settings {
    try Settings(
      table: verb.options, words: try OptionParser(table: verb.options).parse(words), environment: [:],
      configuration: .empty)
  }

  private func request(_ words: String...) throws -> String {
    JSON.object(try ContentOptions.request(try settings(words))).encodedText
  }

  @Test func contentBecomesTheFieldsOfARequest() throws {
    #expect(
      try request(
        "--id", "bins", "--to", "kitchen", "--to", "upstairs", "--title", "Bins", "--subtitle", "s", "--body",
        "b",
        "--url", "home://bins?due={due}", "--sound", "default", "--image", "i", "--thread", "t", "--category",
        "c",
        "--level", "passive", "--badge", "3", "--user-info", #"{"a":[1]}"#, "--timezone", "Europe/Berlin",
        "--expires", "2h", "--catch-up", "all", "--revision", "7")
        == #"{"command":"schedule","id":"bins","to":["kitchen","upstairs"],"title":"Bins","subtitle":"s","body":"b","#
        + #""url":"home://bins?due={due}","sound":"default","image":"i","thread":"t","category":"c","level":"passive","#
        + #""badge":3,"userInfo":{"a":[1]},"timezone":"Europe/Berlin","expires":"2h","catchUp":"all","revision":7}"#
    )
  }

  @Test func actionsHaveAnIdATitleAndALink() throws {
    #expect(
      try request(
        "--title", "x", "--action", "done=Done", "--action", "map=Where?=https://e.example/?a=b=c",
        "--action", "bad")
        == #"{"command":"schedule","title":"x","actions":[{"id":"done","title":"Done"},"#
        + #"{"id":"map","title":"Where?","url":"https://e.example/?a=b=c"},{"id":"bad"}]}"#)
  }

  @Test func aNagAndSnoozesHaveOptions() throws {
    #expect(
      try request(
        "--title", "x", "--action", "a=A", "--snooze", "10m", "--snooze", "1h30m", "--nag",
        "every=5m  times=6 then=bedroom,hall")
        == #"{"command":"schedule","title":"x","actions":[{"id":"a","title":"A"},"#
        + #"{"id":"snooze","title":"In 10 min","snooze":"10m"},{"id":"snooze-2","title":"In 90 min","snooze":"1h30m"}],"#
        + #""nag":{"every":"5m","times":6,"then":["bedroom","hall"]}}"#)
    #expect(
      try request("--title", "x", "--nag", "every=5m")
        == #"{"command":"schedule","title":"x","nag":{"every":"5m"}}"#)
  }

  @Test(arguments: ["evry=5m", "every", "every=5m every=6m", "5m"]) func aNagThatIsNoneIsRefused(
    _ text: String
  ) {
    #expect(throws: Refusal.self) { try request("--title", "x", "--nag", text) }
  }

  struct Trigger: Sendable, CustomTestStringConvertible {
    let words: [String]
    let json: String
    var testDescription: String { words.joined(separator: " ") }
  }

  static let triggers = [
    Trigger(words: ["--after", "30m"], json: #"{"after":"30m"}"#),
    Trigger(words: ["--at", "2026-12-24T18:00"], json: #"{"at":"2026-12-24T18:00"}"#),
    Trigger(
      words: [
        "--every", "6h", "--from", "2026-12-01T08:00", "--count-limit", "3", "--until", "2027-01-01T00:00",
      ],
      json: #"{"every":"6h","from":"2026-12-01T08:00","count":3,"until":"2027-01-01T00:00"}"#),
    Trigger(
      words: ["--trigger", #"{"every":3600}"#, "--count-limit", "2"], json: #"{"every":3600,"count":2}"#),
    Trigger(words: ["--trigger", "[1]"], json: "[1]"),
    Trigger(words: ["--cron", "30 7 * * *"], json: #"{"cron":"30 7 * * *"}"#),
    Trigger(
      words: ["--rrule", "FREQ=DAILY", "--start", "s", "--except", "a", "--except", "b"],
      json: #"{"rrule":"FREQ=DAILY","start":"s","except":["a","b"]}"#),
    Trigger(
      words: ["--sun", "sunset", "--offset", "-30m", "--repeats"],
      json: #"{"sun":"sunset","offset":"-30m","repeats":true}"#),
    Trigger(
      words: ["--calendar", "weekday=mon,friday hour=7  minute=30", "--repeats"],
      json: #"{"calendar":{"weekday":["mon","fri"],"hour":7,"minute":30},"repeats":true}"#),
    Trigger(words: ["--calendar", "weekday=tue nth=-1"], json: #"{"calendar":{"weekday":"tue","nth":-1}}"#),
    // The topic ends at the first equals sign; values are texts, which the relay compares with numbers too.
    Trigger(words: ["--when", "a/b=c=d"], json: #"{"when":{"topic":"a/b","equals":"c=d"}}"#),
    Trigger(words: ["--when", "a=21.5"], json: #"{"when":{"topic":"a","equals":"21.5"}}"#),
    Trigger(words: ["--when", "a="], json: #"{"when":{"topic":"a","equals":""}}"#),
    // The mark that the equals sign carries makes no other character of it.
    Trigger(words: ["--when", "a=\u{338}"], json: #"{"when":{"topic":"a","equals":"\#u{338}"}}"#),
    Trigger(
      words: ["--trigger", #"{"calendar":{"hour":7}}"#, "--repeats", "--count-limit", "2"],
      json: #"{"calendar":{"hour":7},"repeats":true,"count":2}"#),
    Trigger(words: ["--every", "1h", "--count-limit", "many"], json: #"{"every":"1h","count":"many"}"#),
  ]

  @Test(arguments: triggers) func optionsBecomeATrigger(_ trigger: Trigger) throws {
    #expect(try TriggerOptions.trigger(try settings(trigger.words))?.encodedText == trigger.json)
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    let words: [String]
    /// The first line on standard error begins so, behind the verb.
    let beginning: String
    /// What the caret stands under.
    var marked: String?
    var testDescription: String { words.joined(separator: " ") }
  }

  /// Nothing of this needs a broker: the address leads nowhere, and is never asked.
  static let bad = [
    Bad(words: ["--body", ""], beginning: "invalid: a request needs at least one of title, body and url"),
    Bad(
      words: ["--title", "x", "--after", "soon"],
      beginning: "invalid at trigger.after: \"soon\" is not a duration", marked: "soon"),
    Bad(words: ["--title", "x", "--after", "-5"], beginning: "invalid at trigger.after: ", marked: "-5"),
    Bad(words: ["--title", "x", "--every", "0.5s"], beginning: "invalid at trigger.every: ", marked: "0.5s"),
    Bad(
      words: ["--title", "x", "--at", "tomorrow"], beginning: "invalid at trigger.at: ", marked: "tomorrow"),
    Bad(
      words: ["--title", "x", "--every", "1h", "--count-limit", "0"], beginning: "invalid at trigger.count: ",
      marked: "0"),
    Bad(
      words: ["--title", "x", "--after", "1h", "--until", "2027-01-01T00:00"],
      beginning: "invalid at trigger.until: ", marked: "2027-01-01T00:00"),
    Bad(
      words: ["--title", "x", "--sun", "moonrise"], beginning: "invalid at trigger.sun: ",
      marked: "moonrise"),
    Bad(
      words: ["--title", "x", "--calendar", "hour=7 hour=8"],
      beginning: "invalid at trigger.calendar: hour is given twice", marked: "hour=8"),
    Bad(
      words: ["--title", "x", "--calendar", "day=30 month=2"],
      beginning: "never at trigger.calendar: 30 February does not exist", marked: "day=30 month=2"),
    Bad(
      words: ["--title", "x", "--cron", "0 75 * * *"],
      beginning: "invalid at trigger.cron: hour 75 is not within 0-23", marked: "75"),
    Bad(
      words: ["--title", "x", "--cron", "0 0 31 2 *"],
      beginning: "never at trigger.cron: 31 February does not exist", marked: "0 0 31 2 *"),
    Bad(
      words: ["--title", "x", "--rrule", "FREQ=WEEKLY;BYDAY=MI"], beginning: "invalid at trigger.rrule: ",
      marked: "MI"),
    Bad(
      words: [
        "--title", "x", "--rrule", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "--start", "2027-01-01T08:00",
      ],
      beginning: "never at trigger.rrule: 30 February does not exist",
      marked: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"),
    Bad(
      words: ["--title", "x", "--rrule", "FREQ=DAILY", "--except", "2027-01-01T08:00", "--except", "never"],
      beginning: "invalid at trigger.except[1]: \"never\" is not a time", marked: "never"),
    Bad(
      words: ["--title", "x", "--sun", "noon", "--offset", "-25h"], beginning: "invalid at trigger.offset: ",
      marked: "-25h"),
    Bad(
      words: ["--title", "x", "--when", "a/b"],
      beginning: "invalid at trigger.when: write TOPIC=VALUE", marked: "a/b"),
    Bad(
      words: ["--title", "x", "--when", "a/#=b"], beginning: "invalid at trigger.when.topic: ",
      marked: "a/#=b"),
    Bad(
      words: ["--title", "x", "--cron", "@daily", "--repeats"],
      beginning: "invalid at trigger.repeats: cron repeats by nature", marked: "--repeats"),
    Bad(
      words: ["--title", "x", "--cron", "@daily", "--offset", "1h"],
      beginning: "invalid at trigger.offset: offset belongs to sun", marked: "1h"),
    Bad(words: ["--title", "x", "--repeats"], beginning: "invalid at trigger: a trigger needs one of "),
    Bad(
      words: ["--title", "x", "--trigger", "{after:1}"], beginning: "malformed at trigger: ",
      marked: "{after:1}"),
    Bad(
      words: ["--title", "x", "--to", "desk", "--to", "a/b"],
      beginning: "invalid at to[1]: \"a/b\" is not a name", marked: "a/b"),
    Bad(words: ["--title", "x", "--url", "no link"], beginning: "invalid at url: ", marked: "no link"),
    Bad(
      words: ["--title", "x", "--url", "a://{b}"], beginning: "invalid at url: braces stand around",
      marked: "a://{b}"),
    Bad(
      words: ["--title", "x", "--action", "a=A", "--action", "b=B=%zz"],
      beginning: "invalid at actions[1].url: ", marked: "b=B=%zz"),
    Bad(
      words: ["--title", "x", "--level", "loud"], beginning: "invalid at level: \"loud\" is none of",
      marked: "loud"),
    Bad(words: ["--title", "x", "--badge", "many"], beginning: "invalid at badge: ", marked: "many"),
    Bad(
      words: ["--title", "x", "--user-info", "{'a'}"], beginning: "malformed at userInfo: ", marked: "{'a'}"),
    Bad(
      words: ["--title", "x", "--id", String(repeating: "i", count: 257)],
      beginning: "invalid at id: 257 bytes"),
    Bad(words: ["--title", "x", "--key", ""], beginning: "invalid at key: "),
    Bad(words: ["--title", "x", "--expires", "0"], beginning: "invalid at expires: ", marked: "0"),
    Bad(words: ["--title", "x", "--publisher", "a/b"], beginning: "--publisher: \"a/b\" is not a name"),
    Bad(words: ["--body", String(repeating: "b", count: 65_536)], beginning: "too-large: "),
  ]

  @Test(arguments: bad) func aBadRequestIsJudgedHere(_ bad: Bad) throws {
    let run = Run(["schedule", "--broker", "mqtt://127.0.0.1:1"] + bad.words)
    #expect(run.status == 65)
    #expect(run.output.isEmpty)
    let first = try #require(run.errors.first)
    #expect(first.hasPrefix("carillon schedule: " + bad.beginning), "\(first)")
    if let marked = bad.marked {
      try #require(run.errors.count == 3)
      let text = run.errors[1]
      let marks = run.errors[2]
      let start = marks.prefix { $0 == " " }.count
      let under = String(text.dropFirst(start).prefix(marks.count - start))
      #expect(under == marked)
    }
  }

  @Test(arguments: ["after", "calendar", "cron", "when", "trigger"]) func aRefusalIsAnObjectForPrograms(
    _ option: String
  ) {
    let run = Run("schedule", "--title", "x", "--\(option)", "soon", "--json")
    #expect(run.status == 65)
    #expect(run.output.count == 1)
    let code = option == "trigger" ? "malformed" : "invalid"
    let path = option == "trigger" ? "trigger" : "trigger.\(option)"
    #expect(
      run.output.first?.hasPrefix(
        #"{"ok":false,"command":"schedule","error":{"code":"\#(code)","path":"\#(path)","#) == true)
  }

  /// What depends on the relay's place, zone, clock or topics is not judged without it.
  @Test(arguments: [
    #"{"sun":"sunset","repeats":true}"#, #"{"when":{"topic":"home/phone","equals":"home"}}"#,
    #"{"at":"2020-01-01T00:00"}"#, #"{"cron":"* * * * *","until":"2020-01-01T00:00"}"#,
    #"{"calendar":{"year":2020}}"#, #"{"rrule":"FREQ=DAILY;UNTIL=20200101"}"#,
    #"{"rrule":"FREQ=DAILY;COUNT=1","start":"2020-01-01T00:00"}"#,
    // The last minute of February in one zone is March in another.
    #"{"rrule":"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30","start":"2027-02-28T23:59Z"}"#,
  ])
  func whatOnlyTheRelayKnowsIsLeftToIt(_ trigger: String) throws {
    for zone in ["", #","timezone":"Mars/Olympus""#] {
      try CommandBatch(parsing: Array(#"{"title":"x","trigger":\#(trigger)\#(zone)}"#.utf8)).check()
    }
  }

  @Test func aRuleInAListIsJudgedWithItsPlace() throws {
    let list = #"[{"title":"x"},{"title":"y","trigger":{"cron":"0 0 31 2 *"}}]"#
    let refusal = try #require(throws: Refusal.self) {
      try CommandBatch(parsing: Array(list.utf8)).check()
    }
    #expect(refusal == Refusal(.never, at: "[1].trigger.cron", "31 February does not exist"))
  }

  @Test func aRequestFromStandardInputIsPassedOnAndJudged() {
    var place = Run.Place()
    for (text, beginning) in [
      ("{'title': 'x'}", "malformed: this is Python notation"),
      ("[]", "invalid: an empty list holds no command"),
      ("7", "invalid: a command is an object, not a number"), ("", "malformed: "),
      (#"{"title":"x","tittle":"y"}"#, "unknown-field at tittle: "),
      (#"[{"title":"x"},{"title":"y","trigger":{"after":-1}}]"#, "invalid at [1].trigger.after: "),
      (#"{"command":"cancel","id":"x"}"#, "unknown-field at id: "),
    ] {
      place.input = Array(text.utf8)
      let run = Run("schedule", "--request", "-", at: place)
      #expect(run.status == 65, "\(text)")
      #expect(run.errors.first?.hasPrefix("carillon schedule: " + beginning) == true, "\(run.errors)")
    }
  }

  @Test func aRequestFileThatIsMissingIsNamed() {
    let run = Run("schedule", "--request", "/nonexistent.json")
    #expect(run.status == 1)
    #expect(run.errors == ["carillon schedule: there is no file /nonexistent.json"])
  }

  @Test func everyCommandCarriesAKey() throws {
    var batch = try CommandBatch(
      parsing: Array(#"[{"title":"x"},{"title":"y","key":"own"},{"title":"z"}]"#.utf8))
    batch.addKeys("k")
    #expect(
      String(decoding: batch.payload(), as: UTF8.self)
        == #"[{"title":"x","key":"k-1"},{"title":"y","key":"own"},{"title":"z","key":"k-3"}]"#)
    var one = CommandBatch([["title": "x"]])
    one.addKeys(nil)
    let key = try #require(one.key)
    #expect(key.count == 32)
    var other = CommandBatch([["title": "x"]])
    other.addKeys(nil)
    #expect(other.key != key)
    #expect(
      String(decoding: one.payload(replyTo: "carillon/reply/x"), as: UTF8.self).hasSuffix(
        #""replyTo":"carillon/reply/x"}"#))
  }

  @Test func selectionsBecomeCommands() throws {
    func command(_ verb: CommandLineVerb, _ words: String...) throws -> String {
      let parsed = try OptionParser(table: verb.options).parse(words)
      let settings = try Settings(table: verb.options, words: parsed, environment: [:], configuration: .empty)
      let surroundings = Surroundings(
        environment: [:], console: Console { _, _ in true }, now: { WallTime(milliseconds: 0) })
      let call = Invocation(
        verb: verb, settings: settings, operands: parsed.operands, surroundings: surroundings)
      return JSON.object(try Marks.command(verb.name, call)).encodedText
    }
    #expect(try command(Cancel.verb, "a", "b") == #"{"command":"cancel","ids":["a","b"]}"#)
    #expect(try command(Withdraw.verb, "--thread", "t") == #"{"command":"withdraw","thread":"t"}"#)
    #expect(try command(Pause.verb, "--all") == #"{"command":"pause","all":true}"#)
  }
}
