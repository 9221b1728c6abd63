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
