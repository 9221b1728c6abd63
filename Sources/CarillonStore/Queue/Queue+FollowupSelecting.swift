import CarillonModel

// Commands about all nags and snoozes, or those of a thread.
extension Queue {
  /// The first ids under which something is to come besides the schedule, and how many there are, leaving out those
  /// that are listed as pending anyway.
  public func followed(_ selection: SelectedRequests, limit: Int) throws(StoreError) -> (
    ids: [String], count: Int
  ) {
    // The few of them are looked at first, however many requests there are.
    let source = """
      FROM followup CROSS JOIN request r USING (sequence) WHERE \(selection.conditionOfSequence) AND NOT EXISTS (
        SELECT 1 FROM request c WHERE c.id = r.id AND c.current = 1 AND c.\(Queue.isListed))
      """
    let count = try database.statement("SELECT count(DISTINCT r.id) \(source)").first(
      selection.valuesOfSequence
    ) { $0.integer(0) }
    let ids = try database.statement(
      "SELECT r.id \(source) GROUP BY r.id ORDER BY min(followup.row) LIMIT ?2"
    ).all(selection.values(and: .integer(Int64(limit)))) { $0.text(0) }
    return (ids: ids, count: Int(count ?? 0))
  }

  /// Ends the selected nags and snoozes. Finished requests among them are cancelled by that.
  public func cancelFollowed(_ selection: SelectedRequests, at time: WallTime) throws(StoreError) {
    try database.statement(
      """
      UPDATE request SET state = \(RequestState.cancelled.rawValue), accepted = ?2
      WHERE \(selection.condition) AND state = \(RequestState.finished.rawValue)
        AND sequence IN (SELECT sequence FROM followup)
      """
    ).run(selection.values(and: .integer(time.milliseconds)))
    try database.statement("DELETE FROM followup WHERE \(selection.conditionOfSequence)").run(
      selection.valuesOfSequence)
  }

  /// Ends the selected nags that have begun.
  ///
  /// - Returns: their ids.
  public func endNags(_ selection: SelectedRequests, at moment: Moment) throws(StoreError) -> [String] {
    let values = selection.values(and: .integer(moment.on(.wall)), .integer(moment.on(.elapsed)))
    let condition = "\(selection.conditionOfSequence) AND \(Queue.hasBegun)"
    let ids = try database.statement(
      "SELECT r.id FROM followup JOIN request r USING (sequence) WHERE \(condition) ORDER BY followup.row"
    ).all(values) { $0.text(0) }
    if !ids.isEmpty { try database.statement("DELETE FROM followup WHERE \(condition)").run(values) }
    return ids
  }

  /// Holds the selected nags and snoozes, or lets them go on.
  public func hold(_ isHeld: Bool, followupsOf selection: SelectedRequests) throws(StoreError) {
    try database.statement("UPDATE followup SET held = ?2 WHERE \(selection.conditionOfSequence)").run(
      selection.values(and: .integer(isHeld ? 1 : 0)))
  }
}
