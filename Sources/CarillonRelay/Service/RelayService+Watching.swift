import CarillonMQTT
import CarillonModel
import CarillonStore

/// The subscriptions to watched topics, as they stand with the broker.
struct WatchedTopics {
  /// Topics of SUBSCRIBE packets that have not been acknowledged, by packet.
  private var asked: [UInt16: [String]] = [:]
  private var refused: Set<Watches.Topic> = []
  /// Topics that the broker has been told not to send any more: what comes of them all the same was on its way.
  private var unsubscribed: Set<Watches.Topic> = []

  /// So many refused topics are named; the others are counted.
  private static let named = 5

  mutating func subscribe(_ topics: [String], packet: UInt16) {
    asked[packet] = topics
    for topic in topics { unsubscribed.remove(Array(topic.utf8)) }
  }

  /// Which of the topics the broker has not been told about yet.
  mutating func unsubscribe(_ topics: [String]) -> [String] {
    if unsubscribed.count > 10_000 { unsubscribed = [] }
    for topic in topics { refused.remove(Array(topic.utf8)) }
    return topics.filter { unsubscribed.insert(Array($0.utf8)).inserted }
  }

  /// A SUBACK.
  ///
  /// - Returns: the topics that have been refused now.
  mutating func acknowledged(_ packet: UInt16, _ reasons: [UInt8]) -> [String] {
    var found: [String] = []
    for (topic, reason) in zip(asked.removeValue(forKey: packet) ?? [], reasons) {
      if reason < 0x80 {
        refused.remove(Array(topic.utf8))
      } else if refused.insert(Array(topic.utf8)).inserted {
        found.append(topic)
      }
    }
    return found
  }

  static func refusal(_ topic: String) -> String {
    "the broker refuses the subscription to \(printable(topic, limit: 200)); allow the relay to read it in the broker's access list"
  }

  var warnings: [String] {
    let topics = refused.sorted { $0.lexicographicallyPrecedes($1) }
    var texts = topics.prefix(WatchedTopics.named).map {
      WatchedTopics.refusal(String(decoding: $0, as: UTF8.self))
    }
    if topics.count > texts.count {
      texts.append("the broker refuses the subscriptions to \(topics.count - texts.count) more topics")
    }
    return texts
  }
}

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
      log.error("watched topics cannot be read: \(error)")
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
    let topics = watched.unsubscribe(topics)
    if !topics.isEmpty { session.unsubscribe(topics) }
  }

  func watchedSubscribed(_ packet: UInt16, _ reasons: [UInt8]) {
    let before = watched.warnings
    for topic in watched.acknowledged(packet, reasons) {
      log.limited("subscriptions", level: .error, WatchedTopics.refusal(topic))
    }
    if watched.warnings != before { retained.isStateDirty = true }
  }

  // MARK: The relay's own status

  /// Publishes the relay's own status, which comes back behind whatever the broker then has for the relay.
  func publishStatus() {
    connection.echoes.append((try? queue.newestWatch()) ?? 0)
    publish(Publication(topic: configuration.topics.relayStatus, payload: Array("online".utf8), retain: true))
  }
}
