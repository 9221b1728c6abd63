import CarillonModel

// Requests on the wall clock that are due before the time that their row says. Notes are made in the order of due times,
// as the rows are looked at, so a million of them take a few thousand pages to write; the rows lie anywhere, and would
// take a page each.
extension Queue {
  /// Notes that a request is due at a place before that of its row.
  public func noteEarlier(_ place: DuePlace) throws(StoreError) {
    try database.run(
      "INSERT OR IGNORE INTO earlier VALUES (?, ?)", .integer(place.due), .integer(place.sequence))
  }

  /// The first notes up to a time, in order.
  public func earlier(through time: Int64, limit: Int) throws(StoreError) -> [DuePlace] {
    try database.statement("SELECT due, sequence FROM earlier WHERE due <= ? ORDER BY due, sequence LIMIT ?")
      .all([
        .integer(time), .integer(Int64(limit)),
      ]) { DuePlace(due: $0.integer(0), sequence: $0.integer(1)) }
  }

  /// Drops a note: the row says it now, or there is nothing to say.
  public func forgetEarlier(_ place: DuePlace) throws(StoreError) {
    try database.run(
      "DELETE FROM earlier WHERE due = ? AND sequence = ?", .integer(place.due), .integer(place.sequence))
  }

  /// The first request to fall due on an axis by its row, and the first note that one does so earlier.
  public func head(on axis: TimeAxis) throws(StoreError) -> (request: StoredRequest?, earlier: DuePlace?) {
    let earlier = axis == .wall ? try earlier(through: .max, limit: 1).first : nil
    return (request: try due(on: axis, through: .max, limit: 1).first, earlier: earlier)
  }
}
