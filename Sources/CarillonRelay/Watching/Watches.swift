import CarillonModel
import CarillonStore

/// What the relay remembers of watched topics besides the store: a message that changes nothing costs no look into it.
struct Watches: Sendable {
  /// One request's condition on a topic.
  struct Entry: Sendable {
    var sequence: Int64
    var condition: Condition
    var state: WatchState
  }

  /// When a `silent` is due.
  struct Armed: Hashable, Sendable {
    /// As the store has it.
    var stored: Int64
    /// As the last message made it.
    var exact: Int64
  }

  /// Topics are compared byte for byte, which texts are not.
  typealias Topic = [UInt8]

  /// By acceptance. What is not here is in the store.
  private var topics: [Topic: [Entry]] = [:]
  private var count = 0
  /// Watches that have ended in the transaction.
  private var ended: Set<Int64> = []
  /// By request.
  var armed: [Int64: Armed] = [:]
  /// The newest request that watched a topic when the connection began.
  var newestAtConnect: Int64 = 0
  /// Topics that have to be subscribed to, also again, and topics that may not be needed any more.
  private var joined: Set<Topic> = []
  private var left: Set<Topic> = []
  /// The messages of the transaction, and whether one of them has turned a condition.
  var taken: [TakenMessage] = []
  var hasTurned = false
  /// What has been fired in the transaction: requests and deliveries.
  private var spent = 0

  /// So many conditions are kept in memory; those of other topics are then read again.
  private static let limit = 10_000
  /// So much is fired in the transaction of its message; the rest follows in slices, like anything that is due.
  private static let budget = 300

  // MARK: Conditions

  /// The watches of a topic, by acceptance.
  mutating func entries(_ topic: String, from queue: Queue) throws(StoreError) -> [Entry] {
    let key = Array(topic.utf8)
    if let known = topics[key] { return known }
    let read: [Entry] = try queue.watches(.topic(topic)).compactMap { watch, rule in
      guard watch.state != .suspended, let rule = try? Rule(stored: rule),
        case .when(let condition) = rule.trigger.kind
      else { return nil }
      return Entry(sequence: watch.sequence, condition: condition, state: watch.state)
    }
    guard !read.isEmpty else { return [] }
    if count + read.count > Watches.limit { forget() }
    topics[key] = read
    count += read.count
    return read
  }

  /// Notes how the watches of a topic stand now.
  mutating func set(_ topic: String, _ entries: [Entry]) {
    topics[Array(topic.utf8)] = entries
  }

  /// Forgets all conditions: they are read again when they are needed.
  mutating func forget() {
    topics = [:]
    count = 0
  }

  /// Those, up to one, of which nothing is known do not match.
  mutating func settle(through sequence: Int64) {
    for (topic, entries) in topics {
      for (index, entry) in entries.enumerated()
      where entry.sequence <= sequence && [.fresh, .joining].contains(entry.state) {
        topics[topic]?[index].state = .noMatch
      }
    }
  }

  // MARK: Coming and going

  /// A request has come that watches a topic.
  mutating func join(_ topic: String, _ entry: Entry) {
    let key = Array(topic.utf8)
    joined.insert(key)
    guard topics[key] != nil else { return }
    topics[key]?.append(entry)
    count += 1
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
      guard let known = topics[topic] else { continue }
      let kept = known.filter { !ended.contains($0.sequence) }
      topics[topic] = kept.isEmpty ? nil : kept
      count += kept.count - known.count
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
      } else if joined.contains(topic) {
        subscribe.append(text)
      }
    }
    joined = []
    left = []
    return (subscribe: subscribe, unsubscribe: unsubscribe)
  }
}
