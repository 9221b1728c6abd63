import CarillonModel
import CarillonSchedule
import CarillonTestSupport
import CarillonTime
import Testing

/// Random rules, compared with what other implementations make of them.
struct RuleReferenceTests {
  private static func parseCalendar(_ text: String) throws -> any WallRule {
    try calendar(try JSON(parsing: Array(text.utf8)))
  }

  private static func parseCron(_ text: String) throws -> any WallRule { try cron(text) }

  @Test func `Cron expressions fire when another implementation says`() throws {
    let file = try ReferenceFile("cron.txt")
    #expect(file.rules.count >= 2000)
    let differences = try file.differences(parse: Self.parseCron)
    #expect(differences.isEmpty, "\(differences.count): \(differences.prefix(20).joined(separator: "\n"))")
  }

  @Test func `Calendar components match when clocks say`() throws {
    let file = try ReferenceFile("calendars.txt")
    #expect(file.rules.count >= 2000)
    let differences = try file.differences(parse: Self.parseCalendar)
    #expect(differences.isEmpty, "\(differences.count): \(differences.prefix(20).joined(separator: "\n"))")
  }

  @Test(arguments: [60, -60, 1]) func `An engine that is a minute wrong is found out`(_ error: Int) throws {
    for (name, parse) in [("cron.txt", Self.parseCron), ("calendars.txt", Self.parseCalendar)] {
      let file = try ReferenceFile(name)
      let sighted = try file.rules.count { try $0.shows(error) }
      #expect(sighted >= 2300)
      let faults = try file.differences(
        parse: parse, where: { try $0.shows(error) }, in: { $0.showing(error) })
      #expect(faults.count == sighted, "in \(name)")
    }
  }

  @Test(arguments: [Int64(60), -60])
  func `An engine that is a minute wrong after a gap alone is found out`(_ error: Int64) throws {
    for (name, parse) in [("cron.txt", Self.parseCron), ("calendars.txt", Self.parseCalendar)] {
      let faults = try ReferenceFile(name).differences(
        parse: parse, where: { try $0.hasFiringAfterGap() }, in: { $0.changing(error) })
      #expect(faults.count >= 130, "in \(name)")
    }
  }

  @Test func `Counting finds as many firings as there are`() throws {
    for (file, parse) in [("cron.txt", Self.parseCron), ("calendars.txt", Self.parseCalendar)] {
      let file = try ReferenceFile(file)
      for reference in file.rules {
        let (zone, rule) = (
          try ReferenceClocks.shared.zone(named: reference.zone), try parse(reference.rule)
        )
        for (index, firing) in reference.firings.enumerated() {
          func count(_ end: Int64) -> Int64 {
            rule.count(after: WallTime(seconds: reference.start), through: WallTime(seconds: end), in: zone)
          }
          try #require(
            count(firing) == Int64(index + 1), "\(reference.rule) in \(reference.zone) through \(firing)")
          try #require(
            count(firing - 1) == Int64(index), "\(reference.rule) in \(reference.zone) before \(firing)")
        }
      }
    }
  }
}
