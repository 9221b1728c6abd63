import Testing

@testable import CarillonCommands

@Suite struct PreviewTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let words: [String]
    let output: [String]
    var testDescription: String { words.joined(separator: " ") }
  }

  /// Values computed with Python's zoneinfo; the clock stands at 2026-12-01T15:00:00Z.
  static let cases = [
    Case(
      words: ["--every", "6h", "--from", "2026-12-01T08:00", "--timezone", "Europe/Berlin"],
      output: [
        "2026-12-01T20:00:00+01:00", "2026-12-02T02:00:00+01:00", "2026-12-02T08:00:00+01:00",
        "2026-12-02T14:00:00+01:00", "2026-12-02T20:00:00+01:00",
      ]),
    Case(
      words: ["--every", "1h", "--timezone", "UTC", "--count", "2"],
      output: ["2026-12-01T16:00:00+00:00", "2026-12-01T17:00:00+00:00"]),
    Case(
      words: ["--every", "90s", "--timezone", "UTC", "--count-limit", "1"],
      output: ["2026-12-01T15:01:30+00:00"]),
    Case(
      words: ["--every", "1h", "--timezone", "UTC", "--until", "2026-12-01T17:00Z"],
      output: ["2026-12-01T16:00:00+00:00", "2026-12-01T17:00:00+00:00"]),
    Case(
      words: ["--at", "2026-12-24T18:00", "--timezone", "Asia/Tokyo"], output: ["2026-12-24T18:00:00+09:00"]),
    Case(words: ["--at", "1796137200.25", "--timezone", "UTC"], output: ["2026-12-01T15:00:00.250+00:00"]),
    // The clocks skip 02:30; the first instant after the gap.
    Case(
      words: ["--at", "2027-03-28T02:30", "--timezone", "Europe/Berlin"],
      output: ["2027-03-28T03:00:00+02:00"]),
    // 02:30 occurs twice; the first one.
    Case(
      words: ["--at", "2027-10-31T02:30", "--timezone", "Europe/Berlin"],
      output: ["2027-10-31T02:30:00+02:00"]),
    // Elapsed time takes no notice of the clocks.
    Case(
      words: [
        "--every", "24h", "--from", "2027-03-27T12:00", "--timezone", "Europe/Paris", "--after",
        "2027-03-27T00:00", "--count", "2",
      ],
      output: ["2027-03-27T12:00:00+01:00", "2027-03-28T13:00:00+02:00"]),
    Case(
      words: ["--trigger", #"{"after":"30m"}"#, "--after", "2027-01-01T00:00Z", "--timezone", "UTC"],
      output: ["2027-01-01T00:30:00+00:00"]),
    Case(words: ["--trigger", #"{"after":0}"#, "--timezone", "UTC"], output: ["2026-12-01T15:00:00+00:00"]),
    // The start itself is not part of it.
    Case(
      words: ["--at", "2027-01-01T00:00", "--after", "2027-01-01T00:00", "--timezone", "UTC"], output: []),
    Case(words: ["--at", "2020-01-01T00:00", "--timezone", "UTC"], output: []),
  ]

  @Test(arguments: cases) func firingsArePrintedInTheZone(_ test: Case) {
    let run = Run(["preview"] + test.words)
    #expect(run.status == 0)
    #expect(run.output == test.output)
    #expect(run.errors.isEmpty == !test.output.isEmpty)
  }

  @Test func programsGetTheInstantToo() {
    let run = Run("preview", "--at", "2026-12-24T18:00", "--timezone", "Europe/Berlin", "--json")
    #expect(run.output == [#"{"due":"2026-12-24T18:00:00.000+01:00","utc":"2026-12-24T17:00:00.000Z"}"#])
  }

  @Test func aZoneThatIsUnknownIsRefused() {
    let run = Run("preview", "--every", "1h", "--timezone", "Europe/Berln")
    #expect(run.status == 65)
    #expect(run.errors.first?.contains("Europe/Berlin") == true)
    #expect(Run("preview", "--every", "1h", "--timezone", "../etc/passwd").status == 65)
  }

  @Test(arguments: ["calendar", "cron", "rrule", "sun", "when"]) func otherKindsAreRefusedByName(
    _ kind: String
  ) {
    let run = Run("preview", "--\(kind)", "x")
    #expect(run.status == 65)
    #expect(run.errors.first?.hasPrefix("carillon preview: invalid at trigger.\(kind): ") == true)
  }

  @Test func theStartMustBeATime() {
    let run = Run("preview", "--every", "1h", "--after", "30m")
    #expect(run.status == 65)
    #expect(run.errors.first?.hasPrefix("carillon preview: invalid at after: ") == true)
  }
}
