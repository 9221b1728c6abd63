import CarillonModel
import CarillonStore

extension Outbox {
  /// What the store holds for a device.
  struct Waiting {
    /// To be sent, in order.
    var deliveries: [OutgoingDelivery] = []
    /// Whether nothing more waits there.
    var isAll = true
    /// The earliest release, on each axis, of what waits there for its release.
    var toCome: [TimeAxis: Int64] = [:]
    /// What is not worth sending any more, and why.
    var ended: [(key: DeliveryKey, state: DeliveryState)] = []
  }

  /// Reads as much of what waits for a device as there is room for; `nil` where the way is not free.
  ///
  /// - Parameter marks: what the store does not know yet.
  func waiting(
    for device: Int64, in queue: Queue, besides marks: Marks, at moment: Moment
  ) throws(StoreError) -> Waiting? {
    guard let room = roomToLoad(device) else { return nil }
    let lane = lanes[device]
    var found = Waiting()
    try queue.eachOutgoing(to: device) { delivery throws(StoreError) in
      let firing = delivery.firing
      let key = DeliveryKey(firing: firing.row, device: device)
      if firing.fired == nil, firing.release > moment.on(firing.axis) {
        found.toCome[firing.axis] = min(found.toCome[firing.axis] ?? .max, firing.release)
        return true
      }
      if lane?.holds(firing.row, delivery.open) == true || marks.closes(key, delivery.open) { return true }
      guard found.deliveries.count < room else {
        found.isAll = false
        return false
      }
      if delivery.open == .notification, let expires = firing.expires, expires <= moment.wall {
        found.ended.append((key: key, state: .expired))
      } else if delivery.open == .notification, !delivery.keepsAll, try queue.hasReceivedLater(delivery) {
        found.ended.append((key: key, state: .superseded))
      } else {
        found.deliveries.append(delivery)
      }
      return true
    }
    return found
  }

  /// Takes what the store held for a device.
  mutating func loaded(_ device: Int64, _ found: Waiting, at moment: Moment) -> [Action] {
    note(device, found)
    return enqueue(found.deliveries, for: device, at: moment)
  }
}
