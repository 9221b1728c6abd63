import CarillonMQTT
import CarillonStore

/// Messages of deliveries that wait for a slot, written while the broker is busy with those before them: the next slot that
/// comes free is used at once.
struct WrittenAhead {
  private var messages: [(delivery: OutgoingDelivery, publication: Publication)] = []

  /// So many are written: as many as a broker usually takes at once.
  static let limit = 20

  /// Writes the messages of deliveries, in the order in which they will go out, as far as they have not been written.
  ///
  /// - Parameter write: `nil` where there is no message.
  mutating func write(
    _ deliveries: ArraySlice<OutgoingDelivery>, _ write: (OutgoingDelivery) -> Publication?
  ) {
    // What was passed over meanwhile does not come again.
    if let first = deliveries.first, let place = messages.firstIndex(where: { $0.delivery === first }) {
      messages.removeFirst(place)
    } else {
      messages.removeAll(keepingCapacity: true)
    }
    for delivery in deliveries.dropFirst(messages.count) {
      guard let publication = write(delivery) else { return }
      messages.append((delivery: delivery, publication: publication))
    }
  }

  /// The message of a delivery, if it has been written.
  mutating func take(_ delivery: OutgoingDelivery) -> Publication? {
    guard let place = messages.firstIndex(where: { $0.delivery === delivery }) else { return nil }
    defer { messages.removeFirst(place + 1) }
    return messages[place].publication
  }
}
