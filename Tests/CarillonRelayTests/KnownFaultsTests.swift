import CarillonModel
import CarillonTestSupport
import CarillonTime
import Testing

@testable import CarillonRelay

/// Faults that people have met in other schedulers, each with what is right: through the whole relay, by its clocks.
@Suite struct KnownFaultsTests {
  func time(_ text: String) throws -> Int64 {
    guard case .instant(let time) = try WrittenTime(parsing: text) else { throw Refusal(.invalid, text) }
    return time.milliseconds
  }

  func request(_ id: String, _ trigger: String, _ zone: String = "UTC", more: String = "") -> String {
    #"{"id":"\#(id)","title":"t","to":"d","timezone":"\#(zone)","trigger":\#(trigger)\#(more)}"#
  }

  /// When a trigger fires that is accepted at a start and lived with until an end.
  func firings(
    _ trigger: String, _ zone: String, from start: String, to end: String
  ) throws -> [String] {
    let bench = try RelayBench(at: try time(start))
    let reply = try bench.send(request("a", trigger, zone))
    #expect(reply?["ok"] == .bool(true))
    bench.advance(try time(end) - bench.wall)
    #expect(bench.sent.allSatisfy { !$0.late && $0.missed == 0 })
    return bench.notifications("a").map { timestamp(utc: WallTime(milliseconds: $0.at), milliseconds: false) }
  }

  /// The first firings, as the reply to an accepted request tells them.
  func upcoming(_ trigger: String, _ zone: String = "UTC", at start: String) throws -> [String] {
    let bench = try RelayBench(at: try time(start))
    let reply = try bench.send(request("a", trigger, zone))
    return reply?["upcoming"]?.elements?.compactMap(\.text) ?? []
  }

  func code(_ trigger: String) throws -> String? {
    try RelayBench(at: try time("2027-05-10T12:00:00Z")).send(request("a", trigger))?.code
  }

  // MARK: Clocks that change

  @Test func `A daily time inside the hour that is skipped comes after it, once`() throws {
    let found = try firings(
      #"{"cron":"30 2 * * *"}"#, "America/New_York", from: "2027-03-13T00:00:00-05:00",
      to: "2027-03-15T03:00:00-04:00")
    #expect(found == ["2027-03-13T07:30:00Z", "2027-03-14T07:00:00Z", "2027-03-15T06:30:00Z"])
  }

  @Test func `A fixed time that is repeated comes once, and the day after at its own hour`() throws {
    let london = try firings(
      #"{"cron":"30 1 * * *"}"#, "Europe/London", from: "2027-10-30T00:00:00+01:00",
      to: "2027-11-01T02:00:00Z")
    #expect(london == ["2027-10-30T00:30:00Z", "2027-10-31T00:30:00Z", "2027-11-01T01:30:00Z"])
    let newYork = try firings(
      #"{"calendar":{"hour":17,"minute":0},"repeats":true}"#, "America/New_York",
      from: "2027-11-06T00:00:00-04:00", to: "2027-11-08T00:00:00-05:00")
    #expect(newYork == ["2027-11-06T21:00:00Z", "2027-11-07T22:00:00Z"])
  }

  @Test func `Every half hour goes on through the hour that is repeated`() throws {
    let found = try firings(
      #"{"cron":"*/30 * * * *"}"#, "Australia/Melbourne", from: "2027-04-03T13:59:00Z",
      to: "2027-04-03T18:00:00Z")
    let expected = (28...36).map { half in
      "2027-04-03T\(half / 2):\(half % 2 == 0 ? "00" : "30"):00Z"
    }
    #expect(found == expected)
  }

