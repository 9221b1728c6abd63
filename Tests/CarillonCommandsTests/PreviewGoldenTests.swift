import CarillonTestSupport
import Testing

@testable import CarillonCommands

/// What schedulers are known to get wrong, as a person would look it up. The instants were computed with Python's
/// zoneinfo and dateutil.
@Suite struct PreviewGoldenTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let words: [String]
    /// Instants, as far as they are compared.
    let instants: [String]
    var testDescription: String { name }

    init(_ name: String, _ words: String..., instants: [String]) {
      (self.name, self.words, self.instants) = (name, words, instants)
    }
  }

  static let clocks = [
    Case(
      "a daily time that the clocks skip", "--cron", "30 2 * * *", "--timezone", "America/New_York",
      "--after",
      "2027-03-13T00:00", "--until", "2027-03-15T03:00",
      instants: ["2027-03-13T07:30", "2027-03-14T07:00", "2027-03-15T06:30"]),
    Case(
      "a daily time that the clocks show twice", "--cron", "30 1 * * *", "--timezone", "Europe/London",
      "--after",
      "2027-10-30T00:00", "--until", "2027-11-01T02:00",
      instants: ["2027-10-30T00:30", "2027-10-31T00:30", "2027-11-01T01:30"]),
    Case(
      "a daily time around the end of summer", "--calendar", "hour=17 minute=0", "--repeats", "--timezone",
      "America/New_York", "--after", "2027-11-06T00:00", "--until", "2027-11-07T23:59",
      instants: ["2027-11-06T21:00", "2027-11-07T22:00"]),
    Case(
      "every half hour through an hour that comes twice", "--cron", "*/30 * * * *", "--timezone",
      "Australia/Melbourne", "--after", "2027-04-03T13:59Z", "--until", "2027-04-03T18:00Z", "--count", "99",
      instants: [
        "2027-04-03T14:00", "2027-04-03T14:30", "2027-04-03T15:00", "2027-04-03T15:30", "2027-04-03T16:00",
        "2027-04-03T16:30", "2027-04-03T17:00", "2027-04-03T17:30", "2027-04-03T18:00",
      ]),
    Case(
      "a skipped time does not take the later ones with it", "--cron", "30 2-22/4 * * *", "--timezone",
      "Australia/Sydney", "--after", "2027-10-02T15:00Z", "--until", "2027-10-03T12:00Z", "--count", "99",
      instants: [
        "2027-10-02T16:00", "2027-10-02T19:30", "2027-10-02T23:30", "2027-10-03T03:30", "2027-10-03T07:30",
        "2027-10-03T11:30",
      ]),
    Case(
      "midnight after a day of 23 hours", "--cron", "0 0 * * 1-5", "--timezone", "America/Chicago", "--after",
      "2027-03-12T06:00Z", "--count", "1", instants: ["2027-03-15T05:00"]),
    Case(
      "every 24 hours", "--every", "86400", "--from", "2027-03-27T11:00Z", "--timezone", "Europe/Paris",
      "--after", "2027-03-27T11:00Z", "--count", "2", instants: ["2027-03-28T11:00", "2027-03-29T11:00"]),
    Case(
      "every day at noon", "--calendar", "hour=12 minute=0", "--repeats", "--timezone", "Europe/Paris",
      "--after", "2027-03-27T11:00Z", "--count", "2", instants: ["2027-03-28T10:00", "2027-03-29T10:00"]),
  ]

  static let rules = [
    Case(
      "29 February of every leap year", "--rrule", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "--start",
      "2028-02-29T08:00", "--after", "2028-01-01T00:00", "--count", "4",
      instants: ["2028-02-29", "2032-02-29", "2036-02-29", "2040-02-29"]),
    Case(
      "29 February around a century without it", "--rrule", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "--start",
      "2096-02-01T00:00", "--after", "2096-01-01T00:00", "--count", "2",
      instants: ["2096-02-29", "2104-02-29"]),
    Case(
      "the fifth Friday", "--rrule", "FREQ=MONTHLY;BYDAY=5FR", "--start", "2027-01-01T00:00", "--after",
      "2026-12-31T00:00", "--until", "2027-12-31T23:59", "--count", "99",
      instants: ["2027-01-29", "2027-04-30", "2027-07-30", "2027-10-29", "2027-12-31"]),
    Case(
      "the fifth Friday, begun on the 31st", "--rrule", "FREQ=MONTHLY;BYDAY=5FR", "--start",
      "2027-01-31T00:00",
      "--after", "2026-12-31T00:00", "--until", "2027-12-31T23:59", "--count", "99",
      instants: ["2027-04-30", "2027-07-30", "2027-10-29", "2027-12-31"]),
    Case(
      "the first Monday", "--rrule", "FREQ=MONTHLY;BYDAY=1MO", "--start", "2027-06-01T12:00", "--after",
      "2027-06-01T00:00", "--count", "8",
      instants: [
        "2027-06-07", "2027-07-05", "2027-08-02", "2027-09-06", "2027-10-04", "2027-11-01", "2027-12-06",
        "2028-01-03",
      ]),
    Case(
      "the Monday of week 53", "--rrule", "FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO", "--start", "2026-01-01T00:00",
      "--after", "2026-01-01T00:00", "--count", "4",
      instants: ["2026-12-28", "2032-12-27", "2037-12-28", "2043-12-28"]),
    Case(
      "a rule that has come to its end", "--rrule", "FREQ=DAILY;COUNT=1", "--start", "2020-01-01T00:00",
      instants: []),
    Case(
      "the 13th or a Friday", "--cron", "0 0 13 * 5", "--after", "2027-01-31T12:00", "--until",
      "2027-02-28T12:00",
      "--count", "99", instants: ["2027-02-05", "2027-02-12", "2027-02-13", "2027-02-19", "2027-02-26"]),
    Case(
      "a step that does not divide the hour", "--cron", "*/45 * * * *", "--after", "2027-01-01T00:01",
      instants: [
        "2027-01-01T00:45", "2027-01-01T01:00", "2027-01-01T01:45", "2027-01-01T02:00", "2027-01-01T02:45",
      ]),
    Case(
      "an interval that does not divide the hour", "--every", "2700", "--from", "2027-01-01T00:00", "--after",
      "2027-01-01T00:00", "--count", "4",
      instants: ["2027-01-01T00:45", "2027-01-01T01:30", "2027-01-01T02:15", "2027-01-01T03:00"]),
  ]

  /// The instants that are printed, without seconds, which are all zero.
  private func instants(_ words: [String]) -> [String] {
    let zone = words.contains("--timezone") ? [] : ["--timezone", "UTC"]
    let run = Run(["preview", "--json"] + words + zone)
    #expect(run.status == 0, "\(run.errors)")
    return run.output.compactMap { line in
      guard let start = line.firstRange(of: #""utc":""#)?.upperBound, line.hasSuffix(#":00.000Z"}"#) else {
        return nil
      }
      return String(line[start...].dropLast(#":00.000Z"}"#.count))
    }
  }

  @Test(arguments: clocks + rules) func itComesOutRight(_ test: Case) {
    let found = instants(test.words)
    #expect(found.count == test.instants.count)
    for (found, expected) in zip(found, test.instants) {
      #expect(found.hasPrefix(expected), "\(found) is not \(expected)")
    }
  }

  @Test func daysOfMonthAndOfWeekJoinByOr() {
    let year = ["--after", "2026-12-31T12:00", "--until", "2027-12-31T12:00", "--count", "999"]
    #expect(instants(["--cron", "0 0 13 * 5"] + year).count == 64)
    #expect(instants(["--cron", "0 0 * * 5"] + year).count == 53)
    // A star at the beginning of one of them makes it an AND.
    #expect(instants(["--cron", "0 0 */13 * 5"] + year).count < 20)
  }

  @Test(arguments: [
    ("0 0 30 2 *", "never"), ("0 0 31 4 *", "never"), ("61 * * * *", "invalid"), ("*/0 * * * *", "invalid"),
    ("0 0 * * 8", "invalid"),
  ])
  func whatNeverComesIsRefused(_ text: String, _ code: String) {
    let run = Run("preview", "--cron", text)
    #expect(run.status == 65)
    #expect(run.output.isEmpty)
    #expect(run.errors.first?.hasPrefix("carillon preview: \(code) at trigger.cron: ") == true)
  }

  /// The n-th weekday of a month has nothing to do with the day on which weeks begin.
  @Test(arguments: ["en_US.UTF-8", "de_DE.UTF-8"]) func noLocaleMovesAWeekday(_ locale: String) throws {
    let program = try Program(
      [
        "preview", "--rrule", "FREQ=MONTHLY;BYDAY=2TU", "--start", "2027-01-01T00:00", "--after",
        "2027-01-01T00:00", "--count", "12", "--timezone", "UTC",
      ], environment: ["LC_ALL": locale, "LANG": locale])
    #expect(try program.waitForExit() == .exited(0))
    #expect(
      program.lines().map { $0.prefix(10) } == [
        "2027-01-12", "2027-02-09", "2027-03-09", "2027-04-13", "2027-05-11", "2027-06-08", "2027-07-13",
        "2027-08-10", "2027-09-14", "2027-10-12", "2027-11-09", "2027-12-14",
      ])
  }
}
