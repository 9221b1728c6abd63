import CarillonModel

// What requests with a condition watch. A row is there for as long as its request is pending, paused or invalid.
extension Queue {
  static let watchColumns = "w.sequence, w.topic, w.device, w.state, w.fired, w.late, w.until"

  func watch(_ row: Row) -> StoredWatch {
    StoredWatch(
      sequence: row.integer(0),
      source: row.textIfAny(1).map { .topic($0) } ?? .device(Name(stored: row.text(2))),
      state: WatchState(rawValue: row.integer(3)) ?? .suspended, fired: row.integerIfAny(4),
      isLate: row.integer(5) != 0, until: row.integerIfAny(6).map { WallTime(milliseconds: $0) })
  }

  public func insert(_ watch: StoredWatch) throws(StoreError) {
    var (topic, device): (String?, String?) = (nil, nil)
    switch watch.source {
    case .topic(let text): topic = text
    case .device(let name): device = name.text
    }
    try database.run(
      "INSERT INTO watch(sequence, topic, device, state, fired, late, until) VALUES (?, ?, ?, ?, ?, ?, ?)",
      .integer(watch.sequence), Value(topic), Value(device), .integer(watch.state.rawValue),
      Value(watch.fired), .integer(watch.isLate ? 1 : 0), Value(watch.until?.milliseconds))
  }

  public func watch(_ sequence: Int64) throws(StoreError) -> StoredWatch? {
    try database.statement("SELECT \(Queue.watchColumns) FROM watch w WHERE w.sequence = ?").first([
      .integer(sequence)
    ]) { watch($0) }
  }

  /// Writes how a watch stands; what it is about stays.
  public func update(_ watch: StoredWatch) throws(StoreError) {
    try database.run(
      "UPDATE watch SET state = ?, fired = ?, late = ?, until = ? WHERE sequence = ?",
      .integer(watch.state.rawValue), Value(watch.fired), .integer(watch.isLate ? 1 : 0),
      Value(watch.until?.milliseconds), .integer(watch.sequence))
  }

  public func setState(_ state: WatchState, ofWatch sequence: Int64) throws(StoreError) {
    try database.run(
      "UPDATE watch SET state = ? WHERE sequence = ?", .integer(state.rawValue), .integer(sequence))
  }

  public func deleteWatch(_ sequence: Int64) throws(StoreError) {
    try database.run("DELETE FROM watch WHERE sequence = ?", .integer(sequence))
  }

  /// When a request that an event makes due falls due; `nil` calls it off.
  public func setDue(_ due: Int64?, ofRequest sequence: Int64) throws(StoreError) {
    try database.run("UPDATE request SET due = ? WHERE sequence = ?", Value(due), .integer(sequence))
  }

  // MARK: By source

  /// Whether any request needs a topic.
  public func isWatched(_ topic: String) throws(StoreError) -> Bool {
    try database.integer(
      "SELECT 1 FROM watch WHERE topic = ? AND state < \(WatchState.suspended.rawValue) LIMIT 1",
      .text(topic)) != nil
  }

  /// The topics of watches that are suspended, or of those that are not.
  public func watchedTopics(suspended: Bool = false) throws(StoreError) -> [String] {
    let condition = "state \(suspended ? ">=" : "<") \(WatchState.suspended.rawValue)"
    return try database.statement(
      "SELECT DISTINCT topic FROM watch WHERE topic IS NOT NULL AND \(condition) ORDER BY topic"
    ).all([]) { $0.text(0) }
  }

  /// The watches of a topic or a device with their requests' rules, by acceptance.
  public func watches(_ source: StoredWatch.Source) throws(StoreError) -> [(
    watch: StoredWatch, rule: [UInt8]
  )] {
    let (column, text) =
      switch source {
      case .topic(let text): ("topic", text)
      case .device(let name): ("device", name.text)
      }
    return try database.statement(
      """
      SELECT \(Queue.watchColumns), r.rule FROM watch w JOIN request r ON r.sequence = w.sequence
      WHERE w.\(column) = ? ORDER BY w.sequence
      """
    ).all([.text(text)]) { (watch: watch($0), rule: $0.bytes(7)) }
  }

  /// How many requests watch something.
  public func countWatches() throws(StoreError) -> Int64 {
    try database.integer("SELECT count(*) FROM watch") ?? 0
  }

  // MARK: Many at once

  /// The newest watch of a topic; 0 where there is none.
  public func newestWatch() throws(StoreError) -> Int64 {
    try database.integer("SELECT max(sequence) FROM watch WHERE topic IS NOT NULL") ?? 0
  }

  /// Whether the starting state of a watch, up to one, is not known.
  public func hasUnknownWatches(through sequence: Int64) throws(StoreError) -> Bool {
    try database.integer(
      "SELECT 1 FROM watch WHERE state IN (0, 1) AND sequence <= ? LIMIT 1", .integer(sequence)) != nil
  }

  /// Nothing was stored for the watches, up to one, whose starting state is not known by now: they do not match.
  public func settleWatches(through sequence: Int64) throws(StoreError) {
    try database.run(
      """
      UPDATE watch SET state = \(WatchState.noMatch.rawValue) WHERE state IN (0, 1) AND sequence <= ?
      """,
      .integer(sequence))
  }

  /// Requests whose last moment was before a time and that nothing has made due.
  public func endedWatches(before time: WallTime, limit: Int) throws(StoreError) -> [StoredRequest] {
    let sequences = try database.statement(
      """
      SELECT w.sequence FROM watch w JOIN request r ON r.sequence = w.sequence
      WHERE w.until < ? AND r.due IS NULL ORDER BY w.until LIMIT ?
      """
    ).all([.integer(time.milliseconds), .integer(Int64(limit))]) { $0.integer(0) }
    var found: [StoredRequest] = []
    for sequence in sequences {
      if let request = try request(sequence) { found.append(request) }
    }
    return found
  }

  /// Removes the watches of the selected requests that are listed.
  ///
  /// - Returns: the topics that they were about.
  public func deleteWatches(of selection: SelectedRequests) throws(StoreError) -> [String] {
    let selected = """
      sequence IN (SELECT sequence FROM request WHERE axis = \(TimeAxis.event.rawValue)
        AND \(Queue.isListed) AND \(selection.condition))
      """
    let topics = try database.statement(
      "SELECT DISTINCT topic FROM watch WHERE topic IS NOT NULL AND \(selected)"
    ).all(selection.values()) { $0.text(0) }
    try database.statement("DELETE FROM watch WHERE \(selected)").run(selection.values())
    return topics
  }
}
