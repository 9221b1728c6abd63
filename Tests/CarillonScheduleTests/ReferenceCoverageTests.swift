import CarillonModel
import CarillonSchedule
import CarillonTestSupport
import CarillonTime
import Testing

/// A comparison is worth as much as the awkward cases in it. These are counted here, so that none get lost when the files
/// of `Tests/Reference` are made anew.
struct ReferenceCoverageTests {
  /// Clocks that change by half an hour, at a quarter to three, by two hours, up to midnight, against the season, that
  /// leave out a day, and that changed at a minute past midnight.
  static let awkward = [
    "Australia/Lord_Howe", "Pacific/Chatham", "Antarctica/Troll", "America/Nuuk", "Africa/Casablanca",
    "Pacific/Apia", "America/St_Johns",
  ]

  static let files = ["cron.txt", "calendars.txt", "rrule.txt"]

  private func rules(_ file: String) throws -> [ReferenceRule] {
    file == "rrule.txt" ? try RecurrenceReference.all().map(\.rule) : try ReferenceFile(file).rules
  }

  @Test func `All references are of one release of tzdata`() throws {
    for file in Self.files {
      let release = try ReferenceFile(file).release
      #expect(release == ReferenceClocks.shared.release)
      #expect(!release.isEmpty)
    }
  }

  @Test(arguments: files) func `Two thousand rules and more have the awkward zones among them`(_ file: String)
    throws
  {
    let rules = try rules(file)
    #expect(rules.count >= 2000)
    for name in Self.awkward {
      let zone = try ReferenceClocks.shared.zone(named: name)
      let own = rules.filter { $0.zone == name }
      #expect(own.count >= 100, "\(name)")
      #expect(own.count { $0.firings.contains(where: zone.isAfterGap) } >= 10, "after a gap in \(name)")
      #expect(own.count { $0.firings.contains(where: zone.isShownTwice) } >= 8, "shown twice in \(name)")
    }
  }

  @Test(arguments: files) func `Leap days and ends of months are among them`(_ file: String) throws {
    var (leapDays, ends) = (0, 0)
    for rule in try rules(file) {
      let zone = try ReferenceClocks.shared.zone(named: rule.zone)
      let dates = rule.firings.map { zone.reading(at: WallTime(seconds: $0)).date }
      if dates.contains(where: { $0.month == 2 && $0.day == 29 }) { leapDays += 1 }
      if dates.contains(where: { CivilDate(daysSinceEpoch: $0.daysSinceEpoch + 1).day == 1 }) { ends += 1 }
    }
    #expect(leapDays >= 70)
    #expect(ends >= 300)
  }

  @Test(arguments: files) func `So are the gap up to midnight and the day that was left out`(_ file: String)
    throws
  {
    let rules = try rules(file)
    let nuuk = try ReferenceClocks.shared.zone(named: "America/Nuuk")
    let moved = rules.count { rule in
      rule.zone == "America/Nuuk"
        && rule.firings.contains { nuuk.isAfterGap($0) && nuuk.secondOfDay($0) == 0 }
    }
    #expect(moved >= 5)
    // Samoa went over the date line at the end of 2011-12-29.
    let missing = try instant("2011-12-30T10:00:00Z").seconds
    #expect(rules.count { $0.zone == "Pacific/Apia" && $0.firings.contains(missing) } >= 3)
  }
}

extension Zone {
  /// Whether clocks have just been set forward.
  func isAfterGap(_ second: Int64) -> Bool { offset(second) > offset(second - 1) }

  /// Whether clocks show the same again later, or have shown it before.
  func isShownTwice(_ second: Int64) -> Bool {
    if case .repeated = resolve(reading(at: WallTime(seconds: second))) { return true }
    return false
  }

  func secondOfDay(_ second: Int64) -> Int64 { (second + Int64(offset(second))) % 86_400 }

  private func offset(_ second: Int64) -> Int { offset(at: WallTime(seconds: second)).seconds }
}
