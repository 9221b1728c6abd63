import CarillonModel

// What may still be on a screen or on the way there. A newer firing takes the place of the older ones of its id, so of
// those that a device has had only the newest counts, however often the request has fired.
extension Queue {
  /// Firings of an id that may still be on a screen or on the way there, oldest first.
  public func live(id: String) throws(StoreError) -> [StoredFiring] {
    try live(sequences(of: id)).sorted { $0.row < $1.row }
  }

  /// The same for all requests of a thread.
  public func live(thread: String) throws(StoreError) -> [StoredFiring] {
    try live("thread = ?", [.text(thread)])
  }

  /// The same for all requests.
  public func live() throws(StoreError) -> [StoredFiring] {
    try live("EXISTS (SELECT 1 FROM firing f WHERE f.sequence = request.sequence)", [])
  }

  private func live(_ condition: String, _ values: [Value]) throws(StoreError) -> [StoredFiring] {
    let requests = try database.statement(
      "SELECT id, sequence FROM request WHERE \(condition) ORDER BY id, sequence DESC"
    ).all(values) { (id: $0.text(0), sequence: $0.integer(1)) }
    var found: [StoredFiring] = []
    var group: [Int64] = []
    for (index, request) in requests.enumerated() {
      group.append(request.sequence)
      if index + 1 == requests.count || !requests[index + 1].id.isIdentical(to: request.id) {
        found += try live(group)
        group = []
      }
    }
    return found.sorted { $0.row < $1.row }
  }

  /// So many firings of a request are looked at: more cannot be on the way to a device that is online.
  private static let liveReach = 100

  /// - Parameter sequences: requests of one id, newest first.
  private func live(_ sequences: [Int64]) throws(StoreError) -> [StoredFiring] {
    var firings: [StoredFiring] = []
    for sequence in sequences {
      firings += try database.statement(
        """
        SELECT \(Queue.firingColumns) FROM firing f WHERE sequence = ? ORDER BY row DESC LIMIT ?
        """
      ).all([.integer(sequence), .integer(Int64(Queue.liveReach))]) { firing($0) }
    }
    // A notification of an earlier request comes after those of the newest one where it has been put off.
    firings.sort { $0.row > $1.row }
    var found: [StoredFiring] = []
    var covered: Set<Int64> = []
    for firing in firings {
      var isLive = false
      for delivery in try deliveries(of: firing.row) {
        let isCovered = covered.contains(delivery.device)
        if delivery.state.isLive, delivery.open != .nothing || !isCovered { isLive = true }
        // What waited in vain never was on a screen.
        let wasThere = delivery.state.rank < DeliveryState.superseded.rank || delivery.state.isAnswer
        if delivery.open == .nothing, wasThere { covered.insert(delivery.device) }
      }
      if isLive, firing.ended == nil { found.append(firing) }
    }
    return found
  }
}
