import CarillonModel
import CarillonSchedule
import CarillonTestSupport
import CarillonTime
import Testing

/// Random recurrence rules, compared with what another implementation makes of them.
struct RecurrenceReferenceTests {
  @Test func `Recurrence rules fire when another implementation says`() throws {
    let references = try RecurrenceReference.all()
    #expect(references.count >= 2000)
    let differences = try references.compactMap { try $0.difference() }
    #expect(differences.isEmpty, "\(differences.count): \(differences.prefix(20).joined(separator: "\n"))")
  }

  @Test(arguments: [60, -60, 1]) func `An engine that is a minute wrong is found out`(_ error: Int) throws {
    let references = try RecurrenceReference.all().filter { try $0.rule.shows(error) }
    #expect(references.count >= 2700)
    let same = try references.filter { try $0.difference(in: { $0.showing(error) }) == nil }
    #expect(same.isEmpty, "\(same.count): \(same.prefix(5).map(\.text))")
  }

  @Test(arguments: [Int64(60), -60])
  func `An engine that is a minute wrong after a gap alone is found out`(_ error: Int64) throws {
    let references = try RecurrenceReference.all().filter { try $0.rule.hasFiringAfterGap() }
    let differing = try references.count { try $0.difference(in: { $0.changing(error) }) != nil }
    #expect(differing >= 130)
  }

  @Test func `Counting finds as many occurrences as there are`() throws {
    for reference in try RecurrenceReference.all() {
      let zone = try ReferenceClocks.shared.zone(named: reference.rule.zone)
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
