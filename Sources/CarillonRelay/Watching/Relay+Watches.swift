import CarillonModel
import CarillonStore
import CarillonTime

// Which requests watch what: from their acceptance to their end, and whether they may.
extension Relay {
  // MARK: Acceptance

  /// - Throws: `forbidden` for a topic that may not be watched, `invalid` for one that no broker takes, or for a group.
  func checkWatch(_ trigger: Trigger) throws(Refusal) {
    guard case .when(let condition) = trigger.kind else { return }
    switch condition.source {
    case .topic(let topic):
      let place = "trigger.when.topic"
      if let reason = configuration.whyNotWatched(topic) { throw Refusal(.forbidden, at: place, reason) }
      // What stands around a filter in a SUBSCRIBE has a dozen bytes.
      guard topic.utf8.count + 16 <= packetLimit else {
        throw Refusal(.tooLarge, at: place, "the broker takes packets of at most \(packetLimit) bytes")
      }
    case .device(let name, _):
      guard configuration.groups[name] == nil else {
        throw Refusal(
          .invalid, at: "trigger.when.device", "\"\(name)\" is a group; a condition is about one device")
      }
    }
  }

  /// Why a request may not watch besides all that do; `nil` where it may.
  ///
  /// - Parameter existing: the one whose place it takes.
  func whyTooManyWatch(_ trigger: Trigger, replacing existing: StoredRequest?) throws(StoreError) -> Refusal?
  {
    guard case .when = trigger.kind, try queue.countWatches() >= Limits.watches else { return nil }
    if let existing, try queue.watch(existing.sequence) != nil { return nil }
    return Refusal(
      .limit, at: "trigger.when",
      "\(Limits.watches) requests wait for something, which is the limit; cancel some")
  }

  /// Whether a request of which nothing is stored yet would join others on its topic.
  func joinsWatch(_ trigger: Trigger) throws(StoreError) -> Bool {
    guard case .when(let condition) = trigger.kind, case .topic(let topic) = condition.source else {
      return false
    }
    return try queue.isWatched(topic)
  }

  /// Begins to watch for a request that has been stored.
  ///
  /// - Parameter isJoining: whether its topic was watched before it came.
  mutating func watch(_ request: StoredRequest, _ accepted: Rule, zone: Zone, isJoining: Bool)
    throws(StoreError)
  {
    guard case .when(let condition) = accepted.trigger.kind else { return }
    let until = accepted.trigger.until.map { zone.instant(of: $0) }
    switch condition.source {
    case .topic(let topic):
      // What hears any message has no state.
      let state: WatchState = condition.isSilence ? .noMatch : isJoining ? .joining : .fresh
      try queue.insert(
        StoredWatch(sequence: request.sequence, source: .topic(topic), state: state, until: until))
      watches.join(
        topic, Watcher(sequence: request.sequence, condition: condition, state: state))
    case .device(let name, let test):
      try queue.insert(
        StoredWatch(
          sequence: request.sequence, source: .device(name), state: state(of: test, name) ?? .noMatch,
          until: until))
    }
  }

  // MARK: The end

  /// A request is over, or replaced: nothing is watched for it any more.
  mutating func endWatch(of request: StoredRequest) throws(StoreError) {
    guard request.axis == .event, let watch = try queue.watch(request.sequence) else { return }
    try queue.deleteWatch(request.sequence)
    if case .topic(let topic) = watch.source { watches.leave(topic, request.sequence) }
  }

  /// Nothing is watched any more for the selected requests that are listed.
  mutating func endWatches(of selection: SelectedRequests) throws(StoreError) {
    try watches.leave(try queue.deleteWatches(of: selection), in: queue)
  }

  /// Finishes requests whose `until` has passed, a slice at a time, although no message says so.
  mutating func finishWatches(at moment: Moment, limit: Int) throws(StoreError) -> [Action] {
    for request in try queue.endedWatches(before: moment.wall, limit: limit) {
      var finished = request
      finished.state = .finished
      try queue.update(finished, was: request.state)
      try endWatch(of: request)
    }
    return try closeWatching()
  }

  // MARK: Permission

  /// Compares what is watched with what may be, as at a start. Requests whose topic may not be watched any more are kept as
  /// invalid, and come back as they were once it may.
  mutating func checkWatches(at moment: Moment) throws(StoreError) -> [Action] {
    var actions: [Action] = []
    for topic in try queue.watchedTopics() {
      guard let reason = configuration.whyNotWatched(topic) else { continue }
      let suspended = try queue.watches(.topic(topic))
      for (watch, _) in suspended {
        guard let request = try queue.request(watch.sequence) else { continue }
        try queue.update(invalid(request), was: request.state)
        try queue.setState(
          request.state == .paused ? .suspendedPaused : .suspended, ofWatch: watch.sequence)
      }
      actions.append(.noted("\(suspended.count) requests cannot fire: \(reason)"))
    }
    for topic in try queue.watchedTopics(suspended: true) where configuration.whyNotWatched(topic) == nil {
      for (watch, rule) in try queue.watches(.topic(topic)) { try revive(watch, rule, at: moment) }
    }
    return actions
  }

  private func revive(_ watch: StoredWatch, _ rule: [UInt8], at moment: Moment) throws(StoreError) {
    guard var request = try queue.request(watch.sequence),
      case .when(let condition)? = (try? Rule(stored: rule))?.trigger.kind
    else { return }
    let was = request.state
    request.state = watch.state == .suspendedPaused ? .paused : .pending
    request.anchor = nil
    request.due = condition.silence.map {
      moment.elapsed.addingSaturated(($0 + (condition.delay ?? .zero)).milliseconds)
    }
    try queue.update(request, was: was)
    try queue.setState(condition.isSilence ? .noMatch : .fresh, ofWatch: watch.sequence)
  }
}
