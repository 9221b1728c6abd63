import CarillonModel

extension Queue {
  private static let columns = """
    sequence, id, state, axis, due, anchor, occurrences, publisher, thread, revision, zone, accepted, rule, content,
    reached, reading
    """

  // Those that each command and each firing ask for are put together once.
  private static let currentRequest = "SELECT \(columns) FROM request WHERE id = ? AND current = 1"
  private static let requestBySequence = "SELECT \(columns) FROM request WHERE sequence = ?"
  private static let dueRequests = """
    SELECT \(columns) FROM request WHERE state = 0 AND axis = ? AND due <= ? ORDER BY due, sequence LIMIT ?
    """

  private func request(_ row: Row) throws(StoreError) -> StoredRequest {
    var request = StoredRequest(
      id: row.text(1), state: RequestState(rawValue: row.integer(2)) ?? .invalid,
      axis: TimeAxis(rawValue: row.integer(3)) ?? .wall, due: row.integerIfAny(4),
      anchor: row.integerIfAny(5),
      publisher: row.textIfAny(7).map { Name(stored: $0) }, thread: row.textIfAny(8),
      revision: row.integerIfAny(9), zone: try zoneName(row.integer(10)),
      accepted: WallTime(milliseconds: row.integer(11)), rule: row.bytes(12), content: row.bytes(13))
    request.sequence = row.integer(0)
    request.occurrences = row.integer(6)
    if let reached = row.integerIfAny(14) {
      request.reached = Reached(
        time: WallTime(milliseconds: reached), reading: row.integerIfAny(15) ?? reached)
    }
    return request
  }

