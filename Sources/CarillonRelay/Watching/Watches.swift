import CarillonModel
import CarillonStore

/// What the relay remembers of watched topics besides the store: a message that changes nothing costs no look into it.
struct Watches: Sendable {
  /// When a `silent` is due.
  struct Armed: Hashable, Sendable {
    /// As the store has it.
    var stored: Int64
    /// As the last message made it.
    var exact: Int64
  }

  /// Topics are compared byte for byte, which texts are not.
  typealias Topic = [UInt8]

  /// What is not here is in the store.
  private var topics: [Topic: Watchers] = [:]
  private var count = 0
  /// Those of them on which somebody does not know where it begins.
  private var unsettled: Set<Topic> = []
  /// Watches that have ended in the transaction.
  private var ended: Set<Int64> = []
  /// By request.
  var armed: [Int64: Armed] = [:]
  /// Who has to learn from what is stored.
  var beginnings = Beginnings()
  /// Topics that have to be subscribed to, also again, and topics that may not be needed any more.
  private var joined: Set<Topic> = []
  private var left: Set<Topic> = []
  /// The messages of the transaction, and whether one of them has turned a condition.
  var taken: [TakenMessage] = []
  var hasTurned = false
  /// What has been fired in the transaction: requests and deliveries.
  private var spent = 0

  /// So much is fired in the transaction of its message; the rest follows in slices, like anything that is due.
  private static let budget = 300

  // MARK: Conditions

  /// The watches of a topic.
  mutating func watchers(_ topic: String, from queue: Queue) throws(StoreError) -> Watchers {
    let key = Array(topic.utf8)
    if let known = topics[key] { return known }
    let read: [Watcher] = try queue.watches(.topic(topic)).compactMap { watch, rule in
      guard watch.state.isActive, let rule = try? Rule(stored: rule),
        case .when(let condition) = rule.trigger.kind
      else { return nil }
      return Watcher(sequence: watch.sequence, condition: condition, state: watch.state)
    }
    let watchers = Watchers(read)
    // An older store may hold more than are accepted now.
    guard watchers.count > 0, watchers.count <= Limits.watches else { return watchers }
    if count + watchers.count > Limits.watches { forget() }
    topics[key] = watchers
    count += watchers.count
    if read.contains(where: { !$0.state.isKnown }) { unsettled.insert(key) }
    return watchers
  }

  /// Notes how the watches of a topic stand now.
  mutating func set(_ topic: String, _ watchers: Watchers) {
    let key = Array(topic.utf8)
    if topics[key] != nil { topics[key] = watchers }
  }

  /// Forgets all conditions: they are read again when they are needed.
  mutating func forget() {
    topics = [:]
    unsettled = []
    count = 0
  }

  /// Those, up to one, of which nothing is known do not match.
  mutating func settle(through sequence: Int64) {
    for topic in unsettled {
      var isSettled = true
      topics[topic]?.update { watcher in
        guard !watcher.state.isKnown else { return nil }
        guard watcher.sequence <= sequence else {
          isSettled = false
          return nil
        }
        return .noMatch
      }
      if isSettled { unsettled.remove(topic) }
    }
  }

  // MARK: Coming and going

  /// A request has come that watches a topic.
  mutating func join(_ topic: String, _ watcher: Watcher) {
    let key = Array(topic.utf8)
    if joined.insert(key).inserted { beginnings.subscribe(key, for: watcher.sequence) }
    guard topics[key] != nil else { return }
    topics[key]?.append(watcher)
    count += 1
    if !watcher.state.isKnown { unsettled.insert(key) }
  }

  /// A request that watched a topic has gone.
  mutating func leave(_ topic: String, _ sequence: Int64) {
    left.insert(Array(topic.utf8))
    ended.insert(sequence)
    armed[sequence] = nil
  }

  /// Requests that watched some topics have gone.
  mutating func leave(_ topics: [String], in queue: Queue) throws(StoreError) {
    forget()
    for sequence in armed.keys where try queue.watch(sequence) == nil { armed[sequence] = nil }
    for topic in topics { left.insert(Array(topic.utf8)) }
  }

  private mutating func forgetEnded() {
    guard !ended.isEmpty else { return }
    for topic in left {
      guard let before = topics[topic]?.count else { continue }
      topics[topic]?.remove(ended)
      let kept = topics[topic]?.count ?? 0
      if kept == 0 { topics[topic] = nil }
      count += kept - before
    }
    ended = []
  }

  // MARK: A transaction

  var isSpent: Bool { spent >= Watches.budget }
  mutating func spend(_ count: Int) { spent += count }

  /// Ends the transaction.
  ///
  /// - Returns: topics that have to be subscribed to, and such as nobody needs.
  mutating func close(in queue: Queue) throws(StoreError) -> (subscribe: [String], unsubscribe: [String]) {
    taken = []
    hasTurned = false
    spent = 0
    forgetEnded()
    guard !joined.isEmpty || !left.isEmpty else { return (subscribe: [], unsubscribe: []) }
    var (subscribe, unsubscribe): ([String], [String]) = ([], [])
    for topic in joined.union(left).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      let text = String(decoding: topic, as: UTF8.self)
      if try !queue.isWatched(text) {
        unsubscribe.append(text)
        beginnings.giveUp(topic)
      } else if joined.contains(topic) {
        subscribe.append(text)
      }
    }
    joined = []
    left = []
    return (subscribe: subscribe, unsubscribe: unsubscribe)
  }
}
