import CarillonModel

// One firing of an id takes the place of those before it. Everything here walks back from the newest firing and stops as
// soon as it knows: a request may have fired millions of times.
extension Queue {
  /// How many firings, and how many requests of one id, are looked at at most.
  private static let reach = 100

  /// A firing of an id and what became of it at one device.
  private struct Step {
    var firing: Int64
    /// `nil` where the firing does not concern the device.
    var state: Int64?
    var open: Int64
  }

  /// Visits the firings of an id, newest first, until the body has had enough (returns false).
  private func eachFiring(
    of id: String, at device: Int64, _ body: (Step) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var left = Queue.reach
    var goesOn = true
    for sequence in try sequences(of: id) where goesOn && left > 0 {
      try database.statement(
        """
        SELECT f.row, d.state, d.open FROM firing f LEFT JOIN delivery d ON d.firing = f.row AND d.device = ?
        WHERE f.sequence = ? ORDER BY f.row DESC LIMIT ?
        """
      ).each([.integer(device), .integer(sequence), .integer(Int64(left))]) { row throws(StoreError) in
        left -= 1
        goesOn = try body(
          Step(firing: row.integer(0), state: row.integerIfAny(1), open: row.integer(2)))
        return goesOn
      }
    }
  }

  /// The requests that have had an id, newest first.
  func sequences(of id: String) throws(StoreError) -> [Int64] {
    try database.statement(
      "SELECT sequence FROM request WHERE id = ? AND current IN (0, 1) ORDER BY current DESC, sequence DESC LIMIT ?"
    ).all([.text(id), .integer(Int64(Queue.reach))]) { $0.integer(0) }
  }

  /// Whether a device has received a later firing of the same id.
  public func hasReceivedLater(_ delivery: OutgoingDelivery) throws(StoreError) -> Bool {
    var found = false
    try eachFiring(of: delivery.id, at: delivery.device) { step throws(StoreError) in
      guard step.firing > delivery.firing.row else { return false }
      if let state = step.state, (2...9).contains(state) { found = true }
      return !found
    }
    return found
  }

  /// Drops what waits for a device under an id before a firing: the newer one takes its place.
  public func supersedeWaiting(_ device: Int64, id: String, before firing: Int64, at: WallTime)
    throws(StoreError)
  {
    for row in try waiting(device, id: id, before: firing, open: 1, states: 0...1) {
      try database.run(
        "UPDATE delivery SET state = 12, open = 0, at = ? WHERE firing = ? AND device = ?",
        .integer(at.milliseconds), .integer(row), .integer(device))
    }
  }

  /// Undoes `supersedeWaiting` for a firing that is taken back before its release.
  func restoreSuperseded(by firing: Int64) throws(StoreError) {
    let id = try database.text(
      "SELECT r.id FROM firing f JOIN request r ON r.sequence = f.sequence WHERE f.row = ?", .integer(firing))
    guard let id else { return }
    for delivery in try deliveries(of: firing) {
      guard
        let row = try waiting(delivery.device, id: id, before: firing, open: 0, states: 12...12).first
      else { continue }
      try database.run(
        "UPDATE delivery SET state = 0, open = 1, at = NULL WHERE firing = ? AND device = ?", .integer(row),
        .integer(delivery.device))
    }
  }

  /// The unbroken row of a device's deliveries in some states just before a firing, newest first.
  private func waiting(
    _ device: Int64, id: String, before firing: Int64, open: Int64, states: ClosedRange<Int64>
  ) throws(StoreError) -> [Int64] {
    var found: [Int64] = []
    try eachFiring(of: id, at: device) { step throws(StoreError) in
      guard step.firing < firing, let state = step.state else { return true }
      guard step.open == open, states.contains(state) else { return false }
      found.append(step.firing)
      return true
    }
    return found
  }
}
