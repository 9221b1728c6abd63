import Testing

@testable import CarillonCommands

/// Where a rule's own text is at fault, the marks stand under that part of it.
@Suite struct CaretTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let words: [String]
    /// Everything on standard error.
    let errors: [String]
    var testDescription: String { words.joined(separator: " ") }

    init(_ words: String..., errors: [String]) {
      (self.words, self.errors) = (words, errors)
    }
  }

  static let cases = [
    Case(
      "--cron", "0 75 * * *",
      errors: [
        "carillon preview: invalid at trigger.cron: hour 75 is not within 0-23",
        "  --cron 0 75 * * *",
        "           ^^",
      ]),
    Case(
      "--cron", "0 0 31 2 *",
      errors: [
        "carillon preview: never at trigger.cron: 31 February does not exist",
        "  --cron 0 0 31 2 *",
        "         ^^^^^^^^^^",
      ]),
    // Something is missing behind the last character.
    Case(
      "--cron", "0 7 * *",
      errors: [
        "carillon preview: invalid at trigger.cron: a cron expression has five fields; missing at the end: day of week",
        "  --cron 0 7 * *",
        "                ^",
      ]),
    // A letter of two bytes is one column.
    Case(
      "--cron", "0 0 1 jän *",
      errors: [
        "carillon preview: invalid at trigger.cron: \"jän\" is no month",
        "  --cron 0 0 1 jän *",
        "               ^^^",
      ]),
    // What a terminal would obey is shown as an escape, and marked at its full width.
    Case(
      "--cron", "0 \u{1B}7 * * *",
      errors: [
        "carillon preview: invalid at trigger.cron: hour is a number, not \"\\u{1b}7\"",
        "  --cron 0 \\u{1b}7 * * *",
        "           ^^^^^^^",
      ]),
    Case(
      "--calendar", "weekday=mon,fry hour=7",
      errors: [
        "carillon preview: invalid at trigger.calendar: \"fry\" is not a weekday: mon tue wed thu fri sat sun",
        "  --calendar weekday=mon,fry hour=7",
        "                         ^^^",
      ]),
    Case(
      "--calendar", "hour= minute=30",
      errors: [
        "carillon preview: invalid at trigger.calendar: a value of hour is missing here",
        "  --calendar hour= minute=30",
        "                  ^",
      ]),
    Case(
      "--calendar", "",
      errors: [
        "carillon preview: invalid at trigger.calendar: a calendar needs at least one of year, month, day, hour, minute, second, weekday",
        "  --calendar ",
        "             ^",
      ]),
    Case(
      "--rrule", "FREQ=MONTHLY;BYDAY=MO,-1FX",
      errors: [
        "carillon preview: invalid at trigger.rrule: \"-1FX\" is no weekday; they are MO, TU, WE, TH, FR, SA and SU",
        "  --rrule FREQ=MONTHLY;BYDAY=MO,-1FX",
        "                                ^^^^",
      ]),
    // The place is one of the rule's text, not of the JSON around it.
    Case(
      "--trigger", #"{"cron":"0 75 * * *"}"#,
      errors: [
        "carillon preview: invalid at trigger.cron: hour 75 is not within 0-23",
        #"  --trigger {"cron":"0 75 * * *"}"#,
        "            ^^^^^^^^^^^^^^^^^^^^^",
      ]),
    // The preview's own option of that name is something else.
    Case(
      "--trigger", #"{"after":"soon"}"#, "--after", "2027-01-01T00:00Z",
      errors: [
        "carillon preview: invalid at trigger.after: \"soon\" is not a duration; write seconds, or a text such as \"90s\", \"1h30m\", \"0:01:30\" or \"PT30M\"",
        #"  --trigger {"after":"soon"}"#,
        "            ^^^^^^^^^^^^^^^^",
      ]),
    Case(
      "--every", "1h", "--repeats",
      errors: [
        "carillon preview: invalid at trigger.repeats: every repeats by nature; leave repeats out, and end it with count or until",
        "  --repeats",
        "  ^^^^^^^^^",
      ]),
  ]

  @Test(arguments: cases) func theMarksStandUnderThePartAtFault(_ test: Case) {
    let run = Run(["preview"] + test.words)
    #expect(run.status == 65)
    #expect(run.output.isEmpty)
    #expect(run.errors == test.errors)
  }

  @Test func aLongTextIsCutAroundThePartAtFault() throws {
    let minutes = (0..<60).map(String.init).joined(separator: ",")
    let run = Run("preview", "--cron", "\(minutes),60 \(minutes) * * *")
    #expect(run.status == 65)
    try #require(run.errors.count == 3)
    let marks = run.errors[2]
    let start = marks.prefix { $0 == " " }.count
    #expect(run.errors[1].dropFirst(start).prefix(marks.count - start) == "60")
    #expect(run.errors[1].count <= 78)
  }

  @Test func aTextThatComesFromTheEnvironmentIsShownToo() {
    var place = Run.Place()
    place.environment["CARILLON_CRON"] = "@dayly"
    let run = Run("preview", at: place)
    #expect(run.status == 65)
    #expect(run.errors.suffix(2) == ["  --cron @dayly", "         ^^^^^^"])
  }
}
