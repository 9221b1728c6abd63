import CarillonModel

/// What was read and is not in the store although nothing is held up by it any more.
struct Leftover {
  /// Messages of a connection that ended before they could be stored: the broker sends those of QoS 1 again, if it has
  /// kept the session.
  var ofLostConnection: [Arrival] = []
  /// What devices said while the store took nothing. The broker has its acknowledgement: nobody says it again.
  var ofDevices: [Arrival] = []

  /// So many messages of devices are kept. A response beyond is lost, and made again when its delivery is sent again.
  static let limit = 10_000

  /// Keeps what devices said, for a store that takes it.
  mutating func keep(_ messages: [Arrival]) {
    ofDevices = Array((ofDevices + messages).suffix(Leftover.limit))
  }

  /// Drops what a device has said anew since: an old status stored after the new one would undo it. A response says
  /// something of its own and stays.
  mutating func supersede(with newer: [Arrival], _ topics: Topics) {
    guard !ofDevices.isEmpty else { return }
    let said = Set(newer.map(\.topic))
    ofDevices.removeAll { old in
      if case .device(_, .response) = topics.meaning(of: old.topic) { return false }
      return said.contains(old.topic)
    }
  }
}
