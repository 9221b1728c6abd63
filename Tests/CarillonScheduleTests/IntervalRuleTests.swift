import CarillonModel
import CarillonSchedule
import CarillonTestSupport
import Testing

struct IntervalRuleTests {
  /// Milliseconds of an RFC 3339 text.
  private func at(_ text: String) throws -> Int64 {
    guard case .instant(let time) = try WrittenTime(parsing: text) else { return .min }
    return time.milliseconds
  }

  private func times(_ rule: IntervalRule, after start: Int64, _ count: Int) -> [String] {
    var found: [String] = []
    var time = start
    while found.count < count, let next = rule.next(after: time) {
      found.append(timestamp(utc: WallTime(milliseconds: next), milliseconds: false))
      time = next
    }
    return found
  }

  @Test func `An interval that does not divide the hour does not bunch up`() throws {
    let rule = try IntervalRule(anchor: at("2027-01-01T00:00:00Z"), interval: .seconds(2700))
    #expect(
      times(rule, after: try at("2027-01-01T00:00:01Z"), 4) == [
        "2027-01-01T00:45:00Z", "2027-01-01T01:30:00Z", "2027-01-01T02:15:00Z", "2027-01-01T03:00:00Z",
      ])
  }

  @Test func `A day of elapsed time is 24 hours, whatever the clocks do`() throws {
    let anchor = try at("2027-03-27T11:00:00Z")
    let rule = try IntervalRule(anchor: anchor, interval: .seconds(86_400))
    #expect(rule.first(from: anchor) == Occurrence(due: anchor, number: 1))
    #expect(times(rule, after: anchor, 2) == ["2027-03-28T11:00:00Z", "2027-03-29T11:00:00Z"])
  }

  @Test(
    arguments: [
      (2_592_000, "2027-01-31T00:00:00Z"), (2_147_484, "2027-01-25T20:31:24Z"),
      (2_147_483_648, "2095-01-19T03:14:08Z"),
    ] as [(Int64, String)])
  func `Intervals beyond 31 bits of milliseconds or seconds are due when they should be`(
    seconds: Int64, due: String
  ) throws {
    let now = try at("2027-01-01T00:00:00Z")
    let rule = try IntervalRule(anchor: now, interval: .seconds(seconds))
    #expect(try rule.next(after: now) == at(due))
    #expect(try OneShot(after: .seconds(seconds), from: now).due == at(due))
  }

  @Test func `An anchor in the past gives the next of its row, and one in the future itself`() throws {
    let rule = try IntervalRule(anchor: 10_000, interval: .seconds(5))
    #expect(rule.first(from: 10_001) == Occurrence(due: 15_000, number: 1))
    #expect(rule.first(from: 15_000) == Occurrence(due: 15_000, number: 1))
    #expect(rule.first(from: -50_000) == Occurrence(due: 10_000, number: 1))
    #expect(rule.first(from: .min) == Occurrence(due: 10_000, number: 1))
    #expect(rule.first(from: 10_001, ending: Ending(until: 14_999)) == nil)
    #expect(rule.first(from: 10_001, ending: Ending(until: 15_000)) != nil)
  }

  @Test(arguments: [
    Duration.zero, .milliseconds(1), .milliseconds(999), .seconds(-5), .nanoseconds(999_999_999),
  ])
  func `An interval under a second is refused`(interval: Duration) {
    let refusal = #expect(throws: Refusal.self) { try IntervalRule(anchor: 0, interval: interval) }
    #expect(refusal?.code == .invalid)
  }

  @Test func `Count and until end the rule, both inclusive`() throws {
    let rule = try IntervalRule(anchor: 0, interval: .seconds(10))
    func all(_ ending: Ending) -> [Int64] {
      var found: [Int64] = []
      var current = rule.first(from: 0, ending: ending)
      while let occurrence = current, found.count < 10 {
        found.append(occurrence.due)
        current = rule.next(after: occurrence, ending: ending)
      }
      return found
    }
    #expect(all(Ending(count: 3)) == [0, 10_000, 20_000])
    #expect(all(Ending(until: 20_000)) == [0, 10_000, 20_000])
    #expect(all(Ending(until: 19_999)) == [0, 10_000])
    #expect(all(Ending(count: 1, until: 50_000)) == [0])
    #expect(all(Ending(count: 5, until: 10_000)) == [0, 10_000])
    #expect(all(.never).count == 10)
    #expect(rule.next(after: Occurrence(due: 0, number: .max)) == nil)
  }

  @Test func `The next time is always later, in the row, and the first of it`() throws {
    var random = SplitMix(seed: 19)
    func any() -> Int64 {
      Int64(truncatingIfNeeded: random.next()) >> Int64(Int.random(in: 0...60, using: &random))
    }
    let ends: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    for round in 0..<20_000 {
      let anchor = round % 10 == 0 ? ends.randomElement(using: &random) ?? 0 : any()
      let time = round % 7 == 0 ? ends.randomElement(using: &random) ?? 0 : any()
      let step = max(1000, any().magnitude >> 1)
      let rule = try IntervalRule(anchor: anchor, interval: .milliseconds(Int64(step)))
      guard let next = rule.next(after: time) else {
        // Only where the axis ends before it.
        try #require(time.addingSaturated(Int64(step)) == .max)
        continue
      }
      try #require(next > time)
      try #require(next >= anchor)
      try #require(UInt64(bitPattern: next &- anchor) % step == 0)
      try #require(next == anchor || UInt64(bitPattern: next &- time) <= step)
      try #require(rule.next(atOrAfter: next) == next)
    }
  }
}