  /// Adds a request as the current one of its id.
  ///
  /// - Returns: its acceptance number.
  public func insert(_ request: StoredRequest) throws(StoreError) -> Int64 {
    let sequence = counters.request + 1
    try database.run(
      """
      INSERT INTO request(sequence, id, current, state, axis, due, anchor, occurrences, publisher, thread, revision, zone,
        accepted, rule, content, reached, reading) VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .integer(sequence), .text(request.id), .integer(request.state.rawValue),
      .integer(request.axis.rawValue),
      Value(request.due),
      Value(request.anchor), .integer(request.occurrences), Value(request.publisher?.text),
      Value(request.thread), Value(request.revision), .integer(try zoneRow(request.zone)),
      .integer(request.accepted.milliseconds), .bytes(request.rule), .bytes(request.content),
      Value(request.reached?.time.milliseconds), Value(request.reached?.reading))
    if request.state.isListed { counters.pending += 1 }
    counters.request = sequence
    return sequence
  }

  /// The newest request of an id, whatever its state.
  public func current(_ id: String) throws(StoreError) -> StoredRequest? {
    try database.statement(Queue.currentRequest).first([.text(id)]) { row throws(StoreError) in
      try request(row)
    }
  }

  public func request(_ sequence: Int64) throws(StoreError) -> StoredRequest? {
    try database.statement(Queue.requestBySequence).first([.integer(sequence)]) {
      row throws(StoreError) in try request(row)
    }
  }

  /// Ends a request's being the newest of its id: a replacement follows.
  public func supersede(_ request: StoredRequest) throws(StoreError) {
    if request.state.isListed { counters.pending -= 1 }
    if request.state == .finished, request.due == nil {
      // Without what other indexes hold, each of which would be written too.
      try database.run("UPDATE request SET current = 0 WHERE sequence = ?", .integer(request.sequence))
      return
    }
    try database.run(
      "UPDATE request SET current = 0, state = 2, due = NULL WHERE sequence = ?", .integer(request.sequence))
  }

  /// Writes where a request stands now.
  ///
  /// - Parameter was: its state until now, which the totals need.
  public func update(_ request: StoredRequest, was: RequestState) throws(StoreError) {
    guard request.state != was else {
      // Without what other indexes hold, each of which would be written too.
      try database.run(
        "UPDATE request SET due = ?, anchor = ?, occurrences = ?, reached = ?, reading = ? WHERE sequence = ?",
        Value(request.due), Value(request.anchor), .integer(request.occurrences),
        Value(request.reached?.time.milliseconds), Value(request.reached?.reading), .integer(request.sequence)
      )
      return
    }
    counters.pending += (request.state.isListed ? 1 : 0) - (was.isListed ? 1 : 0)
    try database.run(
      """
      UPDATE request SET state = ?, due = ?, anchor = ?, occurrences = ?, accepted = ?, reached = ?, reading = ?
      WHERE sequence = ?
      """,
      .integer(request.state.rawValue), Value(request.due), Value(request.anchor),
      .integer(request.occurrences), .integer(request.accepted.milliseconds),
      Value(request.reached?.time.milliseconds), Value(request.reached?.reading), .integer(request.sequence))
  }

  /// The first due times on an axis up to a limit, in order.
  public func due(on axis: TimeAxis, through time: Int64, limit: Int) throws(StoreError) -> [StoredRequest] {
    try database.statement(Queue.dueRequests).all([
      .integer(axis.rawValue), .integer(time), .integer(Int64(limit)),
    ]) { row throws(StoreError) in
      try request(row)
    }
  }

  /// The next due time on an axis.
  public func nextDue(on axis: TimeAxis) throws(StoreError) -> Int64? {
    let due = try database.integer(
      "SELECT due FROM request WHERE state = 0 AND axis = ? AND due IS NOT NULL ORDER BY due LIMIT 1",
      .integer(axis.rawValue))
    guard axis == .wall, let earlier = try earlier(through: due ?? .max, limit: 1).first else { return due }
    return earlier.due
  }

  /// Pending requests on the wall clock, in the order of their due times and numbers, from after a place in that order.
  public func wallRequests(after place: DuePlace, limit: Int) throws(StoreError) -> [StoredRequest] {
    // Two questions, each of which the index answers from its start: very many may share one due time.
    let pending = "SELECT \(Queue.columns) FROM request WHERE state = 0 AND axis = \(TimeAxis.wall.rawValue)"
    var found = try database.statement("\(pending) AND due = ? AND sequence > ? ORDER BY sequence LIMIT ?")
      .all([
        .integer(place.due), .integer(place.sequence), .integer(Int64(limit)),
      ]) { row throws(StoreError) in try request(row) }
    guard found.count < limit else { return found }
    found += try database.statement("\(pending) AND due > ? ORDER BY due, sequence LIMIT ?").all([
      .integer(place.due), .integer(Int64(limit - found.count)),
    ]) { row throws(StoreError) in try request(row) }
    return found
  }

  /// Requests on the wall clock that are paused or cannot fire, from after a number.
  public func restingRequests(after sequence: Int64, limit: Int) throws(StoreError) -> [StoredRequest] {
    try database.statement(
      """
      SELECT \(Queue.columns) FROM request WHERE current = 1 AND state IN (1, 4) AND axis = \(TimeAxis.wall.rawValue) AND sequence > ? ORDER BY sequence LIMIT ?
      """
    ).all([.integer(sequence), .integer(Int64(limit))]) { row throws(StoreError) in try request(row) }
  }

  /// Requests after a cursor that have something to come, oldest first, until the body has had enough: listed ones, and
  /// those whose last firing is prepared (or has just gone out).
  public func eachListed(
    after sequence: Int64, _ body: (StoredRequest) throws(StoreError) -> Bool
  ) throws(StoreError) {
    // A slice of numbers at a time: the statement is not left open while the body works.
    let slice = 1000
    var last = sequence
    while true {
      let found = try database.statement(
        """
        SELECT sequence FROM request WHERE current = 1 AND \(Queue.isListed) AND sequence > ?1
        UNION SELECT sequence FROM firing WHERE axis IN (0, 1) AND fired IS NULL AND sequence > ?1
        ORDER BY 1 LIMIT ?2
        """
      ).all([.integer(last), .integer(Int64(slice))]) { $0.integer(0) }
      for number in found {
        guard let request = try request(number), try isCurrent(number) else { continue }
        guard try body(request) else { return }
      }
      guard found.count == slice, let end = found.last else { return }
      last = end
    }
  }

  func isCurrent(_ sequence: Int64) throws(StoreError) -> Bool {
    try database.integer("SELECT current FROM request WHERE sequence = ?", .integer(sequence)) == 1
  }

  /// How many requests are kept that cannot fire.
  public func countInvalid() throws(StoreError) -> Int64 {
    try database.integer("SELECT count(*) FROM request WHERE state = 4") ?? 0
  }

  /// Requests that are paused, counted up to a limit: there is no index of them alone.
  public func countPaused(atMost limit: Int64) throws(StoreError) -> Int64 {
    try database.integer(
      """
      SELECT count(*) FROM (SELECT 1 FROM request INDEXED BY request_resting
      WHERE current = 1 AND state IN (1, 4) AND state = 1 LIMIT ?)
      """, .integer(limit)) ?? 0
  }

  /// Removes a request that leaves nothing to remember.
  public func delete(_ request: StoredRequest) throws(StoreError) {
    if request.state.isListed { counters.pending -= 1 }
    try database.run("DELETE FROM request WHERE sequence = ?", .integer(request.sequence))
  }

  /// Whether notifications of a request are kept.
  public func hasFirings(_ sequence: Int64) throws(StoreError) -> Bool {
    try database.integer("SELECT 1 FROM firing WHERE sequence = ? LIMIT 1", .integer(sequence)) != nil
  }
}
