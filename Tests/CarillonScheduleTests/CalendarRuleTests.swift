import CarillonModel
import CarillonSchedule
import CarillonTime
import Testing

struct CalendarRuleTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var components: JSON
    var firings: [String]
    var testDescription: String { "\(components)" }

    init(_ components: JSON, _ firings: String...) { (self.components, self.firings) = (components, firings) }
  }

  /// After 2027-01-01T00:00:00Z, a Friday.
  static let rows = [
    Row(["minute": 30], "2027-01-01T00:30:00", "2027-01-01T01:30:00"),
    Row(["second": 15], "2027-01-01T00:00:15", "2027-01-01T00:01:15"),
    Row(["second": [0, 30]], "2027-01-01T00:00:30", "2027-01-01T00:01:00"),
    Row(["minute": 5, "second": 7], "2027-01-01T00:05:07", "2027-01-01T01:05:07"),
    Row(["hour": 7], "2027-01-01T07:00:00", "2027-01-02T07:00:00"),
    Row(
      ["hour": [19, 7], "minute": [30, 0]], "2027-01-01T07:00:00", "2027-01-01T07:30:00",
      "2027-01-01T19:00:00"),
    Row(["hour": 7, "second": 9], "2027-01-01T07:00:09", "2027-01-02T07:00:09"),
    Row(["day": 1], "2027-02-01T00:00:00", "2027-03-01T00:00:00"),
    Row(["day": 31], "2027-01-31T00:00:00", "2027-03-31T00:00:00"),
    Row(["month": 2], "2027-02-01T00:00:00", "2028-02-01T00:00:00"),
    Row(["month": 2, "hour": 9], "2027-02-01T09:00:00", "2028-02-01T09:00:00"),
    Row(["year": [2027, 2029]], "2029-01-01T00:00:00"),
    Row(["year": 2027, "month": 12, "day": 24, "hour": 18], "2027-12-24T18:00:00"),
    Row(["year": 2026, "month": 12]),
    Row(["year": 2027, "weekday": "mon"], "2027-01-04T00:00:00", "2027-01-11T00:00:00"),
    Row(["weekday": "tue", "hour": 19], "2027-01-05T19:00:00", "2027-01-12T19:00:00"),
    Row(["weekday": ["Monday", "FRI"], "minute": 30], "2027-01-01T00:30:00", "2027-01-04T00:30:00"),
    Row(["month": 2, "weekday": "sat"], "2027-02-06T00:00:00", "2027-02-13T00:00:00"),
    Row(["day": 13, "weekday": "fri"], "2027-08-13T00:00:00", "2028-10-13T00:00:00"),
    Row(["weekday": "tue", "nth": 2], "2027-01-12T00:00:00", "2027-02-09T00:00:00"),
    Row(["weekday": "fri", "nth": -1], "2027-01-29T00:00:00", "2027-02-26T00:00:00"),
    Row(["weekday": "fri", "nth": 5], "2027-01-29T00:00:00", "2027-04-30T00:00:00"),
    Row(
      ["weekday": ["mon", "fri"], "nth": 1], "2027-01-04T00:00:00", "2027-02-01T00:00:00",
      "2027-02-05T00:00:00"),
    Row(["weekday": "mon", "nth": [1, -1]], "2027-01-04T00:00:00", "2027-01-25T00:00:00"),
    Row(["month": 2, "day": 29], "2028-02-29T00:00:00", "2032-02-29T00:00:00"),
  ]

  @Test(arguments: rows) func `Larger units are free and smaller ones at their least`(_ row: Row) throws {
    let firings = try calendar(row.components).firings(
      max(row.firings.count, 1), after: "2027-01-01T00:00:00Z", in: "UTC")
    #expect(firings == row.firings.map { $0 + "+00:00" })
  }

  @Test func `The century without a leap day is stepped over`() throws {
    let firings = try calendar(["month": 2, "day": 29, "hour": 8]).firings(
      2, after: "2096-02-01T00:00:00Z", in: "UTC")
    #expect(firings == ["2096-02-29T08:00:00+00:00", "2104-02-29T08:00:00+00:00"])
  }

  @Test func `Minutes and seconds alone run through the day`() throws {
    let autumn = try calendar(["minute": 30]).firings(
      after: "2027-10-30T23:00:00Z", through: "2027-10-31T02:00:00Z", in: "Europe/Berlin")
    #expect(autumn == ["2027-10-30T23:30:00Z", "2027-10-31T00:30:00Z", "2027-10-31T01:30:00Z"])
    // Where an hour is given, the second pass is silent.
    let fixed = try calendar(["hour": 2, "minute": [0, 30]]).firings(
      after: "2027-10-30T23:00:00Z", through: "2027-10-31T03:00:00Z", in: "Europe/Berlin")
    #expect(fixed == ["2027-10-31T00:00:00Z", "2027-10-31T00:30:00Z"])
  }
}
