import CarillonModel
import CarillonSchedule
import CarillonStore

// What comes after firings besides the schedule: nags, and what was put off.
extension Relay {
  /// Fires what is due of nags and snoozes.
  ///
  /// - Parameters:
  ///   - limit: how many at most.
  ///   - deliveries: how many deliveries end a slice; see `prepare`.
  /// - Returns: what to do, and whether more may be due.
  mutating func followUp(
    at moment: Moment, limit: Int, deliveries: Int
  ) throws(StoreError) -> (actions: [Action], hasMore: Bool) {
    let due = try queue.followups(through: moment.elapsed, limit: limit)
    var actions: [Action] = []
    var count = 0
    for followup in due {
      guard count < deliveries else { return (actions, true) }
      // The beginning of one series ends another.
      guard try queue.followup(row: followup.row) == followup else { continue }
      let more = try fire(followup, at: moment)
      count += more.count { if case .deliver = $0 { true } else { false } }
      actions += more
    }
    return (actions, due.count == limit)
  }

  private mutating func fire(_ followup: Followup, at moment: Moment) throws(StoreError) -> [Action] {
    guard let request = try queue.request(followup.sequence),
      let firing = try queue.firing(row: followup.firing)
    else {
      try queue.delete(followup)
      return []
    }
    let rule: Rule
    do throws(Refusal) { rule = try Rule(stored: request.rule) } catch {
      try queue.delete(followup)
      return [.cannotFire(request, error)]
    }
    return switch followup.kind {
    case .nag: try nag(followup, firing, request, rule, at: moment)
    case .snooze: try comeBack(followup, firing, request, rule, at: moment)
    }
  }

  /// A firing besides the schedule, decided on now.
  func unscheduled(_ request: StoredRequest, due: WallTime, at moment: Moment) -> StoredFiring {
    // On the request's own clock, so that its firings are in order whatever happens to the other.
    let now = moment.on(request.axis)
    return StoredFiring(
      sequence: request.sequence, stamp: now, counter: queue.nextSerial(), due: due, axis: request.axis.clock,
      release: now, fired: moment.wall)
  }

  // MARK: Snooze

  /// The first answer to a firing: it is the answer to its whole series, and may put the notification off.
  mutating func answer(
    _ response: Response, to firing: StoredFiring, from name: Name, _ device: Int64, at moment: Moment
  ) throws(StoreError) -> [Action] {
    if response.event == .acted, let action = response.action {
      try putOff(firing, action, at: moment)
    }
    return try endSeries(
      of: firing, response.event.rawValue, by: name.text, answeredAt: device, at: moment)
  }

  /// Sees to it that a notification comes once more, where the button pressed puts it off.
  private func putOff(_ firing: StoredFiring, _ action: String, at moment: Moment) throws(StoreError) {
    guard let request = try queue.request(firing.sequence),
      let members = try? Rule.fields(request.content).object,
      let time = Content(members: members).snooze(of: action)
    else { return }
    let due = moment.elapsed.addingSaturated(time.milliseconds)
    try queue.insert(
      Followup(sequence: request.sequence, firing: firing.row, kind: .snooze, due: due),
      isHeld: request.state == .paused)
  }

  /// A notification that was put off fires once more, to those that it went to before, with a life of its own.
  private mutating func comeBack(
    _ followup: Followup, _ before: StoredFiring, _ request: StoredRequest, _ rule: Rule, at moment: Moment
  ) throws(StoreError) -> [Action] {
    try queue.delete(followup)
    let due = moment.wall(at: followup.due)
    let expires = rule.expires.map { due + $0 }
    if let expires, expires <= moment.wall {
      return [.noted("a snooze of request \(request.sequence) expired before it could fire")]
    }
    var firing = unscheduled(request, due: due, at: moment)
    firing.late = isMissed(due: followup.due, at: moment.elapsed)
    firing.expires = expires
    return try write(
      firing, request, rule, to: rule.recipients(at: before.series), replaces: true, at: moment
    ).actions
  }
}
