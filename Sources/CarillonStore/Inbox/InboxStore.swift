import CarillonModel

/// A companion's inbox on disk: what became of each delivery, and the responses that the broker has yet to take.
///
/// A response is stored in the transaction of the state that it tells, so neither is ever there without the other.
public final class InboxStore {
  private let file: StoreFile
  private var database: Database { file.database }

  /// Opens the inbox, or makes it.
  ///
  /// - Parameter path: the file; a second companion on it is refused for as long as this one lives.
  /// - Throws: `StoreError.alreadyOpen` where another companion runs on it, and whatever is wrong with the file.
  public init(path: String) throws(StoreError) {
    file = try StoreFile(path: path, kind: InboxStore.kind)
  }

  /// Runs a body in one transaction: all of what it changes is on disk afterwards, or none.
  public func write<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    try database.write(body)
  }
}

// MARK: - Deliveries

extension InboxStore {
  public func entry(_ delivery: String) throws(StoreError) -> InboxEntry? {
    try database.statement("SELECT \(InboxStore.columns) FROM inbox WHERE delivery = ?")
      .first([.text(delivery)], InboxEntry.init(row:))
  }

  /// What is not over yet, in the order in which it came.
  public func unfinished() throws(StoreError) -> [InboxEntry] {
    try database.statement("SELECT \(InboxStore.columns) FROM inbox WHERE state < 3 ORDER BY sequence")
      .all([], InboxEntry.init(row:))
  }

  /// What is on the screen, the newest first.
  public func shown() throws(StoreError) -> [InboxEntry] {
    try database.statement("SELECT \(InboxStore.columns) FROM inbox WHERE shown = 1 ORDER BY sequence DESC")
      .all([], InboxEntry.init(row:))
  }

  /// Stores a delivery's state, new or changed. A delivery keeps its place in the order.
  ///
  /// - Parameter now: wall time in milliseconds, from which its age counts.
  public func put(_ entry: InboxEntry, now: Int64) throws(StoreError) {
    // Not an upsert: that would use up a place in the order at each change.
    let changed = try database.run(
      """
      UPDATE inbox SET state = ?2, presented = ?3, withdrawn = ?4, answer = ?5, changed = ?6,
        payload = CASE WHEN ?2 = 3 AND shown = 0 THEN NULL ELSE payload END
      WHERE delivery = ?1
      """,
      .text(entry.delivery), .integer(entry.state.rawValue), Value(entry.isPresented),
      Value(entry.isWithdrawn),
      Value(entry.answer?.encoded), .integer(now))
    guard changed == 0 else { return }
    try database.run(
      """
      INSERT INTO inbox (delivery, id, state, presented, shown, withdrawn, payload, answer, changed)
      VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?)
      """,
      .text(entry.delivery), .text(entry.id), .integer(entry.state.rawValue), Value(entry.isPresented),
      Value(entry.isWithdrawn), Value(entry.payload), Value(entry.answer?.encoded), .integer(now))
  }

  /// Puts a delivery on the screen, in the place of the other firings of its request.
  public func show(_ delivery: String, id: String) throws(StoreError) {
    try unshow("id = ? AND delivery <> ?", .text(id), .text(delivery))
    try database.run("UPDATE inbox SET shown = 1 WHERE delivery = ?", .text(delivery))
  }

  /// Takes a delivery from the screen.
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

  /// Drops what has been over for longer than any repeat can take, except the newest thousand: a clock that jumps ahead
  /// must not make repeats look new.
  ///
  /// - Parameter limit: wall time in milliseconds; older rows go.
  public func prune(before limit: Int64) throws(StoreError) {
    try database.run(
      """
      DELETE FROM inbox WHERE state = 3 AND changed < ?
        AND sequence <= (SELECT max(sequence) FROM inbox) - \(InboxStore.alwaysKept)
      """, .integer(limit))
    try database.run("DELETE FROM response WHERE made < ?", .integer(limit))
  }

  private static let alwaysKept = 1000
}

// MARK: - Responses

extension InboxStore {
  /// Keeps a response until the broker has acknowledged it. One that waits already is not stored a second time.
  ///
  /// - Returns: what is to be sent; `nil` where the same waits already.
  public func add(_ response: Response, now: Int64) throws(StoreError) -> PendingResponse? {
    let payload = response.encoded
    let added = try database.run(
      """
      INSERT INTO response (delivery, event, payload, made) SELECT ?1, ?2, ?3, ?4
      WHERE NOT EXISTS (SELECT 1 FROM response WHERE delivery = ?1 AND event = ?2)
      """,
      .text(response.delivery), .text(response.event.rawValue), .bytes(payload), .integer(now))
    return added == 0 ? nil : PendingResponse(sequence: database.lastInsertedRow, payload: payload)
  }

  /// The responses after one, in order.
  public func responses(after sequence: Int64 = 0, limit: Int) throws(StoreError) -> [PendingResponse] {
    try database.statement(
      "SELECT sequence, payload FROM response WHERE sequence > ? ORDER BY sequence LIMIT ?"
    )
    .all([.integer(sequence), .integer(Int64(limit))]) { row in
      PendingResponse(sequence: row.integer(0), payload: row.bytes(1))
    }
  }

  /// The broker has it.
  public func removeResponse(_ sequence: Int64) throws(StoreError) {
    try database.run("DELETE FROM response WHERE sequence = ?", .integer(sequence))
  }
}

extension InboxEntry {
  fileprivate init(row: Row) {
    self.init(
      delivery: row.text(0), id: row.text(1), state: State(rawValue: row.integer(2)) ?? .done,
      isPresented: row.integer(3) != 0, isWithdrawn: row.integer(4) != 0,
      payload: row.isNull(5) ? nil : row.bytes(5),
      answer: row.isNull(6) ? nil : try? Response(parsing: row.bytes(6)))
  }
}

extension Value {
  fileprivate init(_ flag: Bool) { self = .integer(flag ? 1 : 0) }
}
