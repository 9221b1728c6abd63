import CarillonModel
import CarillonTime
import Testing

@testable import CarillonRelay

/// Days in the life of a relay, by a clock that the test moves: the exact list of what fires.
@Suite struct SimulatedDaysTests {
  private static let minute: Int64 = 60_000
  private static let hour: Int64 = 3_600_000
  private static let day: Int64 = 86_400_000

  private func bench(at start: String) throws -> RelayBench {
    try RelayBench(at: try time(start))
  }

  private func time(_ text: String) throws -> Int64 {
    guard case .instant(let time) = try WrittenTime(parsing: text) else { throw Refusal(.invalid, text) }
    return time.milliseconds
  }

  private func add(
    _ id: String, _ trigger: String, zone: String = "UTC", more: String = "", to bench: RelayBench
  ) throws {
    let reply = try bench.send(
      #"{"id":"\#(id)","title":"t","to":"d","timezone":"\#(zone)","trigger":\#(trigger)\#(more)}"#)
    #expect(reply?["ok"] == .bool(true), "\(id)")
  }

  /// What has gone out, a line each: when by the wall clock in UTC, the id, and what it says of the past.
  private func lines(_ bench: RelayBench) -> [String] {
    bench.sent.map { sent in
      let time = timestamp(utc: WallTime(milliseconds: sent.at), milliseconds: sent.at % 1000 != 0)
      let past = (sent.late ? " late" : "") + (sent.missed > 0 ? " \(sent.missed) missed" : "")
      return "\(time) \(sent.id)\(past)"
    }
  }

  private func runs(_ bench: RelayBench, to end: String) throws {
    bench.advance(try time(end) - bench.wall)
  }

  // MARK: Clocks that change by themselves

  @Test func `A weekend on which the clocks go forward`() throws {
    let bench = try bench(at: "2027-03-26T23:00:00Z")
    let zone = "Europe/Berlin"
    try add("gap", #"{"cron":"30 2 * * *"}"#, zone: zone, to: bench)
    try add("three", #"{"rrule":"FREQ=DAILY","start":"2027-03-20T03:00"}"#, zone: zone, to: bench)
    try add("noon", #"{"calendar":{"hour":12},"repeats":true}"#, zone: zone, to: bench)
    try add("elapsed", #"{"every":"1d","from":"2027-03-27T12:00"}"#, zone: zone, to: bench)
    try add("throughout", #"{"cron":"20 */2 * * *"}"#, zone: zone, to: bench)
    try add("once", #"{"at":"2027-03-28T02:59:59"}"#, zone: zone, to: bench)
    try add("elsewhere", #"{"calendar":{"hour":2,"minute":30}}"#, zone: "Australia/Lord_Howe", to: bench)
    try runs(bench, to: "2027-03-29T11:00:00Z")
    #expect(
      lines(bench) == [
        "2027-03-26T23:20:00Z throughout", "2027-03-27T01:20:00Z throughout", "2027-03-27T01:30:00Z gap",
        "2027-03-27T02:00:00Z three", "2027-03-27T03:20:00Z throughout", "2027-03-27T05:20:00Z throughout",
        "2027-03-27T07:20:00Z throughout", "2027-03-27T09:20:00Z throughout", "2027-03-27T11:00:00Z noon",
        "2027-03-27T11:00:00Z elapsed", "2027-03-27T11:20:00Z throughout", "2027-03-27T13:20:00Z throughout",
        "2027-03-27T15:20:00Z throughout", "2027-03-27T15:30:00Z elsewhere",
        "2027-03-27T17:20:00Z throughout", "2027-03-27T19:20:00Z throughout",
        "2027-03-27T21:20:00Z throughout", "2027-03-27T23:20:00Z throughout",
        // 02:00 to 03:00 is skipped: what was to come then comes at 03:00, and 02:20 does not come at all.
        "2027-03-28T01:00:00Z gap", "2027-03-28T01:00:00Z three", "2027-03-28T01:00:00Z once",
        "2027-03-28T02:20:00Z throughout", "2027-03-28T04:20:00Z throughout",
        "2027-03-28T06:20:00Z throughout", "2027-03-28T08:20:00Z throughout", "2027-03-28T10:00:00Z noon",
        "2027-03-28T10:20:00Z throughout", "2027-03-28T11:00:00Z elapsed",
        "2027-03-28T12:20:00Z throughout", "2027-03-28T14:20:00Z throughout",
        "2027-03-28T16:20:00Z throughout", "2027-03-28T18:20:00Z throughout",
        "2027-03-28T20:20:00Z throughout", "2027-03-28T22:20:00Z throughout",
        "2027-03-29T00:20:00Z throughout",
        "2027-03-29T00:30:00Z gap", "2027-03-29T01:00:00Z three", "2027-03-29T02:20:00Z throughout",
        "2027-03-29T04:20:00Z throughout", "2027-03-29T06:20:00Z throughout",
        "2027-03-29T08:20:00Z throughout", "2027-03-29T10:00:00Z noon", "2027-03-29T10:20:00Z throughout",
        "2027-03-29T11:00:00Z elapsed",
      ])
  }

  @Test func `A weekend on which the clocks go back`() throws {
    let bench = try bench(at: "2027-10-30T22:10:00Z")
    let zone = "Europe/Berlin"
    try add("fixed", #"{"cron":"30 2 * * *"}"#, zone: zone, to: bench)
    try add("half", #"{"calendar":{"minute":30},"repeats":true,"count":5}"#, zone: zone, to: bench)
    try add("elapsed", #"{"every":"1h","until":"2027-10-31T03:30:00Z"}"#, zone: zone, to: bench)
    try add("late", #"{"at":"2027-10-31T02:30:00+01:00"}"#, zone: zone, to: bench)
    try runs(bench, to: "2027-11-01T12:00:00Z")
    #expect(
      lines(bench) == [
        "2027-10-30T22:30:00Z half", "2027-10-30T23:10:00Z elapsed", "2027-10-30T23:30:00Z half",
        "2027-10-31T00:10:00Z elapsed", "2027-10-31T00:30:00Z fixed", "2027-10-31T00:30:00Z half",
        "2027-10-31T01:10:00Z elapsed", "2027-10-31T01:30:00Z half", "2027-10-31T01:30:00Z late",
        "2027-10-31T02:10:00Z elapsed", "2027-10-31T02:30:00Z half", "2027-10-31T03:10:00Z elapsed",
        "2027-11-01T01:30:00Z fixed",
      ])
  }

  // MARK: Absence

  @Test func `A week without a relay`() throws {
    let bench = try bench(at: "2027-05-10T12:00:00Z")
    try add("latest", #"{"cron":"0 9 * * *"}"#, to: bench)
    try add(
      "all", #"{"rrule":"FREQ=DAILY;INTERVAL=3","start":"2027-05-10T09:00"}"#, more: #","catchUp":"all""#,
      to: bench)
    try add("none", #"{"calendar":{"hour":9},"repeats":true}"#, more: #","catchUp":"none""#, to: bench)
    try add("counted", #"{"cron":"0 9 * * *","count":5}"#, to: bench)
    try add("once", #"{"at":"2027-05-12T09:00:00Z"}"#, to: bench)
    try add("tuesday", #"{"calendar":{"weekday":"tue","hour":9}}"#, to: bench)
    try add("expired", #"{"at":"2027-05-12T09:00:00Z"}"#, more: #","expires":"1h""#, to: bench)
    try add("elapsed", #"{"every":"2d"}"#, to: bench)
    try add("after", #"{"after":"7d"}"#, to: bench)
    try bench.restart(after: 7 * SimulatedDaysTests.day + 30_000)
    #expect(
      lines(bench) == [
        "2027-05-17T12:00:30Z tuesday late", "2027-05-17T12:00:30Z once late",
        "2027-05-17T12:00:30Z all late", "2027-05-17T12:00:30Z counted late 4 missed",
        "2027-05-17T12:00:30Z all late", "2027-05-17T12:00:30Z elapsed late 2 missed",
        "2027-05-17T12:00:30Z latest late 6 missed", "2027-05-17T12:00:30Z after",
      ])
    bench.forgetSent()
    try runs(bench, to: "2027-05-19T12:00:00Z")
    #expect(
      lines(bench) == [
        "2027-05-18T09:00:00Z latest", "2027-05-18T09:00:00Z none", "2027-05-18T12:00:00Z elapsed",
        "2027-05-19T09:00:00Z latest", "2027-05-19T09:00:00Z all", "2027-05-19T09:00:00Z none",
      ])
  }

  // MARK: Clocks that are set

  /// Requests of every kind at 2027-05-10T12:00:00Z.
  private func set() throws -> RelayBench {
    let bench = try bench(at: "2027-05-10T12:00:00Z")
    try add("cron", #"{"cron":"15,45 * * * *"}"#, to: bench)
    try add("calendar", #"{"calendar":{"hour":11,"minute":30},"repeats":true}"#, to: bench)
    try add("rrule", #"{"rrule":"FREQ=HOURLY","start":"2027-05-10T00:50"}"#, to: bench)
    try add("at", #"{"at":"2027-05-10T13:10:00Z"}"#, to: bench)
    try add("single", #"{"calendar":{"hour":12,"minute":40}}"#, to: bench)
    try add("after", #"{"after":"2h"}"#, to: bench)
    return bench
  }

  @Test func `The clock is set back by an hour`() throws {
    let bench = try set()
    try runs(bench, to: "2027-05-10T12:55:00Z")
    #expect(
      lines(bench) == [
        "2027-05-10T12:15:00Z cron", "2027-05-10T12:40:00Z single", "2027-05-10T12:45:00Z cron",
        "2027-05-10T12:50:00Z rrule",
      ])
    bench.forgetSent()
    bench.setClock(to: try time("2027-05-10T11:25:00Z"))
    try runs(bench, to: "2027-05-10T14:00:00Z")
    #expect(
      lines(bench) == [
        // Before, the request of 11:30 had no chance today; what has fired at 12:15, 12:40, 12:45 and 12:50 has fired.
        "2027-05-10T11:30:00Z calendar", "2027-05-10T11:45:00Z cron", "2027-05-10T11:50:00Z rrule",
        "2027-05-10T12:30:00Z after", "2027-05-10T13:10:00Z at", "2027-05-10T13:15:00Z cron",
        "2027-05-10T13:45:00Z cron", "2027-05-10T13:50:00Z rrule",
      ])
    #expect(Set(bench.sent.map(\.delivery)).count == bench.sent.count)
  }

  @Test func `The clock is set forward by an hour`() throws {
    let bench = try set()
    try runs(bench, to: "2027-05-10T12:20:00Z")
    bench.forgetSent()
    bench.setClock(to: try time("2027-05-10T13:20:00Z"))
    try runs(bench, to: "2027-05-10T15:20:00Z")
    #expect(
      lines(bench) == [
        "2027-05-10T13:20:00Z single late", "2027-05-10T13:20:00Z rrule late",
        "2027-05-10T13:20:00Z at late", "2027-05-10T13:20:00Z cron late 1 missed",
        "2027-05-10T13:45:00Z cron", "2027-05-10T13:50:00Z rrule", "2027-05-10T14:15:00Z cron",
        "2027-05-10T14:45:00Z cron", "2027-05-10T14:50:00Z rrule", "2027-05-10T15:00:00Z after",
        "2027-05-10T15:15:00Z cron",
      ])
  }

  @Test func `The clock is set back by ten years, and right again`() throws {
    let bench = try set()
    try runs(bench, to: "2027-05-10T12:20:00Z")
    bench.forgetSent()
    bench.setClock(to: try time("2017-05-10T12:20:00Z"))
    try runs(bench, to: "2017-05-10T12:51:00Z")
    #expect(
      lines(bench) == [
        "2017-05-10T12:40:00Z single", "2017-05-10T12:45:00Z cron",
      ])
    bench.forgetSent()
    // What the ten years between held is one late firing each, found without walking there.
    bench.setClock(to: try time("2027-05-10T12:52:00Z"))
    try runs(bench, to: "2027-05-10T13:16:00Z")
    let decade = 3652 * 48
    #expect(
      lines(bench) == [
        "2027-05-10T12:52:00Z calendar late 3651 missed",
        // Not counted is 12:15 of today, which has fired before.
        "2027-05-10T12:52:00Z cron late \(decade - 2) missed", "2027-05-10T12:52:00Z rrule late 12 missed",
        "2027-05-10T13:10:00Z at", "2027-05-10T13:15:00Z cron",
      ])
  }

  @Test func `The clock is set forward by ten years, and right again`() throws {
    let bench = try set()
    try runs(bench, to: "2027-05-10T12:20:00Z")
    bench.forgetSent()
    bench.setClock(to: try time("2037-05-10T12:20:00Z"))
    #expect(bench.sent.count == 5)
    #expect(bench.sent.allSatisfy { $0.late })
    bench.forgetSent()
    bench.setClock(to: try time("2027-05-10T12:21:00Z"))
    try runs(bench, to: "2027-05-10T14:02:00Z")
    #expect(
      lines(bench) == [
        "2027-05-10T12:45:00Z cron", "2027-05-10T12:50:00Z rrule", "2027-05-10T13:15:00Z cron",
        "2027-05-10T13:45:00Z cron", "2027-05-10T13:50:00Z rrule", "2027-05-10T14:01:00Z after",
      ])
  }

  @Test func `A machine without a clock starts in 1970`() throws {
    let bench = try set()
    try runs(bench, to: "2027-05-10T12:20:00Z")
    bench.forgetSent()
    bench.saveMarks()
    try bench.reboot(wall: 0, isSynchronised: false)
    bench.advance(30 * SimulatedDaysTests.minute)
    #expect(bench.sent.isEmpty, "nothing on the wall clock")
    // The network tells the time: the machine was off for an hour.
    bench.isSynchronised = true
    bench.setClock(to: try time("2027-05-10T13:52:00Z"))
    #expect(
      lines(bench) == [
        "2027-05-10T13:52:00Z single late", "2027-05-10T13:52:00Z at late",
        "2027-05-10T13:52:00Z cron late 2 missed", "2027-05-10T13:52:00Z rrule late 1 missed",
      ])
    bench.forgetSent()
    try runs(bench, to: "2027-05-10T14:16:00Z")
    #expect(lines(bench) == ["2027-05-10T14:00:00Z after", "2027-05-10T14:15:00Z cron"])
  }

  @Test func `A first start in 1970 fires no storm when the clock is set`() throws {
    let bench = try RelayBench(at: 0)
    try add("cron", #"{"cron":"* * * * *"}"#, to: bench)
    try add("every", #"{"every":"5s"}"#, to: bench)
    bench.advance(7000)
    bench.forgetSent()
    bench.setClock(to: try time("2027-01-01T00:00:00Z"))
    // One for all that was missed from the second minute of 1970 on; two that are within their minute of grace.
    #expect(
      lines(bench) == [
        "2027-01-01T00:00:00Z cron late 29979357 missed", "2027-01-01T00:00:00Z cron",
        "2027-01-01T00:00:00Z cron",
      ])
    bench.advance(4000)
    #expect(bench.notifications("every").count == 1)
  }
}
