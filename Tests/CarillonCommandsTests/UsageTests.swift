import Testing

@testable import CarillonCommands

@Suite struct UsageTests {
  struct Slip: Sendable, CustomTestStringConvertible {
    let words: [String]
    let message: String
    var testDescription: String { words.joined(separator: " ") }
  }

  static let slips = [
    Slip(words: ["schedul"], message: "carillon: there is no verb schedul; did you mean schedule?"),
    Slip(words: ["frobnicate"], message: "carillon: there is no verb frobnicate; carillon --help lists them"),
    Slip(words: ["help", "cancle"], message: "carillon: there is no verb cancle; did you mean cancel?"),
    Slip(
      words: ["schedule", "--titel", "x"],
      message: "carillon schedule: there is no option --titel; did you mean --title?"),
    Slip(
      words: ["schedule", "--titel=x"],
      message: "carillon schedule: there is no option --titel; did you mean --title?"),
    Slip(
      words: ["schedule", "--tit", "x"],
      message: "carillon schedule: there is no option --tit; did you mean --title?"),
    Slip(words: ["cancel", "-abc"], message: "carillon cancel: there is no option -abc"),
    Slip(words: ["cancel", "x", "-c"], message: "carillon cancel: there is no option -c"),
    Slip(words: ["schedule", "--title"], message: "carillon schedule: --title TEXT needs an argument"),
    Slip(words: ["watch", "--json=1"], message: "carillon watch: --json takes no argument"),
    Slip(
      words: ["watch", "now"],
      message: "carillon watch: what is \"now\"? carillon help watch says what it takes"),
    Slip(words: ["open"], message: "carillon open: URL is missing; carillon help open has examples"),
    Slip(words: ["fire"], message: "carillon fire: ID… is missing; carillon help fire has examples"),
    Slip(words: ["routes"], message: "carillon: routes is followed by check or list or install or uninstall"),
    Slip(
      words: ["routes", "frob", "x"],
      message: "carillon: routes is followed by check or list or install or uninstall, not frob"
    ),
    Slip(
      words: ["attach"], message: "carillon attach: SCHEME… is missing; carillon help attach has examples"),
    Slip(words: ["device"], message: "carillon: device is followed by authorize or deny"),
    Slip(words: ["cancel"], message: "carillon cancel: name the requests: ids, --thread or --all"),
    Slip(words: ["cancel", "x", "--all"], message: "carillon cancel: give ids or --all, not both"),
    Slip(words: ["pause"], message: "carillon pause: name the requests: ids or --all"),
    Slip(words: ["--prefix", "p", "open", "x"], message: "carillon open: open has no option --prefix"),
    Slip(
      words: ["preview", "--every", "1h", "--at", "2027-01-01T00:00"],
      message: "carillon preview: give one of --at and --every, not both"),
    Slip(
      words: ["schedule", "--title", "x", "--cron", "@daily", "--when", "a=b"],
      message: "carillon schedule: give one of --cron and --when, not both"),
    Slip(
      words: ["preview", "--sun", "noon", "--trigger", "{}"],
      message: "carillon preview: give one of --sun and --trigger, not both"),
    Slip(words: ["preview", "--repeats=yes"], message: "carillon preview: --repeats takes no argument"),
    Slip(words: ["preview", "--cron"], message: "carillon preview: --cron EXPR needs an argument"),
    Slip(
      words: ["preview", "--weekday", "mon"], message: "carillon preview: there is no option --weekday"),
    Slip(
      words: ["preview"],
      message:
        "carillon preview: a trigger is missing, such as --every 6h; carillon help preview has examples"),
    Slip(
      words: ["preview", "--every", "1h", "--count", "0"],
      message: "carillon preview: --count: a whole number from 1 to 100000 is wanted"),
    Slip(
      words: ["schedule", "--title", "x", "--broker", "http://x"],
      message: "carillon schedule: --broker: a broker's address begins with mqtt://, or with mqtts:// for TLS"
    ),
    Slip(
      words: ["schedule", "--request", "-", "--title", "x"],
      message: "carillon schedule: --request holds the whole request; --title would be ignored"),
    Slip(
      words: ["schedule", "--tit\u{1B}le", "x"],
      message: "carillon schedule: there is no option --tit\\u{1b}le; did you mean --title?"),
  ]

  @Test(arguments: slips) func aWrongOptionEndsWith64AndSaysWhatToDo(_ slip: Slip) {
    let run = Run(slip.words)
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    #expect(run.errors == [slip.message])
  }

  @Test func optionsMayStandBeforeTheVerb() {
    let run = Run("--broker", "http://x", "schedule", "--title", "x")
    #expect(run.status == 64)
    #expect(run.errors.first?.hasPrefix("carillon schedule: --broker: ") == true)
  }

  @Test func anOperandMayLookLikeAnOptionBehindTwoDashes() throws {
    let words = try OptionParser(table: Cancel.verb.options).parse(["--all", "--", "-x", "--all"])
    #expect(words.operands == ["-x", "--all"])
    #expect(words.options.map(\.option.name) == ["all"])
  }

  @Test func valuesMayBeginWithADashAndBeEmpty() throws {
    let words = try OptionParser(table: Schedule.verb.options).parse([
      "--title", "-5", "--body", "", "--sound=", "--to", "a", "--to=b",
    ])
    #expect(words.options.map(\.value) == ["-5", "", "", "a", "b"])
    #expect(words.operands.isEmpty)
  }

  /// getopt keeps its place in globals.
  @Test func commandLinesAreReadAtTheSameTime() async throws {
    try await withThrowingTaskGroup(of: [String].self) { group in
      for number in 0..<64 {
        group.addTask {
          try OptionParser(table: Cancel.verb.options).parse([
            "a\(number)", "--json", "b\(number)", "--thread", "t",
          ]).operands
        }
      }
      var seen: Set<[String]> = []
      for try await operands in group { seen.insert(operands) }
      #expect(seen == Set((0..<64).map { ["a\($0)", "b\($0)"] }))
    }
  }

  @Test func outputThatCannotBeWrittenIsAFailure() {
    var place = Run.Place()
    place.outputTakes = false
    let run = Run("preview", "--every", "1h", at: place)
    #expect(run.status == 1)
    #expect(run.errors == ["carillon: standard output does not take what is written to it"])
  }

  @Test func theStatusesAreThoseOfTheProtocol() {
    #expect(ExitStatus.allCases.map(\.rawValue) == [0, 1, 64, 65, 69, 75, 78])
  }
}
