import CarillonStore

/// Whom a stored value of a topic tells something. A broker sends it for each subscription: at a connect it says how the
/// topic stands now; later it comes because a request has joined others, to whom it may be older than what they know.
struct Beginnings: Sendable {
  /// The newest request that watched a topic when the connection began: to all after it, what is stored is where they
  /// begin, whenever it comes.
  private(set) var newestAtConnect: Int64 = 0
  /// By topic, the first of the requests for which it was subscribed to last in this connection.
  private var joined: [Watches.Topic: Int64] = [:]
  /// Topics of which the connection has brought what is stored.
  private var told: Set<Watches.Topic> = []

  /// A connection begins, with subscriptions for all requests up to one.
  mutating func connect(newest: Int64) {
    self = Beginnings()
    newestAtConnect = newest
  }

  /// A topic is subscribed to, maybe again, for a request and those after it.
  mutating func subscribe(_ topic: Watches.Topic, for sequence: Int64) { joined[topic] = sequence }

  /// Nobody needs a topic any more.
  mutating func giveUp(_ topic: Watches.Topic) {
    joined[topic] = nil
    told.remove(topic)
  }

  /// A stored value has come.
  ///
  /// - Parameter isBacklog: whether the broker has not been through the subscriptions of the connect.
  /// - Returns: the first request that it tells something, besides those of which nothing is known.
  mutating func first(told topic: String, isBacklog: Bool) -> Int64 {
    let key = Array(topic.utf8)
    let isFirst = told.insert(key).inserted
    guard let first = joined[key], !(isFirst && isBacklog) else { return .min }
    return first
  }
}
