import CarillonModel

// Firings that an answer to any of them answers.
extension Queue {
  public func firing(row: Int64) throws(StoreError) -> StoredFiring? {
    try database.statement("SELECT \(Queue.firingColumns) FROM firing f WHERE row = ?").first([.integer(row)])
    {
      firing($0)
    }
  }

  /// A firing is the first of a series.
  public func beginSeries(_ firing: Int64, times: Int64) throws(StoreError) {
    try database.run(
      "UPDATE firing SET series = row, position = 0, times = ? WHERE row = ?", .integer(times),
      .integer(firing))
  }

  /// The firings of a series that have not ended, oldest first.
  public func firings(ofSeries first: Int64) throws(StoreError) -> [StoredFiring] {
    try database.statement(
      "SELECT \(Queue.firingColumns) FROM firing f WHERE series = ? AND ended IS NULL ORDER BY row"
    ).all([.integer(first)]) { firing($0) }
  }

  /// Drops what waits for a device of a series before one of its firings: the newer one takes its place.
  public func supersedeWaiting(_ device: Int64, series: Int64, before firing: Int64, at: WallTime)
    throws(StoreError)
  {
    try database.run(
      """
      UPDATE delivery SET state = \(DeliveryState.superseded.rawValue), open = 0, at = ?
      WHERE device = ? AND open = 1 AND state <= \(DeliveryState.accepted.rawValue)
        AND firing IN (SELECT row FROM firing WHERE series = ? AND row < ?)
      """,
      .integer(at.milliseconds), .integer(device), .integer(series), .integer(firing))
  }
}
