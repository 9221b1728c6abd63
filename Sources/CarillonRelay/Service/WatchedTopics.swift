import CarillonModel

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
