import CarillonModel
import CarillonTime

extension WallRule {
  /// What a relay finds when it comes back at `now` to a request whose occurrence `due` has not fired.
  ///
  /// It costs a few counts, not a walk: after fifty years as little as after a day.
  ///
  /// - Parameter grace: how late an occurrence may be without having been missed.
  public func backlog(
    from due: Occurrence, at now: Int64, ending: Ending = .never, policy: CatchUp,
    grace: Duration = missedAfter, in zone: Zone
  ) -> Backlog {
    guard ending.allows(due) else { return Backlog(missed: 0, firings: [], next: nil) }
    guard isMissed(due: due.due, at: now, grace: grace) else {
      return Backlog(missed: 0, firings: [], next: due)
    }
    let reached = now.subtractingSaturated(grace.milliseconds).subtractingSaturated(1)
    let row = Row(rule: self, zone: zone, start: due, end: min(reached, ending.until ?? .max))
    let left = (ending.count ?? .max).subtractingSaturated(due.number)
    let later = min(row.count, left)
    let late = min(policy.most, later + 1)
    let firings = row.newest(late, of: later)
    let newest = policy == .none ? row.newest(1, of: later).last : firings.last
    return Backlog(
      missed: later + 1, firings: firings,
      next: newest.flatMap { next(after: $0, ending: ending, in: zone) })
  }
}

/// The occurrences from one that is known, which is the first, to an instant.
private struct Row<Rule: WallRule> {
  let rule: Rule
  let zone: Zone
  let start: Occurrence
  let end: WallTime
  /// How many follow the first.
  let count: Int64

  init(rule: Rule, zone: Zone, start: Occurrence, end: Int64) {
    self.rule = rule
    self.zone = zone
    self.start = start
    self.end = WallTime(milliseconds: end)
    count = rule.count(after: WallTime(milliseconds: start.due), through: self.end, in: zone)
  }

  /// The last `amount` of the first occurrence and the `later` ones that follow it.
  func newest(_ amount: Int64, of later: Int64) -> [Occurrence] {
    guard amount > 0 else { return [] }
    guard amount <= later else { return [start] + walk(from: start, later) }
    let before = start.number.addingSaturated(later - amount)
    let time = later == count ? lastTime(leaving: amount) : time(of: later - amount)
    return walk(from: Occurrence(due: time, number: before), amount)
  }

  private func walk(from occurrence: Occurrence, _ steps: Int64) -> [Occurrence] {
    rule.upcoming(Int(steps), after: occurrence, in: zone)
  }

  /// The latest second after which there are that many to the end. First ever longer times before the end are counted,
  /// because the newest are near it, then halves of the one that reaches so far; none is counted twice.
  private func lastTime(leaving amount: Int64) -> Int64 {
    let floor = max(WallTime(milliseconds: start.due).seconds, earliestSecond)
    var high = min(end.seconds, latestSecond)
    var low = high
    var left = amount
    var reach: Int64 = 64
    var limit = end
    while low > floor {
      low = max(floor, high.subtractingSaturated(reach))
      let count = rule.count(after: WallTime(seconds: low), through: limit, in: zone)
      if count >= left { break }
      left -= count
      high = low
      limit = WallTime(seconds: high)
      reach *= 4
    }
    while high - low > 1 {
      let middle = low + (high - low) / 2
      let count = rule.count(after: WallTime(seconds: middle), through: limit, in: zone)
      if count >= left {
        low = middle
      } else {
        left -= count
        high = middle
        limit = WallTime(seconds: high)
      }
    }
    return WallTime(seconds: low).milliseconds
  }

  /// The time of the `steps`-th occurrence after the first: likewise, from the start.
  private func time(of steps: Int64) -> Int64 {
    guard steps > 0 else { return start.due }
    let ceiling = min(end.seconds, latestSecond)
    var from = WallTime(milliseconds: start.due)
    var low = max(from.seconds, earliestSecond)
    var high = low
    var left = steps
    var reach: Int64 = 64
    while high < ceiling {
      high = min(ceiling, low.addingSaturated(reach))
      let count = rule.count(after: from, through: WallTime(seconds: high), in: zone)
      if count >= left { break }
      left -= count
      low = high
      from = WallTime(seconds: low)
      reach *= 4
    }
    while high - low > 1 {
      let middle = low + (high - low) / 2
      let count = rule.count(after: from, through: WallTime(seconds: middle), in: zone)
      if count >= left {
        high = middle
      } else {
        left -= count
        low = middle
        from = WallTime(seconds: low)
      }
    }
    return WallTime(seconds: high).milliseconds
  }
}
