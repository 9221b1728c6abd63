import Testing

@testable import CarillonModel

@Suite struct TriggerRefusalTests {
  struct Bad: Sendable, CustomTestStringConvertible {
    var text: String
    var path: String
    /// A part of the message.
    var says: String
    var code: RefusalCode

    init(_ text: String, _ path: String, _ says: String, _ code: RefusalCode = .invalid) {
      (self.text, self.path, self.says, self.code) = (text, path, says, code)
    }

    var testDescription: String { String(text.prefix(100)) }
  }

  private static func expect(_ bad: Bad) throws {
    let value = try JSON(parsing: Array(bad.text.utf8))
    let refusal = #expect(throws: Refusal.self) { try Trigger.read(value, at: "trigger") }
    #expect(refusal?.code == bad.code)
    #expect(refusal?.path == "trigger" + bad.path)
    #expect(refusal?.message.contains(bad.says) == true, "\(refusal?.message ?? "")")
  }

  private static let kinds = "after, every, at, calendar, cron, rrule, sun, when"

  static let kind = [
    Bad("5", "", "expected an object, got a number"), Bad("{}", "", "a trigger needs one of \(kinds)"),
    Bad(#"{"cron":null}"#, "", "a trigger needs one of \(kinds)"),
    Bad(#"{"repeats":true}"#, "", "a trigger needs one of \(kinds)"),
    Bad(#"{"cron":"@daily","sun":"noon"}"#, "", "exactly one kind of trigger, not cron and sun"),
    Bad(#"{"calender":{}}"#, ".calender", "did you mean \"calendar\"?", .unknownField),
    Bad(#"{"cron":5}"#, ".cron", "expected a text, got a number"),
    Bad(#"{"cron":["@daily"]}"#, ".cron", "expected a text, got a list"),
    Bad(#"{"cron":""}"#, ".cron", "must not be empty"),
    Bad(
      #"{"cron":"\#(String(repeating: "*", count: 1001))"}"#, ".cron", "1001 bytes; at most 1000 are taken"),
    Bad(#"{"rrule":{}}"#, ".rrule", "expected a text, got an object"),
    Bad(#"{"rrule":""}"#, ".rrule", "must not be empty"),
    Bad(
      #"{"rrule":"\#(String(repeating: "é", count: 501))"}"#, ".rrule", "1002 bytes; at most 1000 are taken"),
    Bad(#"{"calendar":"hour=7"}"#, ".calendar", "expected an object, got a text"),
    Bad(#"{"calendar":{"weekday":1}}"#, ".calendar.weekday", "weekdays are names"),
    Bad(#"{"calendar":{"hour":[7,24]}}"#, ".calendar.hour[1]", "hour 24 is not within 0 to 23"),
    Bad(#"{"sun":"moonrise"}"#, ".sun", "\"moonrise\" is none of sunrise, sunset, dawn, dusk, noon"),
    Bad(#"{"sun":true}"#, ".sun", "expected a text, got true or false"),
    Bad(#"{"when":"home/phone=home"}"#, ".when", "expected an object, got a text"),
  ]

  static let companion = [
    Bad(#"{"every":5,"repeats":true}"#, ".repeats", "every repeats by nature; leave repeats out"),
    Bad(#"{"cron":"@daily","repeats":false}"#, ".repeats", "cron repeats by nature; leave repeats out"),
    Bad(#"{"rrule":"FREQ=DAILY","repeats":true}"#, ".repeats", "rrule repeats by nature"),
    Bad(
      #"{"after":5,"repeats":true}"#, ".repeats",
      "repeats belongs to calendar, sun and when; after fires once"),
    Bad(#"{"at":0,"repeats":false}"#, ".repeats", "at fires once"),
    Bad(#"{"calendar":{"hour":7},"repeats":"yes"}"#, ".repeats", "expected true or false, got a text"),
    Bad(#"{"sun":"noon","repeats":1}"#, ".repeats", "expected true or false, got a number"),
    Bad(#"{"cron":"@daily","from":0}"#, ".from", "from belongs to every"),
    Bad(#"{"cron":"@daily","start":0}"#, ".start", "start belongs to rrule"),
    Bad(#"{"every":5,"except":[]}"#, ".except", "except belongs to rrule"),
    Bad(#"{"calendar":{"hour":7},"offset":"5m"}"#, ".offset", "offset belongs to sun"),
    Bad(#"{"cron":"@daily","weekday":"fri"}"#, ".weekday", "weekday belongs to sun"),
    Bad(#"{"sun":"noon","repeats":true,"holdoff":5}"#, ".holdoff", "holdoff belongs to when"),
    Bad(#"{"when":{"topic":"a","equals":1},"for":5}"#, ".for", "for stands inside when", .unknownField),
    Bad(#"{"topic":"a","equals":1}"#, ".topic", "topic stands inside when", .unknownField),
    Bad(#"{"rrule":"FREQ=DAILY","start":"soon"}"#, ".start", "is not a time"),
    Bad(#"{"rrule":"FREQ=DAILY","start":1e300}"#, ".start", "within the years 0001 to 9999"),
    Bad(#"{"rrule":"FREQ=DAILY","except":"2026-01-01T00:00"}"#, ".except", "expected a list, got a text"),
    Bad(#"{"rrule":"FREQ=DAILY","except":[0,{}]}"#, ".except[1]", "expected a time"),
    Bad(#"{"sun":"noon","weekday":5}"#, ".weekday", "weekdays are names"),
    Bad(#"{"sun":"noon","weekday":["fri","fry"]}"#, ".weekday[1]", "\"fry\" is not a weekday"),
    Bad(#"{"sun":"noon","weekday":[]}"#, ".weekday", "an empty list never matches"),
    Bad(#"{"sun":"noon","weekday":[["fri"]]}"#, ".weekday[0]", "expected the name of a weekday"),
    Bad(
      #"{"when":{"topic":"a","equals":1},"holdoff":5}"#, ".holdoff",
      "this one fires once; add repeats: true, or leave it out"),
    Bad(#"{"when":{"topic":"a","equals":1},"repeats":true,"holdoff":0}"#, ".holdoff", "longer than zero"),
  ]

  static let offset = [
    Bad(#"{"sun":"noon","offset":"soon"}"#, ".offset", "is not a duration"),
    Bad(#"{"sun":"noon","offset":"--5m"}"#, ".offset", "has two signs"),
    Bad(#"{"sun":"noon","offset":"+-5"}"#, ".offset", "has two signs"),
    Bad(#"{"sun":"noon","offset":"-"}"#, ".offset", "is not a duration"),
    Bad(#"{"sun":"noon","offset":""}"#, ".offset", "is not a duration"),
    Bad(#"{"sun":"noon","offset":"NaN"}"#, ".offset", "is not a duration"),
    Bad(#"{"sun":"noon","offset":"-inf"}"#, ".offset", "is not a duration"),
    Bad(#"{"sun":"noon","offset":"-1e999"}"#, ".offset", "longer than 100 years"),
    Bad(#"{"sun":"noon","offset":true}"#, ".offset", "expected a duration such as \"-30m\""),
    Bad(#"{"sun":"noon","offset":"24h0.001s"}"#, ".offset", "at most 24h, before or after"),
    Bad(#"{"sun":"noon","offset":-86400.001}"#, ".offset", "at most 24h, before or after"),
    Bad(#"{"sun":"noon","offset":-9223372036854775808}"#, ".offset", "longer than 100 years"),
    Bad(#"{"sun":"noon","offset":-1e308}"#, ".offset", "longer than 100 years"),
  ]

  static let ending = [
    Bad(#"{"after":5,"count":2}"#, ".count", "count ends a repeating trigger; this one fires once"),
    Bad(
      #"{"calendar":{"hour":7},"count":2}"#, ".count",
      "this one fires once; add repeats: true, or leave it out"),
    Bad(#"{"sun":"noon","until":0}"#, ".until", "until ends a repeating trigger; this one fires once; add"),
    Bad(#"{"at":0,"until":0}"#, ".until", "until ends a repeating trigger; this one fires once"),
    Bad(#"{"cron":"@daily","count":0}"#, ".count", "0 is not within 1 to"),
    Bad(#"{"cron":"@daily","count":1e300}"#, ".count", "expected a whole number"),
    Bad(#"{"cron":"@daily","count":"3"}"#, ".count", "expected a whole number, got a text"),
    Bad(#"{"cron":"@daily","until":"later"}"#, ".until", "is not a time"),
  ]

  @Test(arguments: kind) func whatIsNoTriggerIsRefused(_ bad: Bad) throws { try Self.expect(bad) }
  @Test(arguments: companion) func aFieldStandsOnlyWhereItBelongs(_ bad: Bad) throws { try Self.expect(bad) }
  @Test(arguments: offset) func anOffsetIsADurationOfADay(_ bad: Bad) throws { try Self.expect(bad) }
  @Test(arguments: ending) func anEndIsForWhatRepeats(_ bad: Bad) throws { try Self.expect(bad) }

  @Test func anExpressionHasAtMostAThousandBytes() throws {
    let text = String(repeating: "*", count: 1000)
    #expect(try Trigger.read(["cron": .string(text)], at: "trigger").kind == .cron(text))
  }
}