  @Test func `A skipped time leaves the later ones of its day alone`() throws {
    let found = try firings(
      #"{"cron":"30 2-22/4 * * *"}"#, "Australia/Sydney", from: "2027-10-02T15:00:00Z",
      to: "2027-10-03T12:00:00Z")
    #expect(
      found == [
        "2027-10-02T16:00:00Z", "2027-10-02T19:30:00Z", "2027-10-02T23:30:00Z", "2027-10-03T03:30:00Z",
        "2027-10-03T07:30:00Z", "2027-10-03T11:30:00Z",
      ])
  }

  @Test func `A day of 23 hours loses no Monday`() throws {
    let found = try upcoming(#"{"cron":"0 0 * * 1-5"}"#, "America/Chicago", at: "2027-03-12T06:00:00Z")
    #expect(found.first == "2027-03-15T00:00:00.000-05:00")
  }

  @Test func `A day of elapsed time is not a day of the calendar`() throws {
    let bench = try RelayBench(at: try time("2027-03-27T11:00:00Z"))
    try bench.send(request("elapsed", #"{"every":86400}"#, "Europe/Paris"))
    try bench.send(
      request("noon", #"{"calendar":{"hour":12,"minute":0},"repeats":true}"#, "Europe/Paris"))
    bench.advance(try time("2027-03-29T12:00:00Z") - bench.wall)
    let texts = { (id: String) in
      bench.notifications(id).map { timestamp(utc: WallTime(milliseconds: $0.at), milliseconds: false) }
    }
    #expect(texts("elapsed") == ["2027-03-28T11:00:00Z", "2027-03-29T11:00:00Z"])
    #expect(texts("noon") == ["2027-03-28T10:00:00Z", "2027-03-29T10:00:00Z"])
  }

  // MARK: Recurrence

  /// The dates of the first firings of a rule.
  private func dates(
    _ rule: String, start: String, zone: String = "UTC", count: Int, at: String
  ) throws -> [String] {
    let trigger = #"{"rrule":"\#(rule)","start":"\#(start)"}"#
    let bench = try RelayBench(at: try time(at))
    let reply = try bench.send(request("a", trigger, zone))
    try #require(reply?["ok"] == .bool(true))
    let stored = try #require(try bench.queue.current("a"))
    let zone = try ZoneDatabase().zone(named: zone)
    return Occurrences(rule: try Rule(stored: stored.rule), zone: zone)
      .upcoming(stored, count: count, at: bench.now())
      .map { String(zone.timestamp(WallTime(milliseconds: $0)).prefix(10)) }
  }

  @Test func `A leap day comes in leap years only`() throws {
    let rule = "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29"
    #expect(
      try dates(rule, start: "2028-02-29T08:00", count: 4, at: "2027-01-01T00:00:00Z")
        == ["2028-02-29", "2032-02-29", "2036-02-29", "2040-02-29"])
    #expect(
      try dates(rule, start: "2096-02-01T08:00", count: 2, at: "2027-01-01T00:00:00Z")
        == ["2096-02-29", "2104-02-29"])
  }

  @Test func `The second Tuesday of a month is that everywhere`() throws {
    let found = try dates(
      "FREQ=MONTHLY;BYDAY=2TU", start: "2027-01-01T00:00", count: 12, at: "2026-12-31T00:00:00Z")
    let days = [
      "01-12", "02-09", "03-09", "04-13", "05-11", "06-08", "07-13", "08-10", "09-14", "10-12", "11-09",
      "12-14",
    ]
    #expect(found == days.map { "2027-\($0)" })
  }

  @Test func `A fifth Friday comes in the months that have one`() throws {
    let rule = "FREQ=MONTHLY;BYDAY=5FR"
    let days = ["2027-01-29", "2027-04-30", "2027-07-30", "2027-10-29", "2027-12-31"]
    #expect(try dates(rule, start: "2027-01-01T00:00", count: 5, at: "2026-12-31T00:00:00Z") == days)
    #expect(
      try dates(rule, start: "2027-01-31T00:00", count: 4, at: "2026-12-31T00:00:00Z")
        == Array(days.dropFirst()))
  }

  @Test func `Weeks that begin on Monday hang no monthly rule`() throws {
    let found = try dates(
      "FREQ=MONTHLY;BYDAY=1MO;WKST=MO", start: "2027-06-01T00:00", zone: "Europe/Berlin", count: 8,
      at: "2027-05-31T00:00:00Z")
    #expect(
      found == [
        "2027-06-07", "2027-07-05", "2027-08-02", "2027-09-06", "2027-10-04", "2027-11-01", "2027-12-06",
        "2028-01-03",
      ])
  }

  @Test func `Week 53 is in the years that have it`() throws {
    #expect(
      try dates(
        "FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO", start: "2026-01-01T00:00", count: 4, at: "2026-01-02T00:00:00Z")
        == ["2026-12-28", "2032-12-27", "2037-12-28", "2043-12-28"])
  }

  // MARK: Cron

  @Test(arguments: [
    ("0 0 30 2 *", "never"), ("0 0 31 4 *", "never"), ("61 * * * *", "invalid"), ("*/0 * * * *", "invalid"),
    ("0 0 * * 8", "invalid"),
  ])
  func `What never fires, or means nothing, is refused`(expression: String, expected: String) throws {
    #expect(try code(#"{"cron":"\#(expression)"}"#) == expected)
  }

  @Test func `A rule that has ended is past, and never a date`() throws {
    #expect(try code(#"{"rrule":"FREQ=DAILY;COUNT=1","start":"2020-01-01T08:00"}"#) == "past")
    #expect(try code(#"{"cron":"0 8 * * *","until":"2027-05-10T11:00:00Z"}"#) == "past")
    #expect(try code(#"{"calendar":{"year":2026,"month":2},"repeats":true}"#) == "past")
  }

  @Test func `Day of month and day of week join by OR`() throws {
    let found = try firings(
      #"{"cron":"0 0 13 * 5"}"#, "UTC", from: "2026-12-31T12:00:00Z", to: "2027-12-31T23:00:00Z")
    #expect(found.count == 64)
    #expect(
      found.filter { $0.hasPrefix("2027-02") }.map { $0.prefix(10) }
        == ["2027-02-05", "2027-02-12", "2027-02-13", "2027-02-19", "2027-02-26"])
  }

  @Test func `A step of a cron field is no interval, and the reply shows it`() throws {
    #expect(
      try upcoming(#"{"cron":"*/45 * * * *"}"#, at: "2027-01-01T00:01:00Z") == [
        "2027-01-01T00:45:00.000+00:00", "2027-01-01T01:00:00.000+00:00", "2027-01-01T01:45:00.000+00:00",
      ])
    #expect(
      try upcoming(#"{"every":2700}"#, at: "2027-01-01T00:00:00Z") == [
        "2027-01-01T00:45:00.000+00:00", "2027-01-01T01:30:00.000+00:00", "2027-01-01T02:15:00.000+00:00",
      ])
  }

  // MARK: The past

  @Test func `A time just past fires once and says so, one long past is refused, and none is silent`() throws
  {
    let bench = try RelayBench(at: try time("2027-05-10T12:00:03Z"))
    #expect(try bench.send(request("just", #"{"at":"2027-05-10T12:00:02Z"}"#))?["ok"] == .bool(true))
    #expect(try bench.send(request("long", #"{"at":"2027-05-10T11:00:00Z"}"#))?.code == "past")
    #expect(
      try bench.send(request("over", #"{"at":"2027-05-10T11:00:00Z"}"#, more: #","expires":"30m""#))?.code
        == "past")
    let daily = try bench.send(request("daily", #"{"calendar":{"hour":10},"repeats":true}"#))
    #expect(daily?["next"]?.text == "2027-05-11T10:00:00.000+00:00")
    bench.advance(60_000)
    #expect(bench.sent.map(\.id) == ["just"])
    #expect(bench.sent.map(\.late) == [true])
  }

  @Test func `A clock that is set moves what is on it, and nothing fires twice or in a storm`() throws {
    let bench = try RelayBench(at: try time("2027-05-10T12:00:00Z"))
    try bench.send(request("elapsed", #"{"after":60}"#))
    try bench.send(request("at", #"{"at":"2027-05-10T12:10:00Z"}"#))
    try bench.send(request("daily", #"{"calendar":{"hour":9},"repeats":true}"#))
    bench.advance(10_000)
    bench.setClock(to: try time("2027-05-10T10:00:00Z"))
    bench.advance(50_000)
    #expect(bench.sent.map(\.id) == ["elapsed"])
    bench.advance(try time("2027-05-10T12:11:00Z") - bench.wall)
    #expect(bench.sent.map(\.id) == ["elapsed", "at"])
    bench.setClock(to: try time("2027-05-17T12:00:00Z"))
    #expect(bench.sent.map(\.id) == ["elapsed", "at", "daily"])
    let daily = try #require(bench.sent.last)
    #expect(daily.late)
    // Of seven, the newest fires; six it stands for besides itself.
    #expect(daily.missed == 6)
  }

  @Test func `An edited request counts from its edit`() throws {
    let bench = try RelayBench(at: try time("2027-05-09T17:00:00Z"))
    try bench.send(request("r1", #"{"cron":"0 18 * * *"}"#))
    try bench.send(request("r2", #"{"at":"2027-05-10T11:59:30Z"}"#))
    bench.advance(try time("2027-05-10T12:00:00Z") - bench.wall)
    #expect(bench.sent.map(\.id) == ["r1", "r2"])
    bench.forgetSent()
    let reply = try bench.send(request("r1", #"{"cron":"30 11 * * *"}"#))
    #expect(reply?["next"]?.text == "2027-05-11T11:30:00.000+00:00")
    bench.advance(6 * 3_600_000)
    #expect(bench.sent.isEmpty)
  }

  // MARK: Numbers

  @Test func `A year is further than 32 bits of milliseconds reach`() throws {
    let found = try upcoming(#"{"cron":"0 0 1 1 *"}"#, at: "2027-01-01T00:00:01Z")
    #expect(found.first == "2028-01-01T00:00:00.000+00:00")
  }

  @Test(arguments: [
    (seconds: Int64(2_592_000), due: "2027-01-31T00:00:00Z"), (2_147_484, "2027-01-25T20:31:24Z"),
    (2_147_483_648, "2095-01-19T03:14:08Z"),
  ])
  func `A delay beyond what 32 bits hold fires once, at its time`(seconds: Int64, due: String) throws {
    let bench = try RelayBench(at: try time("2027-01-01T00:00:00Z"))
    let due = try time(due)
    #expect(try bench.send(request("a", #"{"after":\#(seconds)}"#))?["ok"] == .bool(true))
    bench.advance(60_000)
    #expect(bench.sent.isEmpty)
    #expect(try bench.queue.nextDue(on: .elapsed) == due)
    bench.advance(due - 1000 - bench.wall)
    #expect(bench.sent.isEmpty)
    bench.advance(seconds * 1000)
    #expect(bench.notifications("a").map(\.at) == [due])
  }

  @Test(arguments: [
    "0", "-5", "-0.0", "1e-9", "1e999", "true", "null", #""abc""#, "[]", #""-1""#, "1e300", "0.5",
  ])
  func `An interval that is none is refused, at its place`(value: String) throws {
    let bench = try RelayBench()
    let reply = try bench.send(request("a", #"{"every":\#(value)}"#))
    #expect(["invalid", "malformed"].contains(reply?.code), "\(value)")
    #expect(bench.queue.counters.pending == 0)
  }

  @Test func `An interval may be a number, or a text that holds one`() throws {
    #expect(try code(#"{"every":60}"#) == nil)
    #expect(try code(#"{"every":"60"}"#) == nil)
    #expect(try code(#"{"after":0}"#) == nil)
  }
}
