import CarillonMQTT
import CarillonModel
import CarillonStore

/// Messages of deliveries that wait for a slot, written while the broker is busy with those before them: the next slot that
/// comes free is used at once.
struct WrittenAhead {
  private struct Message {
    var delivery: OutgoingDelivery
    var publication: Publication
    /// When it was written, on the elapsed axis.
    var written: Int64
  }

  private var messages: [Message] = []

  /// So many are written: as many as a broker usually takes at once.
  static let limit = 20
  /// A message says when it went out and how long it is good for, in seconds: an older one is written again, in milliseconds.
  static let life: Int64 = 50

  /// Writes the messages of deliveries, in the order in which they will go out, as far as they have not been written.
  ///
  /// - Parameter write: `nil` where there is no message.
  mutating func write(
    _ deliveries: ArraySlice<OutgoingDelivery>, at moment: Moment,
    _ write: (OutgoingDelivery) -> Publication?
  ) {
    // What was passed over meanwhile does not come again.
    if let first = deliveries.first, let place = messages.firstIndex(where: { $0.delivery === first }) {
      messages.removeFirst(place)
    } else {
      messages.removeAll(keepingCapacity: true)
    }
    for delivery in deliveries.dropFirst(messages.count) {
      guard let publication = write(delivery) else { return }
      messages.append(Message(delivery: delivery, publication: publication, written: moment.elapsed))
    }
  }

  /// The message of a delivery, if it has been written just now.
  mutating func take(_ delivery: OutgoingDelivery, at moment: Moment) -> Publication? {
    guard let place = messages.firstIndex(where: { $0.delivery === delivery }) else { return nil }
    defer { messages.removeFirst(place + 1) }
    let message = messages[place]
    return moment.elapsed - message.written <= WrittenAhead.life ? message.publication : nil
  }
}
