import CarillonModel

// What waits for devices: asked for all of them in one turn, with thousands of deliveries each, so everything here is
// read from the index of open deliveries alone.
extension Queue {
  static let openCount = "SELECT count(*) FROM delivery WHERE device = ? AND open > 0"

  /// The few firings that were prepared are looked at first, whatever the planner thinks of it.
  static let unreleasedCount = """
    SELECT count(*) FROM firing f CROSS JOIN delivery d ON d.firing = f.row AND d.device = ?
    WHERE f.axis = ? AND f.release > ? AND f.fired IS NULL AND d.open > 0
    """

  static let nextOpenDevice = """
    SELECT device FROM delivery WHERE open > 0 AND device > ? ORDER BY device LIMIT 1
    """

  /// How many deliveries wait for a device.
  public func countOpen(_ device: Int64) throws(StoreError) -> Int {
    Int(try database.integer(Queue.openCount, .integer(device)) ?? 0)
  }

  /// How many deliveries whose moment has come a device has not received.
  public func countUnreceived(_ device: Int64, at moment: Moment) throws(StoreError) -> Int {
    var count = try countOpen(device)
    guard count > 0 else { return 0 }
    for axis in [TimeAxis.wall, .elapsed] {
      count -= Int(
        try database.integer(
          Queue.unreleasedCount, .integer(device), .integer(axis.rawValue), .integer(moment.on(axis))) ?? 0)
    }
    return count
  }

  /// Devices for which something waits.
  public func devicesWithOpen() throws(StoreError) -> [Int64] {
    try devicesWithOpen(after: .min, limit: .max)
  }

  /// Devices for which something waits, by row, after one of them.
  public func devicesWithOpen(after device: Int64, limit: Int) throws(StoreError) -> [Int64] {
    var found: [Int64] = []
    var last = device
    // From one device to the next, past all that waits for it.
    while found.count < limit, let next = try database.integer(Queue.nextOpenDevice, .integer(last)) {
      found.append(next)
      last = next
    }
    return found
  }

  /// The due time of the oldest delivery that a device has not received.
  public func oldestOpen(_ device: Int64) throws(StoreError) -> WallTime? {
    try database.integer(
      "SELECT due FROM delivery WHERE device = ? AND open > 0 ORDER BY due LIMIT 1", .integer(device)
    ).map { WallTime(milliseconds: $0) }
  }

  /// The newest delivery that is one too many.
  static let firstExcess = """
    SELECT due, firing FROM delivery WHERE device = ? AND open > 0 ORDER BY due DESC, firing DESC LIMIT 1 OFFSET ?
    """

  static let dropOldest = """
    UPDATE delivery SET state = 13, open = 0, at = ?1 WHERE device = ?2 AND firing IN (
      SELECT firing FROM delivery WHERE device = ?2 AND open > 0 AND (due, firing) <= (?3, ?4)
      ORDER BY due, firing LIMIT ?5)
    """

  /// Drops the oldest deliveries that wait for a device: all due before a time, and all beyond a number, where there is one.
  ///
  /// Where nothing is to be dropped, it costs no more than a walk over that number of index entries.
  ///
  /// - Parameter most: how many are dropped in one go; default: all.
  /// - Returns: how many were dropped.
  public func dropWaiting(
    _ device: Int64, dueBefore: WallTime, keeping limit: Int?, atMost most: Int = .max, at: WallTime
  ) throws(StoreError) -> Int {
    guard let oldest = try oldestOpen(device) else { return 0 }
    let excess = try limit.flatMap { limit throws(StoreError) in
      try database.statement(Queue.firstExcess).first([.integer(device), .integer(Int64(limit))]) {
        (due: $0.integer(0), firing: $0.integer(1))
      }
    }
    guard excess != nil || oldest < dueBefore else { return 0 }
    // Whichever of the two reaches further.
    let aged = (due: dueBefore.milliseconds.subtractingSaturated(1), firing: Int64.max)
    let last = excess.map { max($0.due, aged.due) == aged.due ? aged : $0 } ?? aged
    return try database.run(
      Queue.dropOldest, .integer(at.milliseconds), .integer(device), .integer(last.due),
      .integer(last.firing), .integer(Int64(most)))
  }
}
