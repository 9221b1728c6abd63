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

/// A condition that stands otherwise than before.
struct Turned {
  /// As it stood.
  var watcher: Watcher
  var state: WatchState
}

extension Relay {
  /// Conditions stand otherwise than before, by acceptance.
  mutating func turn(_ turned: [Turned], _ occasion: Occasion, at moment: Moment) throws(StoreError)
    -> [Action]
  {
    guard !turned.isEmpty else { return [] }
    watches.hasTurned = true
    for state in [WatchState.match, .noMatch] {
      try queue.setState(state, ofWatches: turned.filter { $0.state == state }.map(\.watcher.sequence))
    }
    try callOff(turned.filter { $0.state == .noMatch }.map(\.watcher), occasion, at: moment)
    return try edges(turned.filter { isEdge($0, occasion) }.map(\.watcher), occasion, at: moment)
  }

  private func isEdge(_ turned: Turned, _ occasion: Occasion) -> Bool {
    guard turned.state == .match else { return false }
    // Not every broker has sent what is stored by the time of the echo.
    let isBeginning = occasion.isStored && turned.watcher.sequence > watches.beginnings.newestAtConnect
    return turned.watcher.state == .noMatch && !isBeginning
      || turned.watcher.state == .fresh && !occasion.isStored
  }

  // MARK: The end of a match

  /// Matches have ended: what was to hold has not.
  private func callOff(_ watchers: [Watcher], _ occasion: Occasion, at moment: Moment) throws(StoreError) {
    try queue.setDue(
      nil,
      ofRequests: watchers.filter { $0.condition.hold != nil && $0.condition.delay == nil }.map(\.sequence))
    for watcher in watchers {
      guard let delay = watcher.condition.delayBehindHold,
        let request = try queue.request(watcher.sequence), request.waitsForHold, let due = request.due
      else { continue }
      if due <= moment.elapsed, !occasion.isLate {
        // It had held long enough; nobody has written that down yet.
        try queue.update(request.completed(delay: delay), was: request.state)
      } else {
        try queue.setDue(nil, ofRequest: request.sequence)
      }
    }
  }

  /// A request whose match was to hold and has done so: from now on only its delay is to pass. `nil` where that is not it.
  func completed(_ request: StoredRequest, _ rule: Rule) -> StoredRequest? {
    guard case .when(let condition) = rule.trigger.kind, let delay = condition.delayBehindHold,
      request.waitsForHold
    else { return nil }
    return request.completed(delay: delay)
  }

  /// When a request fires as things stand, on its axis.
  func fires(_ request: StoredRequest) -> Int64? {
    guard request.waitsForHold, let rule = try? Rule(stored: request.rule) else { return request.due }
    return completed(request, rule)?.due ?? request.due
  }

  // MARK: The beginning of a match

  /// Conditions have become true: their requests fire, or it is written down when they do.
  private mutating func edges(
    _ watchers: [Watcher], _ occasion: Occasion, at moment: Moment
  ) throws(StoreError) -> [Action] {
    let standings = try queue.standings(of: watchers.map(\.sequence))
    var dues: [Int64: [Int64]] = [:]
    var firing: [Int64] = []
    for watcher in watchers {
      let condition = watcher.condition
      guard let standing = standings[watcher.sequence], standing.isHeldOrPending, standing.due == nil,
        let times = standing.watch.times(
          after: condition.hold ?? .zero, delay: condition.delay ?? .zero, condition.quiet, at: moment)
      else { continue }
      // Until it has held, that is what the request waits for.
      let due = condition.delayBehindHold == nil ? times.due : times.edge
      dues[due, default: []].append(watcher.sequence)
      if due <= moment.elapsed, standing.state == .pending { firing.append(watcher.sequence) }
    }
    for (due, sequences) in dues {
      try queue.setLate(occasion.isLate, ofWatches: sequences)
      try queue.setDue(due, ofRequests: sequences)
    }
    guard occasion.mayFire else { return [] }
    var actions: [Action] = []
    for sequence in firing {
      guard !watches.isSpent, let request = try queue.request(sequence) else { break }
      let more = try advance(request, at: moment)
      watches.spend(1 + more.count)
      actions += more
    }
    return actions
  }
}

extension StoredWatch {
  /// When an edge is complete, and when it makes the request due; `nil` where it is dropped: it comes too soon after the last
  /// firing, or would fire after the last moment.
  ///
  /// - Parameters:
  ///   - time: how long from now it takes to become an edge.
  ///   - delay: how long after the edge the request fires.
  ///   - quiet: how long after a firing edges are dropped.
  func times(
    after time: Duration, delay: Duration, _ quiet: Duration, at moment: Moment
  ) -> (edge: Int64, due: Int64)? {
    let edge = moment.elapsed.addingSaturated(time.milliseconds)
    if let fired, edge < fired.addingSaturated(quiet.milliseconds) { return nil }
    let due = edge.addingSaturated(delay.milliseconds)
    if let until, moment.wall(at: due) > until { return nil }
    return (edge: edge, due: due)
  }
}

extension WatchStanding {
  var isHeldOrPending: Bool { state == .pending || state == .paused }
}

extension StoredRequest {
  /// Whether a match that has to hold before a delay has not done so: it is due then for the first time.
  fileprivate var waitsForHold: Bool { axis == .event && due != nil && anchor == nil }

  fileprivate func completed(delay: Duration) -> StoredRequest {
    var request = self
    request.anchor = due
    request.due = due?.addingSaturated(delay.milliseconds)
    return request
  }
}

extension Condition {
  /// How long after a firing edges are dropped: there is at most one firing a second.
  var quiet: Duration { max(holdoff ?? .zero, .seconds(1)) }

  /// The delay that begins only once the match has held.
  fileprivate var delayBehindHold: Duration? { hold == nil ? nil : delay }
}
