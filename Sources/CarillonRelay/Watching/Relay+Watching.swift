import CarillonModel
import CarillonStore

extension Relay {
  // MARK: Messages

  /// A message on a topic outside the prefix: what it means to the requests that watch the topic.
  mutating func watched(_ arrival: Arrival, at moment: Moment) throws(StoreError) -> [Action] {
    if isRepeated(arrival) { return [] }
    var watchers = try watches.watchers(arrival.topic, from: queue)
    guard watchers.count > 0 else {
      return try queue.isWatched(arrival.topic) ? [] : [.watch(subscribe: [], unsubscribe: [arrival.topic])]
    }
    var message = WatchedMessage(arrival.payload)
    let occasion = Occasion(isStored: arrival.isRetained, isBacklog: arrival.isBacklog)
    let first =
      occasion.isStored
      ? watches.beginnings.first(told: arrival.topic, isBacklog: arrival.isBacklog) : Int64.min
    var (turned, heard): ([Turned], [Watcher]) = ([], [])
    watchers.update { watcher in
      guard !watcher.condition.isSilence else {
        if !occasion.isStored { heard.append(watcher) }
        return nil
      }
      guard watcher.sequence >= first || !watcher.state.isKnown else { return nil }
      let state: WatchState = watcher.condition.matches(&message) ? .match : .noMatch
      guard state != watcher.state else { return nil }
      turned.append(Turned(watcher: watcher, state: state))
      return state
    }
    if !turned.isEmpty { watches.set(arrival.topic, watchers) }
    try hear(heard, at: moment)
    return try turn(turned, occasion, at: moment)
  }

  /// Whether the broker sends a message again that was taken before the connection was lost. To turn back and forth once
  /// more would be another edge.
  private mutating func isRepeated(_ arrival: Arrival) -> Bool {
    guard arrival.qos > 0, !arrival.isRetained else { return false }
    let hash = fingerprint(Array(arrival.topic.utf8), arrival.payload)
    guard repeats.match(arrival, hash: hash) == nil else { return true }
    watches.taken.append(TakenMessage(packet: arrival.packetID, hash: hash, reply: []))
    return false
  }

  /// Ends what belongs to one transaction: tells what subscriptions are needed now, and remembers the messages that turned
  /// a condition, with those around them.
  mutating func closeWatching() throws(StoreError) -> [Action] {
    if watches.hasTurned {
      for message in watches.taken { repeats.remember(message) }
    }
    try repeats.record(in: queue)
    let changes = try watches.close(in: queue)
    guard !changes.subscribe.isEmpty || !changes.unsubscribe.isEmpty else { return [] }
    return [.watch(subscribe: changes.subscribe, unsubscribe: changes.unsubscribe)]
  }

  /// The broker has been through the subscriptions of all watches up to one: where nothing was stored, nothing matches.
  mutating func settleWatches(through sequence: Int64) throws(StoreError) {
    try queue.settleWatches(through: sequence)
    watches.settle(through: sequence)
  }

  /// A connection begins: what is stored on the topics of older requests is to be compared, on those of newer ones it is the
  /// beginning, whenever it comes.
  mutating func watchesConnect() throws(StoreError) {
    watches.beginnings.connect(newest: try queue.newestWatch())
  }

  // MARK: Devices

  /// How a condition on a device stands; `nil` where nothing is known by which it would stand otherwise than before.
  func state(of test: Condition.DeviceTest, _ name: Name) -> WatchState? {
    let device = devices.row(name).flatMap { devices[$0] }
    switch test {
    case .status(let status):
      return device?.isOnline == (status == .online) ? .match : .noMatch
    case .presence(let wanted):
      // A companion that has just been started does not know yet: who was there is not back because it says so anew.
      guard device?.presence != .unknown else { return nil }
      return device?.presence == wanted ? .match : .noMatch
    }
  }

  /// A device has come, gone, or been forgotten, or its profile says something else.
  ///
  /// - Parameter isBacklog: whether the relay has learnt it while it took up what the broker had kept.
  mutating func watched(_ name: Name, isBacklog: Bool = false, at moment: Moment) throws(StoreError)
    -> [Action]
  {
    var turned: [Turned] = []
    for (watch, stored) in try queue.watches(.device(name)) {
      guard case .when(let condition)? = (try? Rule(stored: stored))?.trigger.kind,
        case .device(_, let test) = condition.source, let state = state(of: test, name), state != watch.state
      else { continue }
      let watcher = Watcher(sequence: watch.sequence, condition: condition, state: watch.state)
      turned.append(Turned(watcher: watcher, state: state))
    }
    return try turn(turned, Occasion(isStored: false, isBacklog: isBacklog), at: moment)
  }
}
