import CarillonFuzz
import CarillonModel
import CarillonSchedule
import CarillonTime

/// The longest of the steps that the relay takes with a rule, and which it is.
struct SlowestStep: CustomStringConvertible {
  private(set) var name = "nothing"
  private(set) var taken = Duration.zero

  var description: String { "\(name): \(taken)" }

  /// Each answer that the relay asks of a rule, from its reading to what it finds after a clock has jumped by centuries.
  init(of nasty: NastyRule, in zone: Zone) throws {
    var rule = try nasty.parsed()
    take("reading it") { rule = (try? nasty.parsed()) ?? rule }
    take("why it never fires") { _ = rule.whyNever }
    let times = [
      WallTime(milliseconds: .min), try instant("1970-01-01T00:00:00Z"), try instant("2027-01-01T00:00:00Z"),
    ]
    for time in times + [WallTime(milliseconds: .max)] {
      take("the next after \(time.seconds)") { _ = rule.next(after: time, in: zone) }
    }
    take("the next three") { _ = rule.upcoming(3, after: times[2].milliseconds, in: zone) }
    for end in [times[2], try instant("2527-01-01T00:00:00Z")] {
      take("counting from 1970") { _ = rule.count(after: times[1], through: end, in: zone) }
      guard let due = rule.first(after: times[1].milliseconds, in: zone) else { return }
      for policy in CatchUp.allCases {
        take("the backlog since 1970") {
          _ = rule.backlog(from: due, at: end.milliseconds, policy: policy, in: zone)
        }
      }
      take("the backlog up to a number") {
        _ = rule.backlog(
          from: due, at: end.milliseconds, ending: Ending(count: 100_000), policy: .all, in: zone)
      }
    }
  }

  private mutating func take(_ name: String, _ step: () -> Void) {
    let taken = processorTime(step)
    if taken > self.taken { (self.name, self.taken) = (name, taken) }
  }
}
