import CarillonModel
import CarillonTestSupport
import Testing

extension CommandLineTests {
  @Test(
    "What preview shows is what the relay does",
    arguments: [
      ["--calendar", "weekday=mon,fri hour=7 minute=30", "--repeats"], ["--calendar", "month=2 day=29"],
      ["--cron", "30 7 1,15 * mon", "--count-limit", "2"],
      ["--rrule", "FREQ=MONTHLY;BYDAY=-1FR", "--start", "2036-01-01T17:00", "--except", "2036-02-29T17:00"],
      ["--sun", "dusk", "--offset", "-30m", "--repeats"],
      ["--every", "6h", "--from", "2026-01-01T08:00", "--until", "2036-01-01T00:00"],
      ["--at", "2036-03-30T02:30"],
      ["--trigger", #"{"sun":"noon","weekday":"sun","repeats":true}"#],
    ])
  func previews(_ trigger: [String]) throws {
    let place = ["--location", "52.5,13.4"]
    let house = try House(relay: place)
    func preview() throws -> [String] {
      let run = try house.run(
        ["preview", "--json", "--count", "3", "--timezone", "Europe/Berlin"] + place + trigger)
      #expect(run.status == .exited(0), "\(run.text)")
      return try run.json.compactMap { $0["due"]?.text }
    }
    // Something may fall due in between.
    let before = try preview()
    let run = try house.run(["schedule", "--id", "a", "--title", "x", "--to", "desk", "--json"] + trigger)
    let after = try preview()
    #expect(run.status == .exited(0), "\(run.text)")
    let upcoming = try #require(run.json.first?["upcoming"]?.elements).compactMap(\.text)
    #expect(!upcoming.isEmpty)
    #expect(upcoming == before || upcoming == after, "\(upcoming) is not \(before)")
  }

  /// Of a country where weeks begin on Sunday, on Monday with at least four days, on Saturday, of one with another calendar
  /// and other digits, and of none.
  static let locales = ["en_US.UTF-8", "de_DE.UTF-8", "ar_EG.UTF-8", "fa_IR.UTF-8", "tr_TR.UTF-8", "C"]

  @Test("A recurrence rule means the same in every locale", arguments: locales)
  func locales(_ locale: String) throws {
    func days(_ rule: String, _ start: String, _ zone: String, _ count: Int) throws -> [String] {
      let run = try Run(
        [
          "preview", "--rrule", rule, "--start", start, "--after", "2026-12-31T23:59:59Z", "--timezone", zone,
          "--count", "\(count)",
        ], environment: ["LC_ALL": locale, "LANG": locale, "LANGUAGE": locale])
      #expect(run.status == .exited(0), "\(run.text)")
      return run.output.map { String($0.prefix(10)) }
    }
    #expect(
      try days("FREQ=MONTHLY;BYDAY=2TU", "2027-01-01T00:00", "UTC", 12) == [
        "2027-01-12", "2027-02-09", "2027-03-09", "2027-04-13", "2027-05-11", "2027-06-08", "2027-07-13",
        "2027-08-10", "2027-09-14", "2027-10-12", "2027-11-09", "2027-12-14",
      ])
    #expect(
      try days("FREQ=MONTHLY;BYDAY=1MO", "2027-06-01T00:00", "Europe/Berlin", 8) == [
        "2027-06-07", "2027-07-05", "2027-08-02", "2027-09-06", "2027-10-04", "2027-11-01", "2027-12-06",
        "2028-01-03",
      ])
    #expect(
      try days("FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO", "2027-01-01T00:00", "UTC", 2) == [
        "2032-12-27", "2037-12-28",
      ])
  }

  @Test("What the relay alone knows it says itself, and the option is marked all the same")
  func unknownPlace() throws {
    let house = try House()
    let run = try house.run(["schedule", "--title", "x", "--sun", "sunset", "--repeats"])
    #expect(run.status == .exited(65), "\(run.text)")
    #expect(run.output.isEmpty)
    #expect(run.errors.first?.hasPrefix("carillon schedule: invalid at trigger.sun: ") == true, "\(run.text)")
    #expect(run.errors.suffix(2) == ["  --sun sunset", "        ^^^^^^"])
    #expect(try house.pending() == [])
  }
}
