import CarillonModel
import CarillonSchedule
import CarillonTime
import Testing

/// What becomes of wall times that clocks skip or show twice.
struct DaylightSavingTests {
  struct Day: Sendable, CustomTestStringConvertible {
    var rule: String
    var zone: String
    var start: String
    var end: String
    var firings: [String]
    var testDescription: String { "\(rule) in \(zone)" }

    init(_ rule: String, _ zone: String, _ start: String, _ end: String, _ firings: [String]) {
      (self.rule, self.zone, self.start, self.end, self.firings) = (rule, zone, start, end, firings)
    }
  }

  static let days = [
    // A skipped time fires at the end of the gap, and the days beside it are as ever.
    Day(
      "30 2 * * *", "America/New_York", "2027-03-13T05:00:00Z", "2027-03-15T07:00:00Z",
      ["2027-03-13T07:30:00Z", "2027-03-14T07:00:00Z", "2027-03-15T06:30:00Z"]),
    // A repeated time fires once, the first time.
    Day(
      "30 1 * * *", "Europe/London", "2027-10-29T23:00:00Z", "2027-11-01T02:00:00Z",
      ["2027-10-30T00:30:00Z", "2027-10-31T00:30:00Z", "2027-11-01T01:30:00Z"]),
    // What runs through the day fires in both passes of the repeated hour.
    Day(
      "*/30 * * * *", "Australia/Melbourne", "2027-04-03T13:59:00Z", "2027-04-03T18:00:00Z",
      [
        "2027-04-03T14:00:00Z", "2027-04-03T14:30:00Z", "2027-04-03T15:00:00Z", "2027-04-03T15:30:00Z",
        "2027-04-03T16:00:00Z", "2027-04-03T16:30:00Z", "2027-04-03T17:00:00Z", "2027-04-03T17:30:00Z",
        "2027-04-03T18:00:00Z",
      ]),
    // A skipped time does not take the later ones of its day with it.
    Day(
      "30 2-22/4 * * *", "Australia/Sydney", "2027-10-02T15:00:00Z", "2027-10-03T12:00:00Z",
      [
        "2027-10-02T16:00:00Z", "2027-10-02T19:30:00Z", "2027-10-02T23:30:00Z", "2027-10-03T03:30:00Z",
        "2027-10-03T07:30:00Z", "2027-10-03T11:30:00Z",
      ]),
    // A day of 23 hours is a day.
    Day(
      "0 0 * * 1-5", "America/Chicago", "2027-03-12T06:00:00Z", "2027-03-16T04:00:00Z",
      ["2027-03-15T05:00:00Z"]),
    // Wall times that come to one instant are one firing: 2:00, 2:20, 2:40 and 3:00.
    Day(
      "0,20,40 2,3 * * *", "Europe/Berlin", "2027-03-28T00:00:00Z", "2027-03-28T02:00:00Z",
      ["2027-03-28T01:00:00Z", "2027-03-28T01:20:00Z", "2027-03-28T01:40:00Z"]),
    // In a skipped hour nothing fires of what runs through the day.
    Day("*/20 2 * * *", "Europe/Berlin", "2027-03-28T00:00:00Z", "2027-03-28T23:00:00Z", []),
    Day(
      "*/30 2 * * *", "Europe/Berlin", "2027-10-30T22:30:00Z", "2027-10-31T10:00:00Z",
      ["2027-10-31T00:00:00Z", "2027-10-31T00:30:00Z", "2027-10-31T01:00:00Z", "2027-10-31T01:30:00Z"]),
    // From within the second pass, what fired in the first is past.
    Day(
      "30 2 * * *", "Europe/Berlin", "2027-10-31T01:10:00Z", "2027-11-01T23:00:00Z", ["2027-11-01T01:30:00Z"]),
    Day(
      "10 2 * * *", "Europe/Berlin", "2027-10-31T00:10:00Z", "2027-11-01T23:00:00Z", ["2027-11-01T01:10:00Z"]),
    // Half an hour.
    Day(
      "15 2 * * *", "Australia/Lord_Howe", "2027-10-02T00:00:00Z", "2027-10-03T16:00:00Z",
      ["2027-10-02T15:30:00Z", "2027-10-03T15:15:00Z"]),
    Day(
      "*/15 * * * *", "Australia/Lord_Howe", "2027-04-03T14:15:00Z", "2027-04-03T15:45:00Z",
      [
        "2027-04-03T14:30:00Z", "2027-04-03T14:45:00Z", "2027-04-03T15:00:00Z", "2027-04-03T15:15:00Z",
        "2027-04-03T15:30:00Z", "2027-04-03T15:45:00Z",
      ]),
    // Two hours.
    Day(
      "30 1,2 * * *", "Antarctica/Troll", "2027-03-27T12:00:00Z", "2027-03-28T12:00:00Z",
      ["2027-03-28T01:00:00Z"]),
    // A gap that begins before midnight: the firing moves to the next day, and that day's own stays.
    Day(
      "30 23 * * *", "America/Nuuk", "2027-03-27T12:00:00Z", "2027-03-29T12:00:00Z",
      ["2027-03-28T01:00:00Z", "2027-03-29T00:30:00Z"]),
    // A gap at midnight.
    Day(
      "0 0 * * *", "America/Havana", "2025-03-08T12:00:00Z", "2025-03-10T12:00:00Z",
      ["2025-03-09T05:00:00Z", "2025-03-10T04:00:00Z"]),
    Day(
      "0 0 * * *", "Africa/Cairo", "2027-04-29T12:00:00Z", "2027-04-30T23:00:00Z",
      ["2027-04-29T22:00:00Z", "2027-04-30T21:00:00Z"]),
    // Clocks that were set back at 00:01 showed the last minute of the day before again.
    Day(
      "0 0 * * *", "America/St_Johns", "2006-10-28T12:00:00Z", "2006-10-30T12:00:00Z",
      ["2006-10-29T02:30:00Z", "2006-10-30T03:30:00Z"]),
    // A day that there was not: its firing is the one of the midnight at which it would have ended.
    Day(
      "0 0,9 * * *", "Pacific/Apia", "2011-12-29T12:00:00Z", "2011-12-31T12:00:00Z",
      ["2011-12-29T19:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T19:00:00Z", "2011-12-31T10:00:00Z"]),
    // Clocks that go back for Ramadan.
    Day(
      "30 2 * * *", "Africa/Casablanca", "2026-02-14T12:00:00Z", "2026-02-16T12:00:00Z",
      ["2026-02-15T01:30:00Z", "2026-02-16T02:30:00Z"]),
  ]

