import CarillonModel

extension Queue {
  static let firingColumns = """
    f.row, f.sequence, f.stamp, f.counter, f.due, f.axis, f.release, f.fired, f.late, f.missed, f.expires, f.ended,
    f.ended_by, f.series, f.position, f.times
    """

  /// The first column behind them.
  static let afterFiring: Int32 = 16

  func firing(_ row: Row) -> StoredFiring {
    var firing = StoredFiring(
      sequence: row.integer(1), stamp: row.integer(2), counter: row.integer(3),
      due: WallTime(milliseconds: row.integer(4)), axis: TimeAxis(rawValue: row.integer(5)) ?? .wall,
      release: row.integer(6), fired: row.integerIfAny(7).map { WallTime(milliseconds: $0) },
      late: row.integer(8) != 0, missed: row.integer(9),
      expires: row.integerIfAny(10).map { WallTime(milliseconds: $0) })
    firing.row = row.integer(0)
    firing.ended = row.textIfAny(11)
    firing.endedBy = row.textIfAny(12)
    if let first = row.integerIfAny(13) {
      firing.series = SeriesPlace(first: first, position: row.integer(14), times: row.integer(15))
    }
    return firing
  }

  /// Adds a firing.
  ///
  /// - Returns: its row.
  public func insert(_ firing: StoredFiring) throws(StoreError) -> Int64 {
    let row = counters.firing + 1
    try database.run(
      """
      INSERT INTO firing(row, sequence, stamp, counter, due, axis, release, fired, late, missed, expires, series,
        position, times, noted) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .integer(row), .integer(firing.sequence), .integer(firing.stamp), .integer(firing.counter),
      .integer(firing.due.milliseconds), .integer(firing.axis.rawValue), .integer(firing.release),
      Value(firing.fired?.milliseconds), .integer(firing.late ? 1 : 0), .integer(firing.missed),
      Value(firing.expires?.milliseconds), Value(firing.series?.first), Value(firing.series?.position),
      Value(firing.series?.times), Value(firing.noted))
    counters.firing = row
    if firing.fired == nil, let through = preparedThrough[firing.axis], through < firing.release {
      preparedThrough[firing.axis] = firing.release
    }
    return row
  }

  /// Whether an occurrence has a firing already.
  public func hasFiring(_ sequence: Int64, stamp: Int64) throws(StoreError) -> Bool {
    try database.integer(
      "SELECT 1 FROM firing WHERE sequence = ? AND stamp = ? AND counter = 0", .integer(sequence),
      .integer(stamp)) != nil
  }

  /// How many occurrences from one stamp on and before another have a firing.
  public func countFirings(of sequence: Int64, from start: Int64, before end: Int64) throws(StoreError)
    -> Int64
  {
    try database.integer(
      "SELECT count(*) FROM firing WHERE sequence = ? AND stamp >= ? AND stamp < ? AND counter = 0",
      .integer(sequence), .integer(start), .integer(end)) ?? 0
  }

  public func firing(_ id: DeliveryID) throws(StoreError) -> StoredFiring? {
    guard id.store == storeID else { return nil }
    return try database.statement(
      "SELECT \(Queue.firingColumns) FROM firing f WHERE sequence = ? AND stamp = ? AND counter = ?"
    ).first([.integer(id.sequence), .integer(id.stamp), .integer(id.counter)]) { firing($0) }
  }

  /// Firings of a request that were prepared and whose moment has not come.
  public func prepared(_ sequence: Int64, at moment: Moment) throws(StoreError) -> [StoredFiring] {
    guard try isAnythingPrepared(at: moment) else { return [] }
    return try database.statement(Queue.preparedFirings).all([
      .integer(sequence), .integer(min(moment.on(.wall), moment.on(.elapsed))), .integer(moment.on(.wall)),
      .integer(moment.on(.elapsed)),
    ]) { firing($0) }
  }

  private static let preparedFirings = """
    SELECT \(firingColumns) FROM firing f WHERE sequence = ? AND stamp > ? AND fired IS NULL
      AND release > CASE axis WHEN \(TimeAxis.wall.rawValue) THEN ? ELSE ? END ORDER BY stamp
    """

  /// Whether the moment of anything at all may be to come: mostly that of nothing is, and no request need be searched.
  private func isAnythingPrepared(at moment: Moment) throws(StoreError) -> Bool {
    for axis in [TimeAxis.wall, .elapsed] {
      if preparedThrough[axis] == nil {
        preparedThrough[axis] =
          try database.integer(
            "SELECT release FROM firing WHERE axis = ? AND fired IS NULL ORDER BY release DESC LIMIT 1",
            .integer(axis.rawValue)) ?? .min
      }
      if let through = preparedThrough[axis], through > moment.on(axis) { return true }
    }
    return false
  }

  /// The requests of which something was prepared whose moment is over by a time of an axis, and has not gone out.
  public func overdue(on axis: TimeAxis, before time: Int64, limit: Int) throws(StoreError) -> [Int64] {
    try database.statement(
      """
      SELECT DISTINCT sequence FROM firing WHERE axis = ? AND release < ? AND fired IS NULL AND counter = 0
      ORDER BY sequence LIMIT ?
      """
    ).all([.integer(axis.rawValue), .integer(time), .integer(Int64(limit))]) { $0.integer(0) }
  }

  /// The requests of which something is prepared whose moment comes after a time of an axis.
  public func unreleased(on axis: TimeAxis, after time: Int64, limit: Int) throws(StoreError) -> [Int64] {
    try database.statement(
      """
      SELECT DISTINCT sequence FROM firing WHERE axis = ? AND release > ? AND fired IS NULL AND counter = 0
      ORDER BY sequence LIMIT ?
      """
    ).all([.integer(axis.rawValue), .integer(time), .integer(Int64(limit))]) { $0.integer(0) }
  }

  /// The latest occurrence of a request that has gone out, on the request's axis.
  public func newestFired(_ sequence: Int64) throws(StoreError) -> Int64? {
    try database.integer(
      """
      SELECT stamp FROM firing WHERE sequence = ? AND counter = 0 AND fired IS NOT NULL ORDER BY stamp DESC LIMIT 1
      """, .integer(sequence))
  }

  /// Firings of a request that were prepared and have not gone out, in order.
  public func unfired(_ sequence: Int64) throws(StoreError) -> [StoredFiring] {
    try database.statement(
      """
      SELECT \(Queue.firingColumns) FROM firing f WHERE sequence = ? AND fired IS NULL AND counter = 0 ORDER BY stamp
      """
    ).all([.integer(sequence)]) { firing($0) }
  }

  /// Notes of what was prepared, and whose moment was over by a time of an axis, that it comes late.
  public func markLate(on axis: TimeAxis, before time: Int64) throws(StoreError) {
    try database.run(
      "UPDATE firing SET late = 1 WHERE axis = ? AND release < ? AND fired IS NULL", .integer(axis.rawValue),
      .integer(time))
  }

  /// What was prepared and whose moment has not come: how many requests have nothing after it, and its first due time.
  public func preparedSummary(at moment: Moment) throws(StoreError) -> (last: Int64, next: WallTime?) {
    var last: Int64 = 0
    var next: WallTime?
    for axis in [TimeAxis.wall, .elapsed] {
      let found = try database.statement(
        """
        SELECT count(DISTINCT CASE WHEN r.state = 2 THEN f.sequence END), min(f.due)
        FROM firing f JOIN request r ON r.sequence = f.sequence
        WHERE f.axis = ? AND f.release > ? AND f.fired IS NULL AND r.current = 1
        """
      ).first([.integer(axis.rawValue), .integer(moment.on(axis))]) {
        (last: $0.integer(0), due: $0.integerIfAny(1))
      }
      last += found?.last ?? 0
      if let due = found?.due { next = min(next ?? WallTime(milliseconds: due), WallTime(milliseconds: due)) }
    }
    return (last: last, next: next)
  }

  /// Takes back a firing that has not gone out; what it would have taken the place of waits again.
  public func delete(_ firing: StoredFiring) throws(StoreError) {
    try restoreSuperseded(by: firing.row)
    try endFollowups(of: firing.row)
    try database.run("DELETE FROM delivery WHERE firing = ?", .integer(firing.row))
    try database.run("DELETE FROM firing WHERE row = ?", .integer(firing.row))
  }

  /// Notes when a firing went out, the first time.
  ///
  /// - Returns: whether this was the first time.
  public func markFired(_ row: Int64, at time: WallTime) throws(StoreError) -> Bool {
    let changed = try database.run(
      "UPDATE firing SET fired = ? WHERE row = ? AND fired IS NULL", .integer(time.milliseconds),
      .integer(row))
    if changed > 0 { counters.fired += 1 }
    return changed > 0
  }

  /// Notes firings whose release is over although nobody has noted it: their devices were away.
  public func markReleased(through time: Int64, on axis: TimeAxis, at wall: WallTime) throws(StoreError) {
    let changed = try database.run(
      "UPDATE firing SET fired = ? WHERE axis = ? AND release <= ? AND fired IS NULL",
      .integer(wall.milliseconds),
      .integer(axis.rawValue), .integer(time))
    counters.fired += Int64(changed)
  }

  /// Ends a firing everywhere, the first time.
  public func end(_ row: Int64, _ reason: String, by: String?) throws(StoreError) {
    try database.run(
      "UPDATE firing SET ended = ?, ended_by = ? WHERE row = ? AND ended IS NULL", .text(reason), Value(by),
      .integer(row))
  }

  /// Fired notifications, newest first, from before a row, until the body has had enough.
  public func eachFired(
    before row: Int64?, ids: [String]?, at moment: Moment,
    _ body: (StoredFiring, String) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let places = ids.map { "AND r.id IN (\($0.map { _ in "?" }.joined(separator: ",")))" } ?? ""
    let sql = """
      SELECT \(Queue.firingColumns), r.id FROM firing f JOIN request r ON r.sequence = f.sequence
      WHERE f.row < ? \(places) ORDER BY f.row DESC
      """
    let values: [Value] = [.integer(row ?? Int64.max)] + (ids ?? []).map { .text($0) }
    let statement = try Statement(sql, on: database)
    defer { statement.finalize() }
    try statement.each(values) { row throws(StoreError) in
      let firing = firing(row)
      guard firing.fired != nil || firing.release <= moment.on(firing.axis) else { return true }
      return try body(firing, row.text(Queue.afterFiring))
    }
  }
}
