import CarillonModel

/// Requests that a command is about without naming them.
public struct SelectedRequests: Sendable {
  /// `nil` for all.
  public var thread: String?
  /// Only those of this publisher, empty for the one without a name; `nil` for whosever they are.
  public var publisher: String?

  public init(thread: String?, publisher: String? = nil) {
    self.thread = thread
    self.publisher = publisher
  }

  /// What narrows a statement on `request` to them: the thread is ?1, the publisher ?4.
  var condition: String {
    "current = 1" + (thread == nil ? "" : " AND thread = ?1") + (publisher == nil ? "" : " AND \(isTheirs)")
  }
  /// Its values, with others as ?2 and ?3.
  func values(and others: Value...) -> [Value] {
    let values = [Value(thread)] + others
    guard let publisher else { return thread == nil && others.isEmpty ? [] : values }
    return values + Array(repeating: .null, count: 3 - values.count) + [.text(publisher)]
  }

  /// What narrows a statement on `followup` to theirs, with the same values.
  var conditionOfSequence: String {
    "(?1 IS NULL OR sequence IN (SELECT sequence FROM request WHERE thread = ?1))"
      + (publisher == nil ? "" : " AND sequence IN (SELECT sequence FROM request WHERE \(isTheirs))")
  }

  /// Its values: ?1 is always there.
  var valuesOfSequence: [Value] { publisher == nil ? [Value(thread)] : values() }

  private var isTheirs: String { "coalesce(publisher, '') = ?4" }

  func holds(_ request: StoredRequest) -> Bool {
    if let thread, request.thread?.isIdentical(to: thread) != true { return false }
    return publisher == nil || publisher == request.publisher?.text ?? ""
  }
}

// A command about all requests may be about a million: these work in the store, without a row in memory.
extension Queue {
  /// The first ids of the selected requests in certain states, and how many there are.
  public func selected(
    _ selection: SelectedRequests, in states: [RequestState], limit: Int
  ) throws(StoreError) -> (ids: [String], count: Int) {
    let condition = "\(selection.condition) AND \(Queue.isAmong(states))"
    let count = try database.statement("SELECT count(*) FROM request WHERE \(condition)").first(
      selection.values()
    ) {
      $0.integer(0)
    }
    let ids = try database.statement(
      "SELECT id FROM request WHERE \(condition) ORDER BY sequence LIMIT \(limit)"
    ).all(selection.values()) { $0.text(0) }
    return (ids: ids, count: Int(count ?? 0))
  }

  /// The selected requests of which something is prepared and has not gone out.
  public func prepared(_ selection: SelectedRequests, at moment: Moment) throws(StoreError) -> [StoredRequest]
  {
    var found: [StoredRequest] = []
    for axis in [TimeAxis.wall, .elapsed] {
      let sequences = try database.statement(
        "SELECT DISTINCT sequence FROM firing WHERE axis = ? AND release > ? AND fired IS NULL ORDER BY sequence"
      ).all([.integer(axis.rawValue), .integer(moment.on(axis))]) { $0.integer(0) }
      for sequence in sequences {
        guard let request = try request(sequence), try isCurrent(sequence) else { continue }
        if selection.holds(request) { found.append(request) }
      }
    }
    return found
  }

  /// The selected requests in a state whose due time has come.
  public func overdue(
    _ selection: SelectedRequests, in state: RequestState, at moment: Moment
  ) throws(StoreError) -> [StoredRequest] {
    var found: [StoredRequest] = []
    for axis in TimeAxis.allCases {
      let sequences = try database.statement(
        """
        SELECT sequence FROM request WHERE \(selection.condition) AND state = \(state.rawValue)
          AND axis = \(axis.rawValue) AND due <= ?2 ORDER BY due, sequence
        """
      ).all(selection.values(and: .integer(moment.on(axis)))) { $0.integer(0) }
      for sequence in sequences {
        if let request = try request(sequence) { found.append(request) }
      }
    }
    return found
  }

  /// Moves the selected requests from one state to another; their due times stay.
  ///
  /// - Returns: how many there were.
  @discardableResult
  public func move(
    _ selection: SelectedRequests, from old: RequestState, to new: RequestState
  ) throws(StoreError) -> Int {
    let count = try database.statement(
      "UPDATE request SET state = \(new.rawValue) WHERE \(selection.condition) AND state = \(old.rawValue)"
    ).run(selection.values())
    let change = (new.isListed ? 1 : 0) - (old.isListed ? 1 : 0)
    counters.pending += Int64(count * change)
    return count
  }

  /// Cancels the selected requests that are listed. Those that have a revision to remember, or notifications that need
  /// their content, stay as cancelled; the others go.
  public func cancelListed(_ selection: SelectedRequests, at time: WallTime) throws(StoreError) {
    let listed = "\(selection.condition) AND \(Queue.isListed)"
    let removed = try database.statement(
      """
      DELETE FROM request WHERE \(listed) AND revision IS NULL
        AND NOT EXISTS (SELECT 1 FROM firing f WHERE f.sequence = request.sequence)
      """
    ).run(selection.values())
    let kept = try database.statement(
      """
      UPDATE request SET state = \(RequestState.cancelled.rawValue), due = NULL, accepted = ?2
      WHERE \(listed)
      """
    ).run(selection.values(and: .integer(time.milliseconds)))
    counters.pending -= Int64(removed + kept)
  }

  /// Which requests listings of pending ones show, in the words of the index for them.
  static let isListed = "state NOT IN (2, 3)"

  private static func isAmong(_ states: [RequestState]) -> String {
    if Set(states) == [.pending, .paused, .invalid] { return isListed }
    return "state IN (\(states.map { String($0.rawValue) }.joined(separator: ", ")))"
  }
}
