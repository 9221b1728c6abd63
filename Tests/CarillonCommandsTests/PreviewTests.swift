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
    Case(
      words: [
        "--calendar", "weekday=tue hour=19", "--repeats", "--timezone", "Europe/Berlin", "--count", "2",
      ],
      output: ["2026-12-01T19:00:00+01:00", "2026-12-08T19:00:00+01:00"]),
    // Without repeats it fires once.
    Case(words: ["--calendar", "minute=30", "--timezone", "UTC"], output: ["2026-12-01T15:30:00+00:00"]),
    Case(
      words: [
        "--trigger", #"{"calendar":{"day":31},"repeats":true}"#, "--count-limit", "3", "--timezone", "UTC",
      ],
      output: ["2026-12-31T00:00:00+00:00", "2027-01-31T00:00:00+00:00", "2027-03-31T00:00:00+00:00"]),
    Case(words: ["--calendar", "year=2020", "--repeats", "--timezone", "UTC"], output: []),
    // The start itself is not part of it.
    Case(
      words: [
        "--cron", "30 7 * * mon-fri", "--after", "2027-01-01T07:30", "--timezone", "Asia/Tokyo", "--until",
        "2027-01-05T07:30",
      ],
      output: ["2027-01-04T07:30:00+09:00", "2027-01-05T07:30:00+09:00"]),
    Case(
      words: [
        "--rrule", "FREQ=MONTHLY;BYDAY=-1FR", "--start", "2026-01-30T17:00", "--except", "2026-12-25T17:00",
        "--timezone", "Europe/Berlin", "--count", "2",
      ],
      output: ["2027-01-29T17:00:00+01:00", "2027-02-26T17:00:00+01:00"]),
    // Without a start it begins where the preview does.
    Case(
      words: ["--rrule", "FREQ=DAILY;COUNT=2", "--after", "2027-03-27T02:30", "--timezone", "Europe/Berlin"],
      output: ["2027-03-27T02:30:01+01:00", "2027-03-28T03:00:00+02:00"]),
    // An offset of its own puts a start on the clocks of the zone.
    Case(
      words: [
        "--rrule", "FREQ=WEEKLY", "--start", "2027-01-01T00:00Z", "--timezone", "Asia/Tokyo", "--count", "1",
      ],
      output: ["2027-01-01T09:00:00+09:00"]),
    // The row begins at the start of the preview, which is not part of it.
    Case(
      words: [
        "--every", "45m", "--from", "2027-01-01T00:00Z", "--after", "2027-01-01T00:00Z", "--timezone", "UTC",
        "--count-limit", "2",
      ],
      output: ["2027-01-01T00:45:00+00:00", "2027-01-01T01:30:00+00:00"]),
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

  /// The sun's times are compared with another implementation elsewhere; here it is days and the offset.
  @Test func theSunIsPreviewedForAPlace() {
    func days(_ words: String...) -> [String] {
      Run(["preview", "--location", "52.5,13.4", "--timezone", "Europe/Berlin", "--sun"] + words).output
    }
    let sunset = days("sunset", "--repeats", "--count", "2")
    #expect(sunset.map { $0.prefix(13) } == ["2026-12-02T15", "2026-12-03T15"])
    #expect(days("sunset") == Array(sunset.prefix(1)))
    let early = days("sunset", "--repeats", "--count", "2", "--offset", "-2h")
    #expect(early.map { $0.dropFirst(13) } == sunset.map { $0.dropFirst(13) })
    #expect(early.map { $0.prefix(13) } == ["2026-12-02T13", "2026-12-03T13"])
    let fridays = Run(
      "preview", "--location", "52.5,13.4", "--timezone", "Europe/Berlin", "--count", "2", "--trigger",
      #"{"sun":"noon","weekday":["fri"],"repeats":true}"#)
    #expect(fridays.output.map { $0.prefix(10) } == ["2026-12-04", "2026-12-11"])
  }

  @Test func aPolarNightIsPassedOver() {
    let north = [
      "preview", "--sun", "sunrise", "--repeats", "--count", "1", "--timezone", "UTC", "--location",
    ]
    #expect(Run(north + ["78.2,15.6"]).output.first?.hasPrefix("2027-02-") == true)
    let pole = Run(north + ["90,0"])
    #expect(pole.status == 65)
    #expect(pole.errors.first?.hasPrefix("carillon preview: never at trigger.sun: ") == true)
  }

  @Test func whatMessagesBringCannotBePreviewed() {
    for words in [["--when", "a=b"], ["--trigger", #"{"when":{"device":"desk","status":"online"}}"#]] {
      let run = Run(["preview"] + words)
      #expect(run.status == 65)
      #expect(run.output.isEmpty)
      #expect(
        run.errors.first
          == "carillon preview: invalid at trigger.when: nobody knows in advance when a message or a device comes, so there is nothing to preview"
      )
    }
  }

  @Test func whatTheKindDoesNotTakeIsRefusedByName() {
    for (words, path) in [
      (["--every", "1h", "--repeats"], "trigger.repeats"),
      (["--cron", "@daily", "--start", "x"], "trigger.start"),
      (["--at", "2027-01-01T00:00", "--count-limit", "2"], "trigger.count"),
      (["--calendar", "hour=7", "--until", "2027-01-01T00:00"], "trigger.until"),
      (["--trigger", #"{"cron":"@daily","weekday":"mon"}"#], "trigger.weekday"),
    ] {
      let run = Run(["preview"] + words)
      #expect(run.status == 65)
      #expect(run.errors.first?.hasPrefix("carillon preview: invalid at \(path): ") == true, "\(run.errors)")
    }
  }

  @Test func theEndOfWritableTimeIsTheEnd() {
    let run = Run("preview", "--cron", "@daily", "--after", "9999-12-29T12:00Z", "--timezone", "UTC")
    #expect(run.output == ["9999-12-30T00:00:00+00:00", "9999-12-31T00:00:00+00:00"])
    let every = Run("preview", "--every", "1d", "--after", "9999-12-30T12:00Z", "--timezone", "UTC")
    #expect(every.output == ["9999-12-31T12:00:00+00:00"])
  }

  @Test func theStartMustBeATime() {
    let run = Run("preview", "--every", "1h", "--after", "30m")
    #expect(run.status == 65)
    #expect(run.errors.first?.hasPrefix("carillon preview: invalid at after: ") == true)
    #expect(run.errors.suffix(2) == ["  --after 30m", "          ^^^"])
  }
}
