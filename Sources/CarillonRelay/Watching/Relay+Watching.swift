import CarillonModel
import CarillonStore

extension Relay {
  // MARK: Messages

  /// A message on a topic outside the prefix: what it means to the requests that watch the topic.
  mutating func watched(_ arrival: Arrival, at moment: Moment) throws(StoreError) -> [Action] {
    if isRepeated(arrival) { return [] }
    let entries = try watches.entries(arrival.topic, from: queue)
    guard !entries.isEmpty else {
      return try queue.isWatched(arrival.topic) ? [] : [.watch(subscribe: [], unsubscribe: [arrival.topic])]
    }
    var message = WatchedMessage(arrival.payload)
    let occasion = Occasion(isStored: arrival.isRetained, isBacklog: arrival.isBacklog)
    var turned: [Watches.Entry]?
    var actions: [Action] = []
    for (index, entry) in entries.enumerated() {
      if case .silent(let silence) = entry.condition.test {
        if !occasion.isStored { try heard(entry, silence, at: moment) }
        continue
      }
      let state: WatchState = entry.condition.matches(&message) ? .match : .noMatch
      guard state != entry.state else { continue }
      turned = turned ?? entries
      turned?[index].state = state
      actions += try turn(entry, to: state, occasion, at: moment)
    }
    if let turned { watches.set(arrival.topic, turned) }
    return actions
  }

  /// Whether the broker sends a message again that was taken before the connection was lost. To turn back and forth once
  /// more would be another edge.
  private mutating func isRepeated(_ arrival: Arrival) -> Bool {
    guard arrival.qos > 0, !arrival.isRetained else { return false }
    let hash = fingerprint(Array(arrival.topic.utf8), arrival.payload)
    guard repeats.match(arrival, hash: hash) == nil else { return true }
    watches.taken.append(TakenMessage(packet: arrival.packetID, hash: hash, number: 0))
    return false
  }

  /// Ends what belongs to one transaction: tells what subscriptions are needed now, and remembers the messages that turned
  /// a condition, with those around them.
  mutating func closeWatching() throws(StoreError) -> [Action] {
    if watches.hasTurned {
      for message in watches.taken {
        var message = message
        message.number = repeats.nextNumber()
        try queue.remember(message, reply: [])
      }
    }
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
    watches.newestAtConnect = try queue.newestWatch()
  }

  // MARK: Devices

  /// A device has come, gone, or lost its status.
  ///
  /// - Parameter isBacklog: whether the relay has learnt it while it took up what the broker had kept.
  mutating func watched(_ name: Name, isOnline: Bool?, isBacklog: Bool = false, at moment: Moment)
    throws(StoreError) -> [Action]
  {
    var actions: [Action] = []
    let occasion = Occasion(isStored: false, isBacklog: isBacklog)
    for (watch, stored) in try queue.watches(.device(name)) {
      guard case .when(let condition)? = (try? Rule(stored: stored))?.trigger.kind,
        case .device(_, let status) = condition.source
      else { continue }
      let state: WatchState = isOnline == status ? .match : .noMatch
      guard state != watch.state else { continue }
      let entry = Watches.Entry(sequence: watch.sequence, condition: condition, state: watch.state)
      actions += try turn(entry, to: state, occasion, at: moment)
    }
    return actions
  }
}
