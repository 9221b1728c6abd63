import CarillonModel
import CarillonSchedule
import CarillonTestSupport
import Testing

struct BacklogTests {
  private let second: Int64 = 1000

  @Test func `An occurrence is missed when it is reached more than a minute late`() {
    #expect(!isMissed(due: 0, at: 60_000))
    #expect(isMissed(due: 0, at: 60_001))
    #expect(!isMissed(due: 0, at: -1))
    #expect(isMissed(due: .min, at: .max))
    #expect(!isMissed(due: .max, at: .min))
  }

  @Test func `What is on time makes no backlog`() throws {
    let rule = try IntervalRule(anchor: 0, interval: .seconds(5))
    let due = Occurrence(due: 100_000, number: 21)
    for now in [90_000, 100_000, 160_000] as [Int64] {
      #expect(rule.backlog(from: due, at: now, policy: .latest) == Backlog(missed: 0, firings: [], next: due))
    }
  }

  @Test func `The newest missed occurrence fires, with the number of all`() throws {
    let day: Int64 = 86_400_000
    let rule = try IntervalRule(anchor: 0, interval: .seconds(86_400))
    let backlog = rule.backlog(from: Occurrence(due: day, number: 2), at: 7 * day + day / 8, policy: .latest)
    #expect(backlog.missed == 7)
    #expect(backlog.firings == [Occurrence(due: 7 * day, number: 8)])
    #expect(backlog.next == Occurrence(due: 8 * day, number: 9))
  }

  @Test func `All fire where that is asked for, but at most the hundred newest; none where none is`() throws {
    let rule = try IntervalRule(anchor: 0, interval: .seconds(600))
    let due = Occurrence(due: 600_000, number: 1)
    let few = rule.backlog(from: due, at: 36 * 600_000 + 61_000, policy: .all)
    #expect(few.missed == 36)
    #expect(few.firings.map(\.number) == Array(1...36))
    #expect(few.firings.map(\.due) == (1...36).map { $0 * 600_000 })
    let many = rule.backlog(from: due, at: 5000 * 600_000 + 61_000, policy: .all)
    #expect(many.missed == 5000)
    #expect(many.firings.map(\.number) == Array(4901...5000))
    let none = rule.backlog(from: due, at: 5000 * 600_000 + 61_000, policy: CatchUp.none)
    #expect(none == Backlog(missed: 5000, firings: [], next: Occurrence(due: 5001 * 600_000, number: 5001)))
  }

  @Test func `A clock that jumps from 1970 costs no more than one that goes on`() throws {
    let rule = try IntervalRule(anchor: 0, interval: .seconds(5))
    let now = 1_798_761_600 * second
    let elapsed = ContinuousClock().measure {
      for _ in 0..<1000 {
        let backlog = rule.backlog(from: Occurrence(due: 0, number: 1), at: now, policy: .latest)
        #expect(backlog.missed == 359_752_320 - 12)
        #expect(backlog.firings.count == 1)
        #expect(backlog.next?.due == now - 60 * second)
      }
    }
    #expect(elapsed < .seconds(5))
  }

  @Test func `Count and until hold for missed occurrences too`() throws {
    let rule = try IntervalRule(anchor: 0, interval: .seconds(10))
    let due = Occurrence(due: 20_000, number: 3)
    let counted = rule.backlog(from: due, at: 1_000_000, ending: Ending(count: 5), policy: .latest)
    #expect(counted == Backlog(missed: 3, firings: [Occurrence(due: 40_000, number: 5)], next: nil))
    let timed = rule.backlog(from: due, at: 1_000_000, ending: Ending(until: 39_999), policy: .all)
    #expect(timed.firings.map(\.due) == [20_000, 30_000])
    #expect(timed.next == nil)
    let ended = rule.backlog(from: due, at: 1_000_000, ending: Ending(count: 2), policy: .all)
    #expect(ended == Backlog(missed: 0, firings: [], next: nil))
  }

  @Test func `A backlog is what walking would find`() throws {
    var random = SplitMix(seed: 23)
    for _ in 0..<3000 {
      let step = Int64.random(in: 1000...90_000, using: &random)
      let anchor = Int64.random(in: -1_000_000...1_000_000, using: &random)
      let rule = try IntervalRule(anchor: anchor, interval: .milliseconds(step))
      let due = try #require(rule.first(from: Int64.random(in: -1_000_000...1_000_000, using: &random)))
      let now = due.due + Int64.random(in: -100_000...5_000_000, using: &random)
      let ending = Ending(
        count: Bool.random(using: &random) ? Int64.random(in: 1...100, using: &random) : nil,
        until: Bool.random(using: &random) ? due.due + Int64.random(in: 0...3_000_000, using: &random) : nil)
      var missed: [Occurrence] = []
      var next: Occurrence? = due
      while let occurrence = next, isMissed(due: occurrence.due, at: now) {
        missed.append(occurrence)
        next = rule.next(after: occurrence, ending: ending)
      }
      for policy in CatchUp.allCases {
        let expected = Backlog(
          missed: Int64(missed.count), firings: missed.suffix(Int(policy.most)), next: next)
        try #require(rule.backlog(from: due, at: now, ending: ending, policy: policy) == expected)
      }
    }
  }

  @Test func `Nothing traps at the ends of the axis`() throws {
    let ends: [Int64] = [.min, .min + 1, .min + 60_001, -1, 0, 1, .max - 60_001, .max - 1, .max]
    for anchor in ends {
      for step in [1000, 60_000, 3_155_760_000_000, .max] as [Int64] {
        let rule = try IntervalRule(anchor: anchor, interval: .milliseconds(step))
        for due in ends {
          for now in ends {
            for number in [1, .max] as [Int64] {
              for ending in [Ending.never, Ending(count: .max, until: .max), Ending(count: 1, until: .min)] {
                let backlog = rule.backlog(
                  from: Occurrence(due: due, number: number), at: now, ending: ending, policy: .all)
                #expect(backlog.firings.count <= 100)
                #expect(backlog.firings.allSatisfy { $0.due <= now && $0.due >= due })
              }
            }
          }
        }
      }
    }
  }
}
