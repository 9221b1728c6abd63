import CarillonModel
import CarillonSchedule
import CarillonTestSupport
import CarillonTime
import Testing

/// What holds for every rule in every zone.
struct WallRulePropertyTests {
  private static func rules(_ random: inout SplitMix) throws -> [any WallRule] {
    let minute = Int.random(in: 0...59, using: &random)
    let hour = Int.random(in: 0...23, using: &random)
    return [
      try cron("\(minute) \(hour) * * *"), try cron("*/\(minute + 1) * * * *"),
      try cron("\(minute) 0-4 * * 0"),
      try cron("0,\(minute) */2 \(hour + 1) * 1-5"), try cron("* \(hour) * * *"),
      try calendar(["minute": .integer(Int64(minute)), "second": .integer(Int64(minute))]),
      try calendar(["hour": [0, 1, 2, .integer(Int64(hour))], "minute": .integer(Int64(minute))]),
      try calendar(["second": [0, .integer(Int64(minute))]]),
      try calendar(["weekday": "sun", "nth": -1, "hour": 2, "minute": .integer(Int64(minute))]),
    ]
  }

  /// Often a time near a change of the zone's clocks.
  private static func moment(in zone: Zone, _ random: inout SplitMix) -> WallTime {
    let time = WallTime(milliseconds: Int64.random(in: 0...4_102_444_800_000, using: &random))
    guard Bool.random(using: &random), let change = zone.nextTransition(after: time) else { return time }
    return change + .milliseconds(Int64.random(in: -100_000_000...10_000_000, using: &random))
  }

  @Test func `The next firing is always later, in every zone`() throws {
    var random = SplitMix(seed: 3)
    let database = ZoneDatabase(directory: ZoneDatabase.systemDirectory)
    let names = database.allNames()
    #expect(names.count > 300)
    for name in names {
      let zone = try database.zone(named: name)
      for rule in try Self.rules(&random) {
        var time = Self.moment(in: zone, &random)
        for _ in 0..<6 {
          let next = try #require(rule.next(after: time, in: zone), "\(rule) in \(name) after \(time)")
          try #require(next > time, "\(rule) in \(name) after \(time)")
          // Nothing lies between: asked from just before it, the answer is the same.
          try #require(
            rule.next(after: next - .milliseconds(1), in: zone) == next, "\(rule) in \(name) before \(next)")
          try #require(
            rule.count(after: time, through: next, in: zone) == 1, "\(rule) in \(name) after \(time)")
          time = next
        }
      }
    }
  }

  static let odd = [
    "Africa/Casablanca", "America/Havana", "America/New_York", "America/Nuuk", "America/St_Johns",
    "Antarctica/Troll",
    "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Kwajalein", "Asia/Manila", "Etc/UTC",
  ]

  @Test(arguments: odd) func `A backlog is what walking would find`(_ name: String) throws {
    var random = SplitMix(seed: UInt64(name.utf8.count))
    let zone = try installed(name)
    for _ in 0..<25 {
      for rule in try Self.rules(&random) {
        let start = Self.moment(in: zone, &random)
        let due = try #require(rule.first(after: start.milliseconds, in: zone))
        let now =
          due.due
          + Int64.random(in: 0...[1_000_000, 200_000_000].randomElement(using: &random)!, using: &random)
        let ending = Ending(
          count: Bool.random(using: &random) ? Int64.random(in: 1...300, using: &random) : nil,
          until: Bool.random(using: &random)
            ? due.due + Int64.random(in: 0...200_000_000, using: &random) : nil)
        var missed: [Occurrence] = []
        var next: Occurrence? = due
        while let occurrence = next, isMissed(due: occurrence.due, at: now) {
          missed.append(occurrence)
          next = rule.next(after: occurrence, ending: ending, in: zone)
        }
        for policy in CatchUp.allCases {
          let expected = Backlog(
            missed: Int64(missed.count), firings: missed.suffix(Int(policy.most)), next: next)
          let found = rule.backlog(from: due, at: now, ending: ending, policy: policy, in: zone)
          try #require(found == expected, "\(rule) from \(due) at \(now) until \(ending)")
        }
      }
    }
  }

  @Test func `A clock that jumps from 1970 costs a moment, not a walk`() throws {
    let minutes = try cron("* * * * *")
    let zone = try installed("UTC")
    let now = try instant("2027-01-01T00:00:00Z").milliseconds
    for zone in [zone, try installed("America/New_York"), try installed("Africa/El_Aaiun")] {
      for rule in [minutes, try cron("30 2 * * *"), try calendar(["second": [0, 30]])] as [any WallRule] {
        let due = try #require(rule.first(after: 0, in: zone))
        for policy in CatchUp.allCases {
          var backlog = Backlog(missed: 0, firings: [], next: nil)
          let taken = processorTime {
            backlog = rule.backlog(from: due, at: now, policy: policy, in: zone)
          }
          #expect(taken < .milliseconds(50))
          #expect(backlog.firings.count == Int(policy.most))
          #expect(backlog.next.map { $0.due >= now - 60_000 && $0.number == backlog.missed + 1 } == true)
        }
      }
    }
    let due = try #require(minutes.first(after: -1, in: zone))
    let backlog = minutes.backlog(from: due, at: now, policy: .latest, in: zone)
    // The one that is reached a minute after its time is not missed.
    #expect(backlog.missed == 1_798_761_600 / 60 - 1)
    #expect(backlog.next?.due == now - 60_000)
  }

  @Test func `Count and until end a rule`() throws {
    let rule = TriggerRule.cron(try cron("0 7 * * *"))
    let start = try instant("2027-05-10T12:00:00Z").milliseconds
    #expect(rule.upcoming(5, after: start, ending: Ending(count: 2), in: .utc).map(\.number) == [1, 2])
    let until = try instant("2027-05-12T07:00:00Z").milliseconds
    #expect(rule.upcoming(5, after: start, ending: Ending(until: until), in: .utc).last?.due == until)
    #expect(rule.first(after: start, ending: Ending(until: start), in: .utc) == nil)
  }
}
