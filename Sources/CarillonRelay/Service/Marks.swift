import CarillonModel
import CarillonStore

/// What happened on the wire and is recorded lazily: a lost mark costs a repeat that the companion drops.
///
/// While very much goes out, the rows that it is about are not rewritten one by one: what the broker has taken is noted in
/// the store in one go (`Queue.note`), and the rows follow once there is time. A note is there for a relay that is killed
/// meanwhile.
struct Marks {
  private var accepted: [DeliveryKey: OpenKind] = [:]
  private var fired: [Int64: WallTime] = [:]
  private var ended: [DeliveryKey: (state: DeliveryState, detail: String?)] = [:]
  private var latest: [Int64: Int64] = [:]
  /// What the broker has taken since the last note.
  private var unnoted: [DeliveryKey] = []
  private var hasNotes = false

  /// So many messages that the broker has taken may be on record nowhere: with those under way, fewer than a thousand are
  /// repeated after a kill.
  static let limit = 800
  /// So many marks are held in memory; some 200 bytes each.
  static let memoryLimit = 20_000
  /// How long a mark may wait while nothing else goes out.
  static let delay: Duration = .milliseconds(50)

  var count: Int { accepted.count + fired.count + ended.count + latest.count }
  var isEmpty: Bool { count == 0 }
  /// Whether any is about what became of a delivery.
  var areOfDeliveries: Bool { count > latest.count }
  /// Whether it is time to note, or to save, what the broker has taken, however much there is to do.
  var mustBeNoted: Bool { unnoted.count >= Marks.limit }
  var mustBeSaved: Bool { accepted.count >= Marks.memoryLimit || fired.count >= 2 * Marks.memoryLimit }

  init() {}

  /// The marks of notes that a killed relay has left.
  init(_ notes: [AcceptanceNote]) {
    for note in notes {
      accept(DeliveryKey(firing: note.firing, device: note.device), closing: note.closing)
      if let time = note.fired { fire(note.firing, at: time) }
    }
    hasNotes = !notes.isEmpty
  }

  mutating func accept(_ key: DeliveryKey, closing: OpenKind) {
    // A withdrawal's closing stands for its notification's, which the store then has forgotten.
    guard closing.rawValue >= accepted[key]?.rawValue ?? 0 else { return }
    accepted[key] = closing
    unnoted.append(key)
  }

  /// Whether a delivery is over although the store does not say so yet.
  func closes(_ key: DeliveryKey, _ kind: OpenKind) -> Bool {
    ended[key] != nil || (accepted[key]?.rawValue ?? 0) >= kind.rawValue
  }

  mutating func fire(_ firing: Int64, at time: WallTime) {
    if fired[firing] == nil { fired[firing] = time }
  }

  mutating func end(_ key: DeliveryKey, _ state: DeliveryState, detail: String?) {
    ended[key] = (state: state, detail: detail)
  }

  mutating func latest(_ device: Int64, _ firing: Int64) { latest[device] = firing }

  mutating func clear() { self = Marks() }

  // MARK: Recording

  /// Notes what the broker has taken, without touching its rows. Once the transaction is committed, `noted` is called.
  func note(in queue: Queue) throws(StoreError) {
    try queue.note(
      unnoted.map { key in
        AcceptanceNote(
          firing: key.firing, device: key.device, closing: accepted[key] ?? .nothing, fired: fired[key.firing]
        )
      })
  }

  mutating func noted() {
    unnoted.removeAll(keepingCapacity: true)
    hasNotes = true
  }

  /// Writes everything to the rows. Once the transaction is committed, `clear` is called.
  func save(in queue: Queue, at moment: Moment) throws(StoreError) {
    // In the order of their rows, neighbours are found on the page that is at hand.
    for (firing, time) in fired.sorted(by: { $0.key < $1.key }) { _ = try queue.markFired(firing, at: time) }
    for (key, closing) in accepted.sorted(by: { $0.key < $1.key }) {
      try queue.markAccepted(key.firing, key.device, closing: closing, at: moment.wall)
    }
    for (key, mark) in ended {
      guard let delivery = try queue.delivery(key.firing, key.device), delivery.state.rank < 5
      else {
        continue
      }
      try queue.setState(delivery, mark.state, open: .nothing, at: moment.wall, detail: mark.detail)
    }
    for (device, firing) in latest { try queue.setLatest(device, firing) }
    if hasNotes { try queue.forgetNotes() }
  }
}
