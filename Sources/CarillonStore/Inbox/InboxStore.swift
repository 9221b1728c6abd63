import CarillonModel

/// A companion's inbox on disk: what became of each delivery, and the responses that the broker has yet to take.
///
/// A response is stored in the transaction of the state that it tells, so neither is ever there without the other.
public final class InboxStore {
  /// Held for as long as this may write.
  private let file: StoreFile?
  let database: Database

  /// Opens the inbox, or makes it.
  ///
  /// - Parameter path: the file; a second companion on it is refused for as long as this one lives.
  /// - Throws: `StoreError.alreadyOpen` where another companion runs on it, and whatever is wrong with the file.
  public init(path: String) throws(StoreError) {
    let file = try StoreFile(path: path, kind: InboxStore.kind)
    self.file = file
    database = file.database
  }

  /// Opens the inbox to look at it only, beside the companion that runs on it.
  ///
  /// - Throws: where there is none, or it is of another version of the program.
  public init(reading path: String) throws(StoreError) {
    file = nil
    database = try Database(path: path, isReadOnly: true)
    guard try database.integer("PRAGMA application_id") == Int64(InboxStore.kind.applicationID) else {
      throw .foreign("\(path) is not \(InboxStore.kind.name)")
    }
    let schema = Int(try database.integer("PRAGMA user_version") ?? 0)
    guard schema == InboxStore.kind.migrations.count else {
      throw .newerSchema(found: schema, known: InboxStore.kind.migrations.count)
    }
  }

  /// Runs a body in one transaction: all of what it changes is on disk afterwards, or none.
  public func write<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    try database.write(body)
  }
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
