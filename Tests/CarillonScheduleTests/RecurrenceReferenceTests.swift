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

  @Test(arguments: [Duration.seconds(60), .seconds(-60), .seconds(1)])
  func `The comparison finds an error of a minute`(_ shift: Duration) throws {
    let references = try RecurrenceReference.all()
    let differing = try references.count { try $0.difference(shift: shift) != nil }
    #expect(differing == references.count { !$0.rule.firings.isEmpty })
  }

  @Test func `An engine that is a minute wrong does not pass`() throws {
    let references = try RecurrenceReference.all()
    let differing = try references.count { try $0.difference(clocks: .wrong) != nil }
    #expect(differing > references.count * 9 / 10)
  }

  @Test func `The comparison finds an error of a minute after a gap alone`() throws {
    let (references, zones) = (try RecurrenceReference.all(), ReferenceClocks.shared)
    let moved = try references.count { reference in
      let zone = try zones.zone(named: reference.rule.zone)
      return reference.rule.firings.contains(where: zone.isAfterGap)
    }
    #expect(moved >= 100)
    let differing = try references.count {
      try $0.difference(shift: .seconds(60), where: { $1.isAfterGap($0) }) != nil
    }
    #expect(differing == moved)
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
