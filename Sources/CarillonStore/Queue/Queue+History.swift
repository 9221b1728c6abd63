import CarillonModel

extension Queue {
  /// How far the search for old history has come. Rows that have to stay do not stop it: it goes on behind them, and
  /// begins anew when it has seen all that is old.
  struct HistoryCursor: Sendable {
    /// The last firing looked at.
    var firing: Int64 = 0
    var areFiringsDone = false
    /// The last of the ended requests looked at, by age.
    var accepted: Int64 = .min
    var sequence: Int64 = 0
  }

  /// So many deliveries go with their firings in one slice, for each firing that is looked at.
  private static let deliveriesPerFiring = 10

  static let oldFirings =
    "SELECT row, sequence, coalesce(noted, due) FROM firing WHERE row > ? ORDER BY row LIMIT ?"

  static let endedRequests = """
    SELECT sequence, accepted FROM request WHERE state >= 2 AND (accepted, sequence) > (?, ?) AND accepted < ?
    ORDER BY accepted, sequence LIMIT ?
    """

  static let deleteEnded = """
    DELETE FROM request WHERE sequence = ?1 AND state IN (2, 3)
      AND accepted < CASE WHEN state = 3 AND revision IS NOT NULL THEN ?3 ELSE ?2 END
      AND NOT EXISTS (SELECT 1 FROM firing WHERE sequence = ?1)
    """

  /// Removes history from before a time, a slice at a time: firings with nothing left to send or to come after them, and
  /// requests that have ended and have no firing left.
  ///
  /// Each call goes on where the one before ended.
  ///
  /// - Parameters:
  ///   - before: requests accepted or cancelled before it go.
  ///   - noted: firings written down before it go, a time of the elapsed axis: a wall clock that is ahead for a while
  ///     makes nothing old. Default: as `before`.
  ///   - revisionsBefore: the same for cancelled requests that keep a revision; default: `before`.
  ///   - limit: how many rows are looked at.
  /// - Returns: how many firings and requests went, and whether all that is old has been seen.
  public func pruneHistory(
    before: WallTime, notedBefore noted: Int64? = nil, revisionsBefore: WallTime? = nil, limit: Int
  ) throws(StoreError) -> (removed: Int, isDone: Bool) {
    let age = Age(
      before: before, noted: noted ?? before.milliseconds,
      revisionsBefore: min(revisionsBefore ?? before, before))
    var removed = 0
    var left = limit
    if !history.areFiringsDone { removed += try pruneFirings(age, &left) }
    // What no firing is left of is found by its age.
    if history.areFiringsDone, left > 0 {
      let found = try pruneRequests(age, left)
      removed += found.removed
      if found.isDone { history = HistoryCursor() }
      return (removed: removed, isDone: found.isDone)
    }
    return (removed: removed, isDone: false)
  }

  private struct Age {
    var before: WallTime
    var noted: Int64
    var revisionsBefore: WallTime
  }

  private func pruneFirings(_ age: Age, _ left: inout Int) throws(StoreError) -> Int {
    let found = try database.statement(Queue.oldFirings).all([
      .integer(history.firing), .integer(Int64(left)),
    ]) { (row: $0.integer(0), sequence: $0.integer(1), noted: $0.integer(2)) }
    let old = found.filter { $0.noted < age.noted }
    // Rows are in the order of time: behind a slice without an old one there is none.
    history.areFiringsDone = old.isEmpty || found.count < left
    var removed = 0
    var deliveries = left * Queue.deliveriesPerFiring
    for firing in old {
      left -= 1
      history.firing = firing.row
      guard try !isUnderWay(firing.row), try !isFollowed(firing.row) else { continue }
      deliveries -= try database.run("DELETE FROM delivery WHERE firing = ?", .integer(firing.row))
      try database.run("DELETE FROM firing WHERE row = ?", .integer(firing.row))
      removed += 1 + (try deleteEnded(firing.sequence, age))
      guard deliveries > 0 else {
        // One turn is not to delete much more than that; the rest of the slice is looked at in the next.
        history.areFiringsDone = false
        left = 0
        return removed
      }
    }
    if !history.areFiringsDone, let last = found.last {
      history.firing = last.row
      left = 0
    }
    return removed
  }

  private func isUnderWay(_ firing: Int64) throws(StoreError) -> Bool {
    try database.integer("SELECT 1 FROM delivery WHERE firing = ? AND open > 0 LIMIT 1", .integer(firing))
      != nil
  }

  private func pruneRequests(_ age: Age, _ limit: Int) throws(StoreError) -> (removed: Int, isDone: Bool) {
    let found = try database.statement(Queue.endedRequests).all([
      .integer(history.accepted), .integer(history.sequence), .integer(age.before.milliseconds),
      .integer(Int64(limit)),
    ]) { (sequence: $0.integer(0), accepted: $0.integer(1)) }
    var removed = 0
    for request in found { removed += try deleteEnded(request.sequence, age) }
    if let last = found.last {
      history.accepted = last.accepted
      history.sequence = last.sequence
    }
    return (removed: removed, isDone: found.count < limit)
  }

  /// Removes a request if it has ended, is old enough and has no firing left.
  private func deleteEnded(_ sequence: Int64, _ age: Age) throws(StoreError) -> Int {
    try database.run(
      Queue.deleteEnded, .integer(sequence), .integer(age.before.milliseconds),
      .integer(age.revisionsBefore.milliseconds))
  }
}
