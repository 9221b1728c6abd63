import CarillonModel
import CarillonSchedule
import CarillonTime

/// The firings of a trigger that is accepted at `start`, those after it, in order; by the rules that the
/// relay follows.
struct Firings: Sequence, IteratorProtocol {
  private enum Rule {
    case once(OneShot)
    case interval(IntervalRule)
  }

  private let rule: Rule
  private let ending: Ending
  private var time: Int64
  private var number: Int64 = 0

  init(of trigger: Trigger, after start: WallTime, in zone: Zone) throws(Refusal) {
    // Without a delay it fires at the start itself, which is otherwise not part of the preview.
    let isImmediate = trigger.kind == .now || trigger.kind == .after(.zero)
    time = start.milliseconds.subtractingSaturated(isImmediate ? 1 : 0)
    ending = Ending(count: trigger.count, until: trigger.until.map { zone.instant(of: $0).milliseconds })
    switch trigger.kind {
    case .now: rule = .once(OneShot(due: start.milliseconds))
    case .after(let delay): rule = .once(OneShot(after: delay, from: start.milliseconds))
    case .at(let written): rule = .once(OneShot(at: zone.instant(of: written)))
    case .every(let interval, let from):
      let anchor =
        from.map { zone.instant(of: $0).milliseconds }
        ?? start.milliseconds.addingSaturated(interval.milliseconds)
      rule = .interval(try IntervalRule(anchor: anchor, interval: interval))
    case .calendar, .cron, .recurrence, .sun, .when:
      throw Refusal(
        .invalid, at: "trigger.\(trigger.kind.name)",
        "only after, every and at can be shown in advance")
    }
  }

  mutating func next() -> WallTime? {
    guard let due = following, due <= WallTime.writable.upperBound.milliseconds else { return nil }
    number += 1
    guard ending.allows(Occurrence(due: due, number: number)) else { return nil }
    time = due
    return WallTime(milliseconds: due)
  }

  private var following: Int64? {
    switch rule {
    case .once(let shot): shot.next(after: time)
    case .interval(let rule): rule.next(after: time)
    }
  }
}
