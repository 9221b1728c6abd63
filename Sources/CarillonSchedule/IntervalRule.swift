import CarillonModel

/// `every`: the times `anchor + k · interval`, for whole `k` from 0. They do not drift, and know neither zone nor calendar.
///
/// Everything is arithmetic on the distance from the anchor, never a walk: a clock that jumps by fifty years costs no more
/// than one that goes on.
public struct IntervalRule: Hashable, Sendable {
  /// The first time, in milliseconds on the trigger's clock.
  public let anchor: Int64
  /// Milliseconds, positive.
  private let step: Int64

  /// The shortest interval that is taken (protocol §3).
  public static let shortest: Duration = .seconds(1)

  /// - Throws: `invalid`, without a place, for an interval under `shortest`.
  public init(anchor: Int64, interval: Duration) throws(Refusal) {
    guard interval >= IntervalRule.shortest else {
      throw Refusal(.invalid, "an interval must be at least \(IntervalRule.shortest.written)")
    }
    self.anchor = anchor
    step = interval.milliseconds
  }

  public var interval: Duration { .milliseconds(step) }

  /// The first time after `time`, which is always greater; `nil` where the axis ends before it.
  public func next(after time: Int64) -> Int64? {
    guard time >= anchor else { return anchor }
    // The distance of any two points fits 64 bits without a sign.
    let distance = UInt64(bitPattern: time &- anchor)
    let rest = Int64(distance % UInt64(step))
    let (next, overflow) = time.addingReportingOverflow(step - rest)
    return overflow ? nil : next
  }

  /// The first time at or after `time`; `nil` where the axis ends before it.
  public func next(atOrAfter time: Int64) -> Int64? {
    time == .min ? anchor : next(after: time - 1)
  }

  /// The first occurrence of a request that is accepted at `now`: an anchor in the past gives the next time of its row.
  /// `nil` where the rule has ended by then.
  public func first(from now: Int64, ending: Ending = .never) -> Occurrence? {
    next(atOrAfter: now).map { Occurrence(due: $0, number: 1) }.flatMap { ending.allows($0) ? $0 : nil }
  }

  /// The occurrence after one that has fired; `nil` where it was the last.
  public func next(after occurrence: Occurrence, ending: Ending = .never) -> Occurrence? {
    guard occurrence.number < .max, let due = next(after: occurrence.due) else { return nil }
    let next = Occurrence(due: due, number: occurrence.number + 1)
    return ending.allows(next) ? next : nil
  }

  /// What was missed between the occurrence that was due first and `now`, and what comes then.
  ///
  /// - Parameters:
  ///   - due: the next occurrence as it was known before the downtime.
  ///   - policy: which of the missed ones still fire.
  ///   - grace: how late an occurrence may be without having been missed.
  public func backlog(
    from due: Occurrence, at now: Int64, ending: Ending = .never, policy: CatchUp,
    grace: Duration = missedAfter
  ) -> Backlog {
    guard ending.allows(due) else { return Backlog(missed: 0, firings: [], next: nil) }
    guard isMissed(due: due.due, at: now, grace: grace) else {
      return Backlog(missed: 0, firings: [], next: due)
    }
    let reached = now.subtractingSaturated(grace.milliseconds).subtractingSaturated(1)
    let last = min(steps(from: due.due, through: reached), lastStep(from: due, ending: ending))
    let newest = occurrence(last, after: due)
    let late = min(policy.most, last + 1)
    return Backlog(
      missed: last + 1,
      firings: (0..<late).map { occurrence(last - late + 1 + $0, after: due) },
      next: next(after: newest, ending: ending))
  }

  /// How many steps lead from one time to the last one that is not after another, which is not before it.
  private func steps(from start: Int64, through end: Int64) -> Int64 {
    Int64(UInt64(bitPattern: end &- start) / UInt64(step))
  }

  /// How many steps the ending leaves after an occurrence that it allows.
  private func lastStep(from due: Occurrence, ending: Ending) -> Int64 {
    let byCount = (ending.count ?? .max).subtractingSaturated(due.number)
    let byTime = steps(from: due.due, through: ending.until ?? .max)
    return min(byCount, byTime)
  }

  private func occurrence(_ steps: Int64, after due: Occurrence) -> Occurrence {
    // The distance alone may be beyond 63 bits, its end is not: the sum comes out right although its parts wrap.
    Occurrence(due: due.due &+ steps &* step, number: due.number.addingSaturated(steps))
  }
}
