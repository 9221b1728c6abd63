import CarillonModel
import CarillonSchedule
import CarillonTestSupport
import CarillonTime
import Testing

/// What holds for every rule in every zone.
struct WallRulePropertyTests {
  /// Every zone of the system's tzdata.
  private static let zones: [Zone] = {
    let database = ZoneDatabase(directory: ZoneDatabase.systemDirectory)
    return database.allNames().compactMap { try? database.zone(named: $0) }
  }()

  /// What is wrong with the next firing after an instant; `nil` where nothing is.
  private func fault(_ rule: any WallRule, after time: WallTime, in zone: Zone) -> String? {
    guard let next = rule.next(after: time, in: zone) else { return "none comes" }
    guard next > time else { return "the next is \(next)" }
    // Nothing lies between: asked from just before it, the answer is the same.
    let again = rule.next(after: next - .milliseconds(1), in: zone)
    guard again == next else {
      return "the next is \(next), but \(String(describing: again)) from just before"
    }
    return nil
  }

  @Test func `Every zone that is installed is among those that are tried`() {
    let names = ZoneDatabase(directory: ZoneDatabase.systemDirectory).allNames()
    #expect(names.count > 300)
    #expect(Self.zones.map(\.name) == names)
  }

  @Test(arguments: RuleKind.quick)
  func `The next firing is always later, around every change of every zone's clocks`(_ kind: RuleKind) throws
  {
    var random = SplitMix(seed: 3)
    var changes = 0
    for zone in Self.zones {
      let rules = try (0..<3).map { _ in try kind.random(&random) }
      for (place, change) in zone.changes().enumerated() {
        let rule = rules[place % rules.count]
        changes += 1
        let near = Int64.random(in: -100_000_000...100_000_000, using: &random)
        let time = change + .milliseconds([-1, 0, near].randomElement(using: &random) ?? 0)
        if let fault = fault(rule, after: time, in: zone) {
          Issue.record("\(rule) in \(zone.name) after \(time): \(fault)")
          return
        }
      }
    }
    #expect(changes > 30_000)
  }

  @Test(arguments: RuleKind.allCases)
  func `The next firing is always later, and counting finds what walking does, in every zone`(
    _ kind: RuleKind
  ) throws {
    var random = SplitMix(seed: 4)
    let steps = kind == .sun ? 2 : 4
    for zone in Self.zones {
      for _ in 0..<(kind == .sun ? 1 : 2) {
        let rule = try kind.random(&random)
        let start = zone.moment(&random)
        var time = start
        for step in 1...Int64(steps) {
          if let fault = fault(rule, after: time, in: zone) {
            Issue.record("\(rule) in \(zone.name) after \(time): \(fault)")
            return
          }
          time = try #require(rule.next(after: time, in: zone))
          guard kind != .sun || step == steps else { continue }
          let (through, before) = (
            rule.count(after: start, through: time, in: zone),
            rule.count(after: start, through: time - .milliseconds(1), in: zone)
          )
          guard through == step, before == step - 1 else {
            Issue.record(
              "\(rule) in \(zone.name) from \(start): \(before) and \(through) counted about number \(step)")
            return
          }
        }
      }
    }
  }

  /// A relay comes back to some occurrence of a random rule, so late that some more are missed.
  private func backlog(_ kind: RuleKind, in zone: Zone, _ random: inout SplitMix) throws {
    let rule = try kind.random(&random)
    let start = zone.moment(&random)
    let due = try #require(rule.first(after: start.milliseconds, in: zone))
    let ending = Ending(
      count: Bool.random(using: &random) ? Int64.random(in: 1...300, using: &random) : nil,
      until: Bool.random(using: &random)
        ? due.due + Int64.random(in: 0...200_000_000, using: &random) : nil)
    // Late by a number of occurrences, and a little less or more.
    let number = Int.random(in: 0...(kind == .sun ? 8 : 150), using: &random)
    let reached = rule.upcoming(number, after: due, in: zone).last ?? due
    let now = reached.due + Int64.random(in: -1000...200_000, using: &random)
    var missed: [Occurrence] = []
    var next: Occurrence? = ending.allows(due) ? due : nil
    while let occurrence = next, isMissed(due: occurrence.due, at: now) {
      missed.append(occurrence)
      next = rule.next(after: occurrence, ending: ending, in: zone)
    }
    for policy in CatchUp.allCases {
      let expected = Backlog(
        missed: Int64(missed.count), firings: missed.suffix(Int(policy.most)), next: next)
      let found = rule.backlog(from: due, at: now, ending: ending, policy: policy, in: zone)
      try #require(
        found == expected, "\(rule) in \(zone.name) from \(due) at \(now) until \(ending)")
    }
  }

  static let odd = [
    "Africa/Casablanca", "America/Havana", "America/New_York", "America/Nuuk", "America/St_Johns",
    "Antarctica/Troll",
    "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Kwajalein", "Asia/Manila", "Etc/UTC",
  ]

  @Test(arguments: odd) func `A backlog is what walking would find`(_ name: String) throws {
    var random = SplitMix(seed: name.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) })
    let zone = try installed(name)
    for _ in 0..<12 {
      for kind in RuleKind.quick { try backlog(kind, in: zone, &random) }
    }
    try backlog(.sun, in: zone, &random)
  }

  @Test func `A backlog is what walking would find, in every zone`() throws {
    var random = SplitMix(seed: 5)
    for (place, zone) in Self.zones.enumerated() {
      try backlog(RuleKind.quick[place % RuleKind.quick.count], in: zone, &random)
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
