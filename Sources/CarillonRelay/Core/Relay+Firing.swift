import CarillonModel
import CarillonSchedule
import CarillonStore
import CarillonTime

extension Relay {
  func id(of firing: StoredFiring) -> DeliveryID {
    DeliveryID(
      store: queue.storeID, sequence: firing.sequence, stamp: firing.stamp, counter: firing.counter)
  }

  /// Writes a firing with a delivery for each device that the request reaches now, and lets its nag begin when it goes out.
  ///
  /// - Parameter replaces: whether earlier firings of the same id may be under way.
  mutating func fire(
    _ firing: StoredFiring, _ request: StoredRequest, _ rule: Rule, replaces: Bool, at moment: Moment
  ) throws(StoreError) -> [Action] {
    let written = try write(firing, request, rule, to: rule.to, replaces: replaces, at: moment)
    if let nag = rule.nag { try beginNag(written.row, firing, request, nag, at: moment) }
    return written.actions
  }

  /// Writes a firing with a delivery for each device that the recipients are now.
  ///
  /// - Returns: its row, and what to do.
  mutating func write(
    _ firing: StoredFiring, _ request: StoredRequest, _ rule: Rule, to recipients: Recipients, replaces: Bool,
    at moment: Moment
  ) throws(StoreError) -> (row: Int64, actions: [Action]) {
    let rows = try resolve(recipients)
    var firing = firing
    firing.noted = moment.elapsed
    firing.row = try queue.insert(firing)
    if firing.fired != nil { queue.countFired() }
    guard !rows.isEmpty else {
      try queue.end(firing.row, Relay.noDevice, by: nil)
      queue.countFailed()
      let what = "request \(request.sequence) fired, and there is no device to reach"
      return (row: firing.row, actions: [.noted(what)])
    }
    var actions: [Action] = []
    for row in rows {
      try queue.insertDelivery(firing.row, to: row, due: firing.due)
      if replaces, devices[row]?.isOnline == false {
        try supersedeWaiting(row, firing, request, rule, at: moment)
      }
      actions.append(
        .deliver(
          OutgoingDelivery(
            device: row, open: .notification, state: .waiting, firing: firing, id: request.id,
            publisher: request.publisher, zone: request.zone, content: request.content,
            keepsAll: rule.catchUp == .all)))
    }
    return (row: firing.row, actions: actions)
  }

  /// Drops what waits for a device that is away and is not worth sending beside a new firing.
  private func supersedeWaiting(
    _ device: Int64, _ firing: StoredFiring, _ request: StoredRequest, _ rule: Rule, at moment: Moment
  ) throws(StoreError) {
    if rule.catchUp != .all {
      try queue.supersedeWaiting(device, id: request.id, before: firing.row, at: moment.wall)
    } else if let series = firing.series {
      // Each occurrence is to reach the device, but not each of its repetitions.
      try queue.supersedeWaiting(device, series: series.first, before: firing.row, at: moment.wall)
    }
  }

  /// Why a firing ended that reached nobody (protocol §3).
  static let noDevice = "no device"

  /// How long before its due time a firing is prepared (the design's one second): its commit is over by then.
  static let preparation: Int64 = 1000

  /// Prepares what falls due within a second, and what has fallen due: moves the triggers on and writes the firings. Then
  /// comes what is due besides the schedule, so that an occurrence takes the place of a nag that was missed with it.
  ///
  /// - Parameters:
  ///   - wallClock: whether requests on the wall clock may fire.
  ///   - events: whether what an event has made due may fire: the relay is up to date with what the broker knows.
  ///   - limit: how many requests at most, so that a burst is prepared in slices.
  ///   - deliveries: how many deliveries end a slice. The request that reaches the number is the last, however many it
  ///     has.
  /// - Returns: what to do, and whether more is due.
  mutating func prepare(
    at moment: Moment, wallClock: Bool, events: Bool = true, limit: Int, deliveries: Int = Relay.slice
  ) throws(StoreError) -> (actions: [Action], hasMore: Bool) {
    let axes = TimeAxis.allCases.filter { $0 == .elapsed || ($0 == .wall ? wallClock : events) }
    let prepared = try prepare(axes, at: moment, limit: limit, deliveries: deliveries)
    return (try closeWatching() + prepared.actions, prepared.hasMore)
  }

