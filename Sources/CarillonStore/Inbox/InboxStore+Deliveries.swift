import CarillonModel

// The deliveries: what became of each.
extension InboxStore {
  public func entry(_ delivery: String) throws(StoreError) -> InboxEntry? {
    try entries("delivery = ?", [.text(delivery)]).first
  }

  /// What is not over yet and waits for nobody, in the order in which it came.
  public func unfinished() throws(StoreError) -> [InboxEntry] {
    try entries("state IN (1, 2, 5) ORDER BY sequence")
  }

  /// What the device lists, the newest first.
  public func shown() throws(StoreError) -> [InboxEntry] {
    try entries("shown = 1 ORDER BY sequence DESC")
  }

  /// What a person may still answer, the newest first.
  ///
  /// - Parameter limit: at most so many.
  public func unanswered(limit: Int) throws(StoreError) -> [InboxEntry] {
    try entries("shown = 1 AND state = 4 ORDER BY sequence DESC LIMIT ?", [.integer(Int64(limit))])
  }

  /// How many a person may still answer.
  public func unansweredCount() throws(StoreError) -> Int64 {
    try database.integer("SELECT count(*) FROM inbox WHERE shown = 1 AND state = 4") ?? 0
  }

  /// What was presented with less since the seat was locked, in its order.
  public func veiled() throws(StoreError) -> [InboxEntry] {
    try entries("veiled = 1 AND state = 4 ORDER BY sequence")
  }

  /// What has ended by `now` (wall time in milliseconds) without an answer.
  public func overdue(_ now: Int64) throws(StoreError) -> [InboxEntry] {
    try entries("expires IS NOT NULL AND state IN (4, 5) AND expires <= ? ORDER BY expires", [.integer(now)])
  }

  /// When the next one ends, wall time in milliseconds.
  public func nextExpiry() throws(StoreError) -> Int64? {
    try database.statement("SELECT min(expires) FROM inbox WHERE expires IS NOT NULL AND state IN (4, 5)")
      .first([]) { row in row.isNull(0) ? nil : row.integer(0) } ?? nil
  }

  /// - Parameter condition: one of the fixed texts above.
  private func entries(_ condition: String, _ values: [Value] = []) throws(StoreError) -> [InboxEntry] {
    try database.statement("SELECT \(InboxStore.columns) FROM inbox WHERE \(condition)")
      .all(values, InboxEntry.init(row:))
  }

  /// Stores a delivery's state, new or changed. A delivery keeps its place in the order. One that is to be listed and
  /// has lost its place on the list to a later firing meanwhile is over.
  ///
  /// - Parameter now: wall time in milliseconds, from which its age counts.
  public func put(_ entry: InboxEntry, now: Int64) throws(StoreError) {
    // Not an upsert: that would use up a place in the order at each change.
    let changed = try database.run(
      """
      UPDATE inbox SET state = CASE WHEN ?2 = 4 AND shown = 0 THEN 3 ELSE ?2 END, presented = ?3, withdrawn = ?4, answer = ?5, changed = ?6,
        presentation = ?7, veiled = ?8, opening = ?9,
        payload = CASE WHEN ?2 IN (3, 4) AND shown = 0 THEN NULL ELSE payload END
      WHERE delivery = ?1
      """,
      .text(entry.delivery), .integer(entry.state.rawValue), Value(entry.isPresented),
      Value(entry.isWithdrawn), Value(entry.answer?.encoded), .integer(now),
      .integer(Int64(entry.presentation.rawValue)), Value(entry.isVeiled), Value(entry.opening?.stored))
    guard changed == 0 else { return }
    try database.run(
      """
      INSERT INTO inbox (delivery, id, state, presented, shown, withdrawn, payload, answer, changed,
        presentation, veiled, opening, expires)
      VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .text(entry.delivery), .text(entry.id), .integer(entry.state.rawValue), Value(entry.isPresented),
      Value(entry.isWithdrawn), Value(entry.payload), Value(entry.answer?.encoded), .integer(now),
      .integer(Int64(entry.presentation.rawValue)), Value(entry.isVeiled), Value(entry.opening?.stored),
      Value(entry.expires))
  }

  /// Puts a delivery on the device's list, in the place of the other firings of its request, which are over with that.
  public func show(_ delivery: String, id: String) throws(StoreError) {
    try database.run(
      "UPDATE inbox SET state = 3 WHERE shown = 1 AND state = 4 AND id = ? AND delivery <> ?", .text(id),
      .text(delivery))
    try unshow("id = ? AND delivery <> ?", .text(id), .text(delivery))
    try database.run("UPDATE inbox SET shown = 1 WHERE delivery = ?", .text(delivery))
  }

  /// Takes a delivery from the list.
  public func hide(_ delivery: String) throws(StoreError) {
    try unshow("delivery = ?", .text(delivery))
  }

  private func unshow(_ condition: String, _ values: Value...) throws(StoreError) {
    try database.statement(
      """
      UPDATE inbox SET shown = 0, payload = CASE state WHEN 3 THEN NULL ELSE payload END
      WHERE shown = 1 AND \(condition)
      """
    ).run(values)
  }

  /// Drops what has been over, or unanswered, for longer than any repeat can take, except the newest thousand: a clock
  /// that jumps ahead must not make repeats look new.
  ///
  /// - Parameter limit: wall time in milliseconds; older rows go.
  public func prune(before limit: Int64) throws(StoreError) {
    try database.run(
      """
      DELETE FROM inbox WHERE state IN (3, 4) AND changed < ?
        AND sequence <= (SELECT max(sequence) FROM inbox) - \(InboxStore.alwaysKept)
      """, .integer(limit))
    try database.run("DELETE FROM response WHERE made < ?", .integer(limit))
  }

  private static let alwaysKept = 1000
}

// What the companion remembers besides.
extension InboxStore {
  /// What was remembered under a name.
  public func remembered(_ name: String) throws(StoreError) -> String? {
    try database.statement("SELECT value FROM memory WHERE name = ?").first([.text(name)]) { $0.text(0) }
  }

  public func remember(_ name: String, _ value: String) throws(StoreError) {
    try database.run("INSERT OR REPLACE INTO memory (name, value) VALUES (?, ?)", .text(name), .text(value))
  }
}

extension InboxEntry {
  fileprivate init(row: Row) {
    self.init(
      delivery: row.text(0), id: row.text(1), state: State(rawValue: row.integer(2)) ?? .done,
      isPresented: row.integer(3) != 0, isWithdrawn: row.integer(4) != 0,
      presentation: Presentation(rawValue: UInt8(truncatingIfNeeded: row.integer(7))),
      isVeiled: row.integer(8) != 0, opening: row.isNull(9) ? nil : Opening(stored: row.text(9)),
      expires: row.isNull(10) ? nil : row.integer(10), payload: row.isNull(5) ? nil : row.bytes(5),
      answer: row.isNull(6) ? nil : try? Response(parsing: row.bytes(6)))
  }
}

extension Value {
  fileprivate init(_ flag: Bool) { self = .integer(flag ? 1 : 0) }
}
