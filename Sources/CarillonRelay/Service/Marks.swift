import CarillonModel
import CarillonStore

/// What happened on the wire and is recorded lazily: a lost mark costs a repeat that the companion drops.
struct Marks {
  private var accepted: [DeliveryKey: OpenKind] = [:]
  private var fired: [Int64: WallTime] = [:]
  private var ended: [DeliveryKey: (state: DeliveryState, detail: String?)] = [:]
  private var latest: [Int64: Int64] = [:]

  /// So many are saved at once without waiting for the timer.
  static let limit = 500
  /// How long a mark may wait.
  static let delay: Duration = .milliseconds(50)

  var count: Int { accepted.count + fired.count + ended.count + latest.count }
  var isEmpty: Bool { count == 0 }

  mutating func accept(_ key: DeliveryKey, closing: OpenKind) {
    // A withdrawal's closing stands for its notification's, which the store then has forgotten.
    guard closing.rawValue >= accepted[key]?.rawValue ?? 0 else { return }
    accepted[key] = closing
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

  func save(in queue: Queue, at moment: Moment) throws(StoreError) {
    for (firing, time) in fired { _ = try queue.markFired(firing, at: time) }
    for (key, closing) in accepted {
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
  }
}
