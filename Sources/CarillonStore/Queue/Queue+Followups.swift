import CarillonModel

// A request that is paused holds its nags and snoozes: held ones are not due, however late they are.
extension Queue {
  public func insert(_ followup: Followup, isHeld: Bool) throws(StoreError) {
    try database.run(
      "INSERT INTO followup(sequence, firing, kind, position, due, held) VALUES (?, ?, ?, ?, ?, ?)",
      .integer(followup.sequence), .integer(followup.firing), .integer(followup.kind.rawValue),
      .integer(followup.position), .integer(followup.due), .integer(isHeld ? 1 : 0))
    mayBeFollowed = true
  }

  /// Whether anything is to come after any firing.
  private func isAnythingFollowed() throws(StoreError) -> Bool {
    if mayBeFollowed { mayBeFollowed = try database.integer("SELECT 1 FROM followup LIMIT 1") != nil }
    return mayBeFollowed
  }

  /// Writes which firing of its series is next, and when.
  public func update(_ followup: Followup) throws(StoreError) {
    try database.run(
      "UPDATE followup SET position = ?, due = ? WHERE row = ?", .integer(followup.position),
      .integer(followup.due), .integer(followup.row))
  }

  public func delete(_ followup: Followup) throws(StoreError) {
    try database.run("DELETE FROM followup WHERE row = ?", .integer(followup.row))
  }

  static let nextFollowupDue = "SELECT due FROM followup WHERE held = 0 ORDER BY due LIMIT 1"

  /// When the next one is due, on the elapsed axis.
  public func nextFollowup() throws(StoreError) -> Int64? {
    try isAnythingFollowed() ? try database.integer(Queue.nextFollowupDue) : nil
  }

  /// The first that are due up to a time of the elapsed axis, in order.
  public func followups(through time: Int64, limit: Int) throws(StoreError) -> [Followup] {
    try database.statement(
      """
      SELECT \(Queue.columns) FROM followup WHERE held = 0 AND due <= ? ORDER BY due, row LIMIT ?
      """
    ).all([.integer(time), .integer(Int64(limit))]) { followup($0) }
  }

  private static let columns = "row, sequence, firing, kind, position, due"

  private func followup(_ row: Row) -> Followup {
    var followup = Followup(
      sequence: row.integer(1), firing: row.integer(2),
      kind: Followup.Kind(rawValue: row.integer(3)) ?? .nag, position: row.integer(4), due: row.integer(5))
    followup.row = row.integer(0)
    return followup
  }

  /// One as it is now; `nil` where it has come, or has ended.
  public func followup(row: Int64) throws(StoreError) -> Followup? {
    try database.statement("SELECT \(Queue.columns) FROM followup WHERE row = ?").first([.integer(row)]) {
      followup($0)
    }
  }

  /// The nag that a firing began, or is to begin.
  public func nag(of first: Int64) throws(StoreError) -> Followup? {
    try database.statement(
      "SELECT \(Queue.columns) FROM followup WHERE firing = ? AND kind = \(Followup.Kind.nag.rawValue)"
    ).first([.integer(first)]) { followup($0) }
  }

  /// The nags of a request, held ones too, in the order in which their first firings were decided on.
  public func nags(ofRequest sequence: Int64) throws(StoreError) -> [Followup] {
    try database.statement(
      """
      SELECT \(Queue.columns) FROM followup WHERE sequence = ? AND kind = \(Followup.Kind.nag.rawValue)
      ORDER BY row
      """
    ).all([.integer(sequence)]) { followup($0) }
  }

  /// Whether something is to come after a firing.
  func isFollowed(_ firing: Int64) throws(StoreError) -> Bool {
    try database.integer("SELECT 1 FROM followup WHERE firing = ? LIMIT 1", .integer(firing)) != nil
  }

  // MARK: Ending

  /// Ends the nag that a firing began, or is to begin.
  public func endNag(of first: Int64) throws(StoreError) {
    try database.run(
      "DELETE FROM followup WHERE firing = ? AND kind = \(Followup.Kind.nag.rawValue)", .integer(first))
  }

  /// Ends the nags of a request that have begun.
  public func endRunningNags(ofRequest sequence: Int64) throws(StoreError) {
    try database.run(
      "DELETE FROM followup WHERE sequence = ? AND kind = \(Followup.Kind.nag.rawValue) AND position > 0",
      .integer(sequence))
  }

  /// Ends whatever was to come after a firing.
  func endFollowups(of firing: Int64) throws(StoreError) {
    try database.run("DELETE FROM followup WHERE firing = ?", .integer(firing))
  }

  private static let ofID = "sequence IN (SELECT sequence FROM request WHERE id = ?1 AND current IN (0, 1))"

  /// Ends all nags and snoozes under an id, also those of requests that it had before.
  ///
  /// - Returns: how many there were.
  public func endFollowups(id: String) throws(StoreError) -> Int {
    try isAnythingFollowed() ? try database.run("DELETE FROM followup WHERE \(Queue.ofID)", .text(id)) : 0
  }

  /// Ends the nags under an id that have begun.
  ///
  /// - Returns: how many there were.
  public func endNags(id: String, at moment: Moment) throws(StoreError) -> Int {
    try database.run(
      "DELETE FROM followup WHERE \(Queue.ofID) AND \(Queue.hasBegun)", .text(id),
      .integer(moment.on(.wall)), .integer(moment.on(.elapsed)))
  }

  /// Narrows a statement on `followup` to nags whose first firing has gone out; the times on both axes are ?2 and ?3.
  static let hasBegun = """
    kind = \(Followup.Kind.nag.rawValue) AND NOT EXISTS (SELECT 1 FROM firing f
      WHERE f.row = followup.firing AND f.fired IS NULL
        AND f.release > CASE f.axis WHEN \(TimeAxis.wall.rawValue) THEN ?2 ELSE ?3 END)
    """

  // MARK: Pausing

  /// Holds the nags and snoozes under an id, or lets them go on.
  ///
  /// - Returns: how many there are.
  public func hold(_ isHeld: Bool, followupsOf id: String) throws(StoreError) -> Int {
    try database.run(
      "UPDATE followup SET held = ?2 WHERE \(Queue.ofID)", .text(id), .integer(isHeld ? 1 : 0))
  }
}
