import CarillonModel

extension Queue {
  /// Adds a delivery that has to be sent.
  public func insertDelivery(_ firing: Int64, to device: Int64, due: WallTime) throws(StoreError) {
    try database.run(
      "INSERT INTO delivery(firing, device, due, state, open) VALUES (?, ?, ?, 0, 1)", .integer(firing),
      .integer(device), .integer(due.milliseconds))
  }

  public func delivery(_ firing: Int64, _ device: Int64) throws(StoreError) -> DeliveryRow? {
    try database.statement("SELECT state, open FROM delivery WHERE firing = ? AND device = ?").first([
      .integer(firing), .integer(device),
    ]) { row in
      DeliveryRow(
        firing: firing, device: device, state: DeliveryState(rawValue: row.integer(0)) ?? .waiting,
        open: OpenKind(rawValue: row.integer(1)) ?? .nothing)
    }
  }

  public func deliveries(of firing: Int64) throws(StoreError) -> [DeliveryRow] {
    try database.statement("SELECT device, state, open FROM delivery WHERE firing = ?").all([.integer(firing)]
    ) {
      row in
      DeliveryRow(
        firing: firing, device: row.integer(0), state: DeliveryState(rawValue: row.integer(1)) ?? .waiting,
        open: OpenKind(rawValue: row.integer(2)) ?? .nothing)
    }
  }

  /// Writes a delivery's state.
  public func setState(
    _ delivery: DeliveryRow, _ state: DeliveryState, open: OpenKind, at: WallTime, detail: String? = nil
  ) throws(StoreError) {
    if state == .failed, delivery.state != .failed { counters.failed += 1 }
    try database.run(
      "UPDATE delivery SET state = ?, open = ?, at = ?, detail = ? WHERE firing = ? AND device = ?",
      .integer(state.rawValue), .integer(open.rawValue), .integer(at.milliseconds), Value(detail),
      .integer(delivery.firing), .integer(delivery.device))
  }

  public func setOpen(_ delivery: DeliveryRow, _ open: OpenKind) throws(StoreError) {
    try database.run(
      "UPDATE delivery SET open = ? WHERE firing = ? AND device = ?", .integer(open.rawValue),
      .integer(delivery.firing), .integer(delivery.device))
  }

  /// Notes that the broker has taken a message of a delivery.
  ///
  /// - Parameter closing: what is over with that, since nothing answers at the device.
  public func markAccepted(_ firing: Int64, _ device: Int64, closing: OpenKind, at: WallTime)
    throws(StoreError)
  {
    try database.run(
      """
      UPDATE delivery SET state = max(state, 1), open = CASE WHEN open = ? THEN 0 ELSE open END,
        at = CASE WHEN state = 0 THEN ? ELSE at END
      WHERE firing = ? AND device = ? AND (state = 0 OR open > 0)
      """,
      .integer(closing == .nothing ? -1 : closing.rawValue), .integer(at.milliseconds), .integer(firing),
      .integer(device))
  }

  /// Deliveries whose release has not come, in order.
  public func eachUnreleased(
    at moment: Moment, _ body: (OutgoingDelivery) throws(StoreError) -> Bool
  ) throws(StoreError) {
    for axis in [TimeAxis.wall, .elapsed] {
      try database.statement(
        """
        SELECT \(Queue.firingColumns), d.open, d.state, r.id, r.publisher, r.zone, r.content, \(Queue.keepsAll), d.device
        FROM firing f JOIN delivery d ON d.firing = f.row JOIN request r ON r.sequence = f.sequence
        WHERE f.axis = ? AND f.release > ? AND f.fired IS NULL AND d.open > 0 ORDER BY f.release, f.row
        """
      ).each([.integer(axis.rawValue), .integer(moment.on(axis))]) { row throws(StoreError) in
        try body(try outgoing(row, row.integer(Queue.afterFiring + 7)))
      }
    }
  }

  private static let keepsAll = "instr(r.rule, CAST('\"catchUp\":\"all\"' AS BLOB)) > 0"
  private static let outgoingRows = """
    SELECT \(firingColumns), d.open, d.state, r.id, r.publisher, r.zone, r.content, \(keepsAll)
    FROM delivery d JOIN firing f ON f.row = d.firing JOIN request r ON r.sequence = f.sequence
    """
  private static let outgoingToDevice =
    "\(outgoingRows) WHERE d.device = ? AND d.open > 0 ORDER BY d.due, d.firing"
  private static let oneOutgoing = "\(outgoingRows) WHERE d.firing = ? AND d.device = ?"

  /// What a device has to be sent, in order, until the body has had enough.
  public func eachOutgoing(
    to device: Int64, _ body: (OutgoingDelivery) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try database.statement(Queue.outgoingToDevice).each([.integer(device)]) { row throws(StoreError) in
      try body(try outgoing(row, device))
    }
  }

  /// One delivery with all that its message is made of.
  public func outgoing(_ firing: Int64, to device: Int64) throws(StoreError) -> OutgoingDelivery? {
    try database.statement(Queue.oneOutgoing).first([.integer(firing), .integer(device)]) {
      row throws(StoreError) in try outgoing(row, device)
    }
  }

  private func outgoing(_ row: Row, _ device: Int64) throws(StoreError) -> OutgoingDelivery {
    let next = Queue.afterFiring
    return OutgoingDelivery(
      device: device, open: OpenKind(rawValue: row.integer(next)) ?? .nothing,
      state: DeliveryState(rawValue: row.integer(next + 1)) ?? .waiting, firing: firing(row),
      id: row.text(next + 2), publisher: row.textIfAny(next + 3).map { Name(stored: $0) },
      zone: try zoneName(row.integer(next + 4)), content: row.bytes(next + 5),
      keepsAll: row.integer(next + 6) != 0)
  }

  /// State, time and detail of a firing at each of its devices, for listings.
  public func states(of firing: Int64) throws(StoreError) -> [(
    device: String, state: DeliveryState, at: WallTime?, detail: String?
  )] {
    try database.statement(
      """
      SELECT v.name, d.state, d.at, d.detail FROM delivery d JOIN device v ON v.row = d.device
      WHERE d.firing = ? ORDER BY v.name
      """
    ).all([.integer(firing)]) { row in
      (
        device: row.text(0), state: DeliveryState(rawValue: row.integer(1)) ?? .waiting,
        at: row.integerIfAny(2).map { WallTime(milliseconds: $0) }, detail: row.textIfAny(3)
      )
    }
  }
}
