import CarillonModel

/// How a watch and its request stand.
public struct WatchStanding: Hashable, Sendable {
  public var watch: StoredWatch
  public var state: RequestState
  /// When the request is due, on the elapsed axis; `nil` where nothing has made it due.
  public var due: Int64?
}

// One message may concern very many watches: these take their numbers in one statement.
extension Queue {
  /// The numbers are ?1, as a list in JSON.
  private static let listed = "sequence IN (SELECT value FROM json_each(?1))"

  private static func list(_ sequences: [Int64]) -> Value {
    .text("[\(sequences.map(String.init).joined(separator: ","))]")
  }

  public func setState(_ state: WatchState, ofWatches sequences: [Int64]) throws(StoreError) {
    guard !sequences.isEmpty else { return }
    try database.run(
      "UPDATE watch SET state = ?2 WHERE \(Queue.listed)", Queue.list(sequences), .integer(state.rawValue))
  }

  /// Whether what makes their requests due was seen late.
  public func setLate(_ isLate: Bool, ofWatches sequences: [Int64]) throws(StoreError) {
    guard !sequences.isEmpty else { return }
    try database.run(
      "UPDATE watch SET late = ?2 WHERE \(Queue.listed)", Queue.list(sequences), .integer(isLate ? 1 : 0))
  }

  /// When requests that an event makes due fall due; `nil` calls it off.
  public func setDue(_ due: Int64?, ofRequests sequences: [Int64]) throws(StoreError) {
    guard !sequences.isEmpty else { return }
    try database.run("UPDATE request SET due = ?2 WHERE \(Queue.listed)", Queue.list(sequences), Value(due))
  }

  /// How watches and their requests stand, by number.
  public func standings(of sequences: [Int64]) throws(StoreError) -> [Int64: WatchStanding] {
    guard !sequences.isEmpty else { return [:] }
    let found = try database.statement(
      """
      SELECT \(Queue.watchColumns), r.state, r.due FROM json_each(?1) j
        CROSS JOIN watch w ON w.sequence = j.value CROSS JOIN request r ON r.sequence = j.value
      """
    ).all([Queue.list(sequences)]) { row in
      WatchStanding(
        watch: watch(row), state: RequestState(rawValue: row.integer(7)) ?? .invalid, due: row.integerIfAny(8)
      )
    }
    return Dictionary(uniqueKeysWithValues: found.map { ($0.watch.sequence, $0) })
  }
}
