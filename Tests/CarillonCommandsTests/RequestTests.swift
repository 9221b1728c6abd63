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
      words: ["--title", "x", "--calendar", "hour=7"], beginning: "invalid at trigger.calendar: ",
      marked: "hour=7"),
    Bad(words: ["--title", "x", "--when", "a=b"], beginning: "invalid at trigger.when: ", marked: "a=b"),
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

  @Test func aRefusalIsAnObjectForPrograms() {
    let run = Run("schedule", "--title", "x", "--after", "soon", "--json")
    #expect(run.status == 65)
    #expect(run.output.count == 1)
    #expect(
      run.output.first?.hasPrefix(
        #"{"ok":false,"command":"schedule","error":{"code":"invalid","path":"trigger.after","#) == true)
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
