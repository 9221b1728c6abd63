import CarillonModel
import CarillonSchedule
import CarillonStore
import CarillonTime

/// When a request fires: the rule of its trigger, on the axis of its trigger.
struct Occurrences {
  /// Where a request begins.
  struct Start: Hashable {
    var axis: TimeAxis
    var due: Int64
    var anchor: Int64?
  }

  /// One firing that is due or missed.
  struct Due: Hashable {
    var stamp: Int64
    var late: Bool
    /// Missed occurrences that it stands for besides itself.
    var missed: Int64
  }

  /// What a request that is due does.
  struct Step: Hashable {
    var firings: [Due]
    /// The next occurrence; `nil` where there is none.
    var next: Int64?
    /// Occurrences that have come by then.
    var occurrences: Int64
  }

  let rule: Rule
  let zone: Zone

  /// How long after its time a one-shot without `expires` is still taken: a command may be under way for a while.
  static let admission: Duration = missedAfter

  /// Where an accepted request begins; `nil` for one without a trigger, which fires at once.
  ///
  /// - Throws: `past` where nothing is left to come.
  func start(at moment: Moment) throws(Refusal) -> Start? {
    switch rule.trigger.kind {
    case .now: return nil
    case .after(let delay):
      return Start(axis: .elapsed, due: OneShot(after: delay, from: moment.elapsed).due)
    case .at(let time):
      let once = OneShot(at: zone.instant(of: time))
      let life = rule.expires ?? Occurrences.admission
      guard once.admission(at: moment.wall.milliseconds, life: life) != .past else {
        let text = zone.timestamp(WallTime(milliseconds: once.due))
        throw Refusal(.past, at: "trigger.at", "\(text) has passed")
      }
      return Start(axis: .wall, due: once.due)
    case .every(let interval, let from):
      let anchor =
        from.map { moment.elapsed(at: zone.instant(of: $0)) }
        ?? moment.elapsed.addingSaturated(interval.milliseconds)
      let row = try self.row(anchor)
      guard let first = row.first(from: moment.elapsed, ending: ending(moment)) else {
        throw Refusal(.past, at: "trigger.until", "nothing is left of this trigger: it has ended already")
      }
      return Start(axis: .elapsed, due: first.due, anchor: anchor)
    case .calendar, .cron, .recurrence, .sun, .when:
      throw Refusal(.invalid, at: "trigger", "this relay fires only after, every and at")
    }
  }

  private func row(_ anchor: Int64) throws(Refusal) -> IntervalRule {
    guard case .every(let interval, _) = rule.trigger.kind else {
      throw Refusal(.invalid, at: "trigger", "this trigger does not repeat")
    }
    return try IntervalRule(anchor: anchor, interval: interval)
  }

  private func ending(_ moment: Moment) -> Ending {
    Ending(
      count: rule.trigger.count, until: rule.trigger.until.map { moment.elapsed(at: zone.instant(of: $0)) })
  }

  /// What a pending request does that has become due.
  ///
  /// - Parameter grace: how late an occurrence of a recurring request may be without having been missed.
  func step(
    _ request: StoredRequest, at moment: Moment, grace: Duration = missedAfter
  ) throws(Refusal) -> Step {
    guard let due = request.due else { return Step(firings: [], next: nil, occurrences: request.occurrences) }
    let now = moment.on(request.axis)
    guard let anchor = request.anchor else {
      // A time that had passed when the command came is late, by however little.
      let wasPast = request.axis == .wall && due < request.accepted.milliseconds
      let firing = Due(stamp: due, late: wasPast || isMissed(due: due, at: now), missed: 0)
      return Step(firings: [firing], next: nil, occurrences: request.occurrences + 1)
    }
    let row = try self.row(anchor)
    let current = Occurrence(due: due, number: request.occurrences + 1)
    let ending = ending(moment)
    guard isMissed(due: due, at: now, grace: grace) else {
      let next = row.next(after: current, ending: ending)
      let firing = Due(stamp: due, late: false, missed: 0)
      return Step(firings: [firing], next: next?.due, occurrences: current.number)
    }
    let backlog = row.backlog(from: current, at: now, ending: ending, policy: rule.catchUp, grace: grace)
    let firings = backlog.firings.map { occurrence in
      Due(
        stamp: occurrence.due, late: true,
        missed: rule.catchUp == .latest ? backlog.missed - 1 : 0)
    }
    return Step(
      firings: firings, next: backlog.next?.due, occurrences: request.occurrences + backlog.missed)
  }

  /// The first firings to come, at most `count`.
  func upcoming(_ request: StoredRequest, count: Int, at moment: Moment) -> [Int64] {
    guard let due = request.due else { return [] }
    var found = [due]
    guard let anchor = request.anchor, let row = try? self.row(anchor) else { return found }
    var occurrence = Occurrence(due: due, number: request.occurrences + 1)
    let ending = ending(moment)
    while found.count < count, let next = row.next(after: occurrence, ending: ending) {
      found.append(next.due)
      occurrence = next
    }
    return found
  }
}