  private mutating func prepare(
    _ axes: [TimeAxis], at moment: Moment, limit: Int, deliveries: Int
  ) throws(StoreError) -> (actions: [Action], hasMore: Bool) {
    var due: [(request: StoredRequest, at: WallTime)] = []
    /// Beyond it an axis may hold more than was read.
    var end: WallTime?
    var actions: [Action] = []
    for axis in axes {
      let through = moment.on(axis).addingSaturated(axis.preparation)
      if axis == .wall {
        let settled = try settleEarlier(through: through, limit: limit, at: moment)
        actions += settled.actions
        end = [end, settled.end].compactMap { $0 }.min()
      }
      let found = try queue.due(on: axis, through: through, limit: limit).map { request in
        (request: request, at: moment.wall(at: request.due ?? 0, on: axis))
      }
      if found.count == limit, let last = found.last?.at { end = min(end ?? last, last) }
      due += found
    }
    if let end { due.removeAll { $0.at > end } }
    due.sort { ($0.at, $0.request.sequence) < ($1.at, $1.request.sequence) }
    var count = 0
    for (request, _) in due {
      // A request may reach every device, so requests alone do not bound what is written.
      guard count < deliveries else { return (Relay.inOrder(actions), true) }
      let more = try advance(request, at: moment)
      count += more.count { if case .deliver = $0 { true } else { false } }
      actions += more
    }
    guard end == nil, count < deliveries else { return (Relay.inOrder(actions), true) }
    let followed = try followUp(at: moment, limit: limit, deliveries: deliveries - count)
    return (Relay.inOrder(actions + followed.actions), followed.hasMore)
  }

  /// So many deliveries end a slice: what comes in meanwhile waits for no more than these.
  static let slice = 2000

  /// Deliveries by their due times, then by acceptance: a request that catches up brings several at once.
  private static func inOrder(_ actions: [Action]) -> [Action] {
    var others: [Action] = []
    var deliveries: [OutgoingDelivery] = []
    for action in actions {
      if case .deliver(let delivery) = action { deliveries.append(delivery) } else { others.append(action) }
    }
    deliveries.sort { ($0.firing.due, $0.firing.sequence) < ($1.firing.due, $1.firing.sequence) }
    return others + deliveries.map { .deliver($0) }
  }

