/// Which stored responses are on their way. A connection that ends takes all of that with it: then they are sent again
/// from the first, in order, until the broker has acknowledged each.
struct ResponseWindow {
  /// How many may be unacknowledged at a time.
  static let size = 50

  /// Whether anything may be sent.
  private(set) var isOpen = false
  /// The newest one that was sent on this connection.
  private(set) var newest: Int64 = 0
  private var inFlight: [UInt16: Int64] = [:]

  /// How many more may be sent now.
  var room: Int { isOpen ? ResponseWindow.size - inFlight.count : 0 }

  mutating func open() { isOpen = true }

  mutating func close() {
    isOpen = false
    rewind()
  }

  /// Begins again with the first that is stored.
  mutating func rewind() {
    newest = 0
    inFlight = [:]
  }

  mutating func sent(_ sequence: Int64, as packetID: UInt16) {
    newest = sequence
    inFlight[packetID] = sequence
  }

  /// The response that a PUBACK is for; `nil` where it is for something else.
  mutating func acknowledged(_ packetID: UInt16) -> Int64? { inFlight.removeValue(forKey: packetID) }
}
