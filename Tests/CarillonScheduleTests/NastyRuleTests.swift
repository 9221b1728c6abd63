import CarillonFuzz
import CarillonModel
import CarillonSchedule
import CarillonTestSupport
import CarillonTime
import Testing

/// Recurrence rules that are written to cost much. A rule is read anew at each of its firings, and whoever may publish may
/// write any of them.
struct NastyRuleTests {
  /// In a debug build, which takes some ten times as long as the program that is installed.
  static let limit = Sanitizer.allowing(.milliseconds(500))

  @Test func `No recurrence rule holds up the relay, however it is written`() throws {
    var random = SplitMix(seed: 17)
    let zones = try ["UTC", "America/New_York", "Africa/El_Aaiun"].map(installed)
    var (read, never) = (0, 0)
    while read < 200 {
      var nasty = NastyRule(&random)
      guard let rule = try? nasty.parsed() else { continue }
      let zone = zones[read % zones.count]
      read += 1
      if !rule.isSatisfiable { never += 1 }
      if read % 8 == 0 { nasty.leaveOut(2000, of: rule, in: zone, asInstants: read % 16 == 0) }
      let slowest = try SlowestStep(of: nasty, in: zone)
      #expect(slowest.taken < NastyRuleTests.limit, "\(slowest) for \(nasty) in \(zone.name)")
    }
    #expect((15...100).contains(never))
  }

  @Test func `COUNT ends a rule after as many as it says, and counting finds as many as walking`() throws {
    var random = SplitMix(seed: 18)
    let zones = try ["UTC", "Australia/Lord_Howe", "America/New_York"].map(installed)
    var compared = 0
    while compared < 120 {
      let nasty = NastyRule(&random)
      guard !nasty.text.contains("COUNT="), !nasty.text.contains("UNTIL="), let rule = try? nasty.parsed()
      else { continue }
      let zone = zones[compared % zones.count]
      let count = [1, 2, 8, 9, 10, 30].randomElement(using: &random) ?? 1
      let expected = rule.upcoming(count + 1, after: .min, in: zone)
      guard let last = expected.last, expected.count == count + 1 else { continue }
      compared += 1
      let start = WallTime(milliseconds: .min)
      // Elsewhere clocks show some of its readings twice, or two of them come to one firing after a gap.
      let ended = try NastyRule(nasty.text + ";COUNT=\(count)", from: nasty.start).parsed()
      if zone.name == "UTC" {
        try #require(ended.upcoming(count + 1, after: .min, in: zone) == expected.dropLast(), "\(nasty)")
        try #require(
          ended.count(after: start, through: WallTime.writable.upperBound, in: zone) == count, "\(nasty)")
      }
      for (place, firing) in expected.enumerated() {
        let time = WallTime(milliseconds: firing.due)
        let found = rule.count(after: start, through: time, in: zone)
        try #require(found == place + 1, "\(nasty) in \(zone.name) through \(time)")
      }
      try #require(
        rule.count(
          after: WallTime(milliseconds: expected[0].due), through: WallTime(milliseconds: last.due), in: zone)
          == count, "\(nasty)")
    }
  }
}