  /// Fires what is due of a pending request, or was missed, and moves its trigger on.
  ///
  /// - Parameter grace: how late an occurrence may be without having been missed.
  mutating func advance(
    _ request: StoredRequest, at moment: Moment, grace: Duration = missedAfter
  ) throws(StoreError) -> [Action] {
    var request = request
    if let later = watches.armed[request.sequence]?.exact, later > moment.elapsed {
      // It has been heard of since the store was told.
      try queue.setDue(later, ofRequest: request.sequence)
      watches.armed[request.sequence]?.stored = later
      return []
    }
    if isUnsettled(request) {
      let found = try recalculated(request, at: moment)
      if found.request != request { try queue.update(found.request, was: request.state) }
      let isDue = found.request.due.map {
        $0 <= moment.on(request.axis).addingSaturated(request.axis.preparation)
      }
      guard found.request.state == .pending, isDue == true else { return found.actions }
      request = found.request
    }
    var watch = request.axis == .event ? try queue.watch(request.sequence) : nil
    let step: Occurrences.Step
    let rule: Rule
    do throws(Refusal) {
      let occurrences = try occurrences(of: request)
      rule = occurrences.rule
      request = completed(request, rule) ?? request
      step = try occurrences.step(request, at: moment, grace: grace, isLate: watch?.isLate ?? false)
    } catch {
      try queue.update(invalid(request), was: .pending)
      return [.cannotFire(request, error)]
    }
    if watch != nil, let due = request.due, due > moment.elapsed {
      // Its match has held; the delay behind that is still to pass.
      try queue.update(request, was: .pending)
      return []
    }
    var actions: [Action] = []
    /// Occurrences that come by once more, because the clock was set back: they have had their firing, and were counted.
    var repeated: Int64 = 0
    for due in step.firings {
      guard try !queue.hasFiring(request.sequence, stamp: due.stamp) else {
        repeated += 1
        continue
      }
      var due = due
      if due.missed > 0, let start = request.due {
        let recorded = try queue.countFirings(of: request.sequence, from: start, before: due.stamp)
        due.missed -= recorded
        repeated += recorded
      }
      actions += try fire(due, request, rule, at: moment)
    }
    request.due = step.next
    if watch != nil { request.anchor = nil }
    request.occurrences = step.occurrences - repeated
    request.reached = step.reached ?? request.reached
    request.state = step.isOver ? .finished : .pending
    try queue.update(request, was: .pending)
    if step.isOver {
      try endWatch(of: request)
    } else if watch != nil {
      watch?.fired = moment.elapsed
      watch?.isLate = false
      watches.armed[request.sequence] = nil
      if let watch { try queue.update(watch) }
    }
    if step.firings.contains(where: \.late), let due = step.next, due <= moment.on(request.axis) {
      // What is not missed yet is decided on by the same reading of the clock as what is.
      actions += try advance(request, at: moment, grace: grace)
    }
    return actions
  }

  private mutating func fire(
    _ due: Occurrences.Due, _ request: StoredRequest, _ rule: Rule, at moment: Moment
  ) throws(StoreError) -> [Action] {
    let wall = moment.wall(at: due.stamp, on: request.axis)
    let expires = rule.expires.map { wall + $0 }
    if let expires, expires <= moment.wall {
      return [.noted("an occurrence of request \(request.sequence) expired before it could fire")]
    }
    let isDue = due.stamp <= moment.on(request.axis)
    let firing = StoredFiring(
      sequence: request.sequence, stamp: due.stamp, due: wall, axis: request.axis.clock, release: due.stamp,
      fired: isDue ? moment.wall : nil, late: due.late, missed: due.missed, expires: expires)
    return try fire(
      firing, request, rule, replaces: request.occurrences > 0 || !rule.trigger.repeats, at: moment)
  }

  /// Whether a request is paused, or something of it is still to come: in its last second it has been prepared already.
  func isHeldOrPending(_ request: StoredRequest, at moment: Moment) throws(StoreError) -> Bool {
    if request.state == .pending || request.state == .paused { return true }
    return try !queue.prepared(request.sequence, at: moment).isEmpty
  }

  /// `fire`: one more firing, besides the schedule.
  mutating func fire(_ id: String, _ context: CommandContext) throws(StoreError) -> Decision {
    guard let request = try queue.current(id), let rule = try? Rule(stored: request.rule),
      try isHeldOrPending(request, at: context.moment)
    else { return Decision(["ids": .object([id: "unknown"])]) }
    let wall = context.moment.wall
    var firing = unscheduled(request, due: wall, at: context.moment)
    firing.expires = rule.expires.map { wall + $0 }
    let actions = try fire(firing, request, rule, replaces: true, at: context.moment)
    let delivery = self.id(of: firing).text
    return Decision(["ids": .object([id: "fired"]), "delivery": .string(delivery)], actions)
  }
}

extension TimeAxis {
  /// How long before its due time a firing is prepared, in milliseconds: not at all where an event may call it off.
  var preparation: Int64 { self == .event ? 0 : Relay.preparation }
}
