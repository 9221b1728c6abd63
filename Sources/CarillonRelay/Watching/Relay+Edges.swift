import CarillonModel
import CarillonStore

/// Something that a condition may be about has changed.
struct Occasion {
  /// What is retained, or was kept by the broker while the relay was away: what comes of it is late.
  var isLate: Bool
  /// The value that the broker has stored, not a message that has just been published.
  var isStored: Bool
  /// Whether what it makes due may go out at once, or has to wait for the rest of what the broker has kept.
  var mayFire: Bool

  init(isStored: Bool, isBacklog: Bool) {
    self.isStored = isStored
    isLate = isStored || isBacklog
    mayFire = !isBacklog
  }
}

extension Relay {
  /// A condition stands otherwise than before.
  mutating func turn(
    _ entry: Watches.Entry, to state: WatchState, _ occasion: Occasion, at moment: Moment
  ) throws(StoreError) -> [Action] {
    watches.hasTurned = true
    try queue.setState(state, ofWatch: entry.sequence)
    guard state == .match else {
      if entry.condition.hold != nil { try queue.setDue(nil, ofRequest: entry.sequence) }
      return []
    }
    // Not every broker has sent what is stored by the time of the echo.
    let isBeginning = occasion.isStored && entry.sequence > watches.newestAtConnect
    guard entry.state == .noMatch && !isBeginning || entry.state == .fresh && !occasion.isStored else {
      return []
    }
    return try edge(entry, occasion, at: moment)
  }

  /// A condition has become true: fires, or says when.
  private mutating func edge(
    _ entry: Watches.Entry, _ occasion: Occasion, at moment: Moment
  ) throws(StoreError) -> [Action] {
    let condition = entry.condition
    guard var watch = try queue.watch(entry.sequence),
      let due = watch.due(
        after: condition.hold ?? .zero, delay: condition.delay ?? .zero, condition.quiet, at: moment),
      var request = try queue.request(entry.sequence), request.isHeldOrPending, request.due == nil
    else { return [] }
    request.due = due
    watch.isLate = occasion.isLate
    try queue.update(watch)
    if due <= moment.elapsed, request.state == .pending, occasion.mayFire, !watches.isSpent {
      let actions = try advance(request, at: moment)
      watches.spend(1 + actions.count)
      return actions
    }
    try queue.setDue(due, ofRequest: request.sequence)
    return []
  }

  /// A message on a topic that a request waits to fall silent.
  mutating func heard(_ entry: Watches.Entry, _ silence: Duration, at moment: Moment)
    throws(StoreError)
  {
    let delay = entry.condition.delay
    // Once it has been silent for so long it counts; only the delay is still to pass.
    func isPast(_ due: Int64) -> Bool {
      delay.map { moment.elapsed >= due.subtractingSaturated($0.milliseconds) } ?? false
    }
    if let armed = watches.armed[entry.sequence] {
      let due = moment.elapsed.addingSaturated((silence + (delay ?? .zero)).milliseconds)
      guard !isPast(armed.exact) else { return }
      // Each change is a commit, and a chatty topic would make very many: the store follows in small steps.
      if due - armed.stored <= silence.milliseconds / Relay.stepsOfSilence {
        watches.armed[entry.sequence]?.exact = due
        return
      }
    }
    guard let watch = try queue.watch(entry.sequence), let request = try queue.request(entry.sequence),
      request.isHeldOrPending
    else { return }
    if watches.armed[entry.sequence] == nil, let due = request.due, isPast(due) { return }
    let due = watch.due(after: silence, delay: delay ?? .zero, entry.condition.quiet, at: moment)
    try queue.setDue(due, ofRequest: entry.sequence)
    watches.armed[entry.sequence] = due.map { Watches.Armed(stored: $0, exact: $0) }
  }

  /// In so many steps at most the store follows a silence that begins anew with each message; it may lag behind by one.
  private static let stepsOfSilence: Int64 = 100
}

extension StoredWatch {
  /// When an edge makes the request due; `nil` where it is dropped: it comes too soon after the last firing, or would fire
  /// after the last moment.
  ///
  /// - Parameters:
  ///   - time: how long from now it takes to become an edge.
  ///   - delay: how long after the edge the request fires.
  ///   - quiet: how long after a firing edges are dropped.
  fileprivate func due(after time: Duration, delay: Duration, _ quiet: Duration, at moment: Moment) -> Int64?
  {
    let edge = moment.elapsed.addingSaturated(time.milliseconds)
    if let fired, edge < fired.addingSaturated(quiet.milliseconds) { return nil }
    let due = edge.addingSaturated(delay.milliseconds)
    if let until, moment.wall(at: due) > until { return nil }
    return due
  }
}

extension Condition {
  /// How long after a firing edges are dropped: there is at most one firing a second.
  var quiet: Duration { max(holdoff ?? .zero, .seconds(1)) }
}

extension StoredRequest {
  fileprivate var isHeldOrPending: Bool { state == .pending || state == .paused }
}
