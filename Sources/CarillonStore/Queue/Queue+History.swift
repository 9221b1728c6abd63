import CarillonModel

extension Queue {
  /// Removes history from before a time, a slice at a time: firings with nothing left to send, then requests that have
  /// ended and have no firing left.
  ///
  /// - Returns: how many rows went; fewer than the limit means that nothing is left to do.
  public func pruneHistory(before: WallTime, limit: Int) throws(StoreError) -> Int {
    let old = try database.statement("SELECT row, due FROM firing ORDER BY row LIMIT ?").all([
      .integer(Int64(limit))
    ]) {
      (row: $0.integer(0), due: $0.integer(1))
    }
    var removed = 0
    for firing in old where firing.due < before.milliseconds {
      let open = try database.integer(
        "SELECT 1 FROM delivery WHERE firing = ? AND open > 0 LIMIT 1", .integer(firing.row))
      guard open == nil else { continue }
      try database.run("DELETE FROM delivery WHERE firing = ?", .integer(firing.row))
      try database.run("DELETE FROM firing WHERE row = ?", .integer(firing.row))
      removed += 1
    }
    removed += try database.run(
      """
      DELETE FROM request WHERE sequence IN (
        SELECT sequence FROM request r WHERE state >= 2 AND state IN (2, 3) AND accepted < ?
          AND NOT EXISTS (SELECT 1 FROM firing f WHERE f.sequence = r.sequence) ORDER BY accepted LIMIT ?)
      """,
      .integer(before.milliseconds), .integer(Int64(limit)))
    return removed
  }
}
