import CarillonModel

// Commands about all nags and snoozes, or those of a thread.
extension Queue {
  /// Narrows a statement on `followup` to those of a thread, which is ?1; all where that is null.
  private static let ofThread =
    "(?1 IS NULL OR sequence IN (SELECT sequence FROM request WHERE thread = ?1))"

  /// The first ids under which something is to come besides the schedule, and how many there are, leaving out those
  /// that are listed as pending anyway.
  public func followed(_ selection: SelectedRequests, limit: Int) throws(StoreError) -> (
    ids: [String], count: Int
  ) {
    // The few of them are looked at first, however many requests there are.
    let source = """
      FROM followup CROSS JOIN request r USING (sequence) WHERE \(Queue.ofThread) AND NOT EXISTS (
        SELECT 1 FROM request c WHERE c.id = r.id AND c.current = 1 AND c.\(Queue.isListed))
      """
    let count = try database.integer("SELECT count(DISTINCT r.id) \(source)", Value(selection.thread)) ?? 0
    let ids = try database.statement(
      "SELECT r.id \(source) GROUP BY r.id ORDER BY min(followup.row) LIMIT ?2"
    ).all([Value(selection.thread), .integer(Int64(limit))]) { $0.text(0) }
    return (ids: ids, count: Int(count))
  }

  /// Ends the selected nags and snoozes. Finished requests among them are cancelled by that.
  public func cancelFollowed(_ selection: SelectedRequests, at time: WallTime) throws(StoreError) {
    try database.run(
      """
      UPDATE request SET state = \(RequestState.cancelled.rawValue), accepted = ?2
      WHERE current = 1 AND state = \(RequestState.finished.rawValue) AND (?1 IS NULL OR thread = ?1)
        AND sequence IN (SELECT sequence FROM followup)
      """,
      Value(selection.thread), .integer(time.milliseconds))
    try database.run("DELETE FROM followup WHERE \(Queue.ofThread)", Value(selection.thread))
  }

  /// Ends the selected nags that have begun.
  ///
  /// - Returns: their ids.
  public func endNags(_ selection: SelectedRequests, at moment: Moment) throws(StoreError) -> [String] {
    let values: [Value] = [
      Value(selection.thread), .integer(moment.on(.wall)), .integer(moment.on(.elapsed)),
    ]
    let condition = "\(Queue.ofThread) AND \(Queue.hasBegun)"
    let ids = try database.statement(
      "SELECT r.id FROM followup JOIN request r USING (sequence) WHERE \(condition) ORDER BY followup.row"
    ).all(values) { $0.text(0) }
    if !ids.isEmpty { try database.statement("DELETE FROM followup WHERE \(condition)").run(values) }
    return ids
  }

  /// Holds the selected nags and snoozes, or lets them go on.
  public func hold(_ isHeld: Bool, followupsOf selection: SelectedRequests) throws(StoreError) {
    try database.run(
      "UPDATE followup SET held = ?2 WHERE \(Queue.ofThread)", Value(selection.thread),
      .integer(isHeld ? 1 : 0))
  }
}