  @Test(arguments: days) func `Each wall time has its firings`(_ day: Day) throws {
    #expect(
      try cron(day.rule).firings(after: day.start, through: day.end, in: day.zone) == day.firings)
    let count = try cron(day.rule).count(
      after: instant(day.start), through: instant(day.end), in: installed(day.zone))
    #expect(count == Int64(day.firings.count))
  }

  @Test func `A calendar keeps its hour on both sides of a change`() throws {
    let newYork = try calendar(["hour": 17, "minute": 0]).firings(
      after: "2027-11-06T12:00:00Z", through: "2027-11-08T00:00:00Z", in: "America/New_York")
    #expect(newYork == ["2027-11-06T21:00:00Z", "2027-11-07T22:00:00Z"])
    let paris = try calendar(["hour": 12, "minute": 0]).firings(
      after: "2027-03-27T11:00:00Z", through: "2027-03-29T12:00:00Z", in: "Europe/Paris")
    #expect(paris == ["2027-03-28T10:00:00Z", "2027-03-29T10:00:00Z"])
    let prague = try calendar(["hour": 7]).firings(
      after: "2027-03-27T07:00:00Z", through: "2027-03-30T00:00:00Z", in: "Europe/Prague")
    #expect(prague == ["2027-03-28T05:00:00Z", "2027-03-29T05:00:00Z"])
  }

  @Test func `An interval of a day is not a daily rule`() throws {
    let start = try instant("2027-03-27T11:00:00Z")
    let interval = try IntervalRule(anchor: start.milliseconds, interval: .seconds(86_400))
    let next = interval.next(after: start.milliseconds)
    #expect(next == (try instant("2027-03-28T11:00:00Z")).milliseconds)
  }
}
