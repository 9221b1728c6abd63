import CarillonMQTT
import CarillonModel
import CarillonStore

// What `when` triggers watch: subscribed to while a request needs it.
extension RelayService {
  /// Stored values come at each subscribe, so that a new request learns where it begins; the retain flag marks them.
  private static func subscription(_ topic: String) -> Subscription {
    Subscription(topic, retainAsPublished: false, retainHandling: .always)
  }

  /// At a connect: subscribes to the topics of all requests, behind what the relay needs itself.
  func subscribe(besides own: [Subscription]) -> UInt16? {
    watched = WatchedTopics()
    var topics: [String] = []
    do throws(StoreError) {
      topics = try queue.watchedTopics()
      try relay.watchesConnect()
    } catch {
      storeFailed(error, "watched topics cannot be read")
    }
    let packet = session.subscribe(own + topics.map { RelayService.subscription($0) })
    if let packet { watched.subscribe(topics, packet: packet) }
    return packet
  }

  func watch(_ topics: [String]) {
    guard !topics.isEmpty, let packet = session.subscribe(topics.map { RelayService.subscription($0) })
    else { return }
    watched.subscribe(topics, packet: packet)
    // Until the subscriptions of the connect are acknowledged the relay is not online; its echo then serves these too.
    if connection.isReady { publishStatus() }
  }

  func unwatch(_ topics: [String]) {
    let topics = watched.unsubscribe(topics).filter { $0 != birthTopic }
    if !topics.isEmpty { session.unsubscribe(topics) }
  }

  func watchedSubscribed(_ packet: UInt16, _ reasons: [UInt8]) {
    let before = watched.warnings
    for topic in watched.acknowledged(packet, reasons) {
      log.limited("subscriptions", level: .error, WatchedTopics.refusal(topic))
    }
    if watched.warnings != before { retained.isStateDirty = true }
  }

  /// Ends requests whose `until` has passed without a message that would have told.
  func finishWatches(at moment: Moment) {
    do throws(StoreError) {
      guard clock.isSet, try !queue.endedWatches(before: moment.wall, limit: 1).isEmpty else { return }
      var draft = relay
      let actions = try transaction { () throws(StoreError) in
        try draft.finishWatches(at: moment, limit: 300)
      }
      relay = draft
      isNextDueKnown = false
      retained.isStateDirty = true
      perform(actions, at: moment)
    } catch {
      storeFailed(error, "housekeeping waits")
    }
  }

  // MARK: The relay's own status

  /// Publishes the relay's own status, which comes back behind whatever the broker then has for the relay.
  func publishStatus() {
    connection.echoes.append((try? queue.newestWatch()) ?? 0)
    publish(Publication(topic: configuration.topics.relayStatus, payload: Array("online".utf8), retain: true))
  }
}
