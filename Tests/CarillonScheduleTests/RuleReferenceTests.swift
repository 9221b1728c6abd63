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

  @Test func `The comparison finds an error of a minute, whichever way it goes`() throws {
    let crons = try ReferenceFile("cron.txt")
    let calendars = try ReferenceFile("calendars.txt")
    for shift in [Duration.seconds(60), .seconds(-60), .seconds(1)] {
      let cronFaults = try crons.differences(parse: Self.parseCron, shift: shift)
      #expect(cronFaults.count == crons.rules.count(where: { !$0.firings.isEmpty }))
      let calendarFaults = try calendars.differences(parse: Self.parseCalendar, shift: shift)
      #expect(calendarFaults.count == calendars.rules.count(where: { !$0.firings.isEmpty }))
    }
  }

  @Test func `An engine that is a minute wrong does not pass`() throws {
    for (name, parse) in [("cron.txt", Self.parseCron), ("calendars.txt", Self.parseCalendar)] {
      let file = try ReferenceFile(name)
      let faults = try file.differences(parse: parse, clocks: .wrong)
      // Those that run through every minute are the same a minute later.
      #expect(faults.count > file.rules.count * 9 / 10)
    }
  }

  @Test func `The comparison finds an error of a minute after a gap alone`() throws {
    for (file, parse) in [("cron.txt", Self.parseCron), ("calendars.txt", Self.parseCalendar)] {
      let (file, zones) = (try ReferenceFile(file), ReferenceClocks.shared)
      let moved = try file.rules.count { rule in
        rule.firings.contains(where: try zones.zone(named: rule.zone).isAfterGap)
      }
      #expect(moved >= 100)
      let faults = try file.differences(parse: parse, shift: .seconds(60), where: { $1.isAfterGap($0) })
      #expect(faults.count == moved)
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
