import CarillonModel
import CarillonSchedule
import CarillonTime
import Testing

/// Random recurrence rules, compared with what another implementation makes of them.
@Suite(.enabled(if: ReferenceFile.isInstalled)) struct RecurrenceReferenceTests {
  private let zones = ZoneDatabase(directory: ZoneDatabase.systemDirectory)

  @Test func `Recurrence rules fire when another implementation says`() throws {
    let references = try RecurrenceReference.all()
    #expect(references.count >= 2000)
    let differences = try references.compactMap { try $0.difference(in: zones) }
    #expect(differences.isEmpty, "\(differences.count): \(differences.prefix(20).joined(separator: "\n"))")
  }

  @Test(arguments: [Duration.seconds(60), .seconds(-60), .seconds(1)])
  func `The comparison finds an error of a minute`(_ shift: Duration) throws {
    let references = try RecurrenceReference.all()
    let differing = try references.count { try $0.difference(in: zones, shift: shift) != nil }
    #expect(differing == references.count { !$0.rule.firings.isEmpty })
  }

  @Test func `Counting finds as many occurrences as there are`() throws {
    for reference in try RecurrenceReference.all() {
      let zone = try zones.zone(named: reference.rule.zone)
      let rule = try recurrence(reference.text, from: reference.start)
      let start = WallTime(seconds: reference.rule.start)
      for (index, firing) in reference.rule.firings.enumerated() {
        let through = rule.count(after: start, through: WallTime(seconds: firing), in: zone)
        let before = rule.count(after: start, through: WallTime(seconds: firing - 1), in: zone)
        try #require(
          through == Int64(index + 1) && before == Int64(index),
          "\(reference.text) from \(reference.start) in \(reference.rule.zone) through \(firing)")
      }
    }
  }
}
