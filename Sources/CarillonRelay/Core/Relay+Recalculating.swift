import CarillonModel
import CarillonStore
import CarillonTime

extension Relay {
  /// The tzdata with which the stored due times were computed, or are being computed anew.
  private static let zonesFact = "tzdata"
  static let changeFact = "changed"

  /// Takes up what an earlier run has left, or begins anew where tzdata is not what the store's due times were computed
  /// with.
  ///
  /// - Parameter clockWasSetBack: whether the wall clock was, since the due times were computed.
  /// - Returns: whether due times are to be found anew.
  mutating func beginRecalculation(clockWasSetBack: Bool, at moment: Moment) throws(StoreError) -> Bool {
    let known = try queue.fact(Relay.zonesFact)
    if known != zones.version || clockWasSetBack {
      let change = max(self.change ?? moment.wall, moment.wall)
      self.change = change
      try queue.setFact(Relay.changeFact, String(change.milliseconds))
      try queue.setFact(Relay.zonesFact, zones.version)
      recalculation = .start
      try queue.setFact(Recalculation.fact, Recalculation.start.text)
    } else if recalculation == nil {
      recalculation = try queue.fact(Recalculation.fact).flatMap { Recalculation($0) }
    }
    return recalculation != nil
  }

  /// The zones have been read anew: so is the relay's own.
  mutating func zonesHaveChanged() {
    if let zone = try? zones.zone(named: defaultZone.name) { defaultZone = zone }
  }

  /// Finds the due times of the next requests anew. Of those that are due earlier now a note is made; those that are due
  /// later are found anew once more when the time comes that is stored. See `isUnsettled`.
  ///
  /// - Parameter limit: how many at most.
  /// - Returns: what is to be told; `recalculation` is `nil` once all are done.
  mutating func recalculate(limit: Int, at moment: Moment) throws(StoreError) -> [Action] {
    guard var state = recalculation else { return [] }
    let found: [StoredRequest]
    let next: Recalculation.Place?
    switch state.place {
    case .pending(let start):
      found = try queue.wallRequests(after: start, limit: limit)
      next =
        if found.count == limit, let last = found.last, let due = last.due {
          .pending(after: DuePlace(due: due, sequence: last.sequence))
        } else {
          .resting(after: 0)
        }
    case .resting(let start):
      found = try queue.restingRequests(after: start, limit: limit)
      next = found.count == limit ? found.last.map { .resting(after: $0.sequence) } : nil
    }
    var actions: [Action] = []
    for request in found { actions += try recalculate(request, &state, at: moment) }
    state.unsaved += found.count
    if let next { state.place = next }
    if next == nil || state.isToBeSaved(at: moment) { try save(&state, isOver: next == nil) }
    recalculation = next == nil ? nil : state
    return actions
  }

  private func recalculate(
    _ request: StoredRequest, _ state: inout Recalculation, at moment: Moment
  ) throws(StoreError) -> [Action] {
    let found = try recalculated(request, at: moment)
    guard found.request != request else { return found.actions }
    if let due = found.request.due, let stored = request.due, found.request.state == request.state,
      !Occurrences.isBeyond(request.reached, moment)
    {
      if due < stored { state.notes.append(DuePlace(due: due, sequence: request.sequence)) }
    } else {
      try queue.update(found.request, was: request.state)
    }
    return found.actions
  }

  private func save(_ state: inout Recalculation, isOver: Bool) throws(StoreError) {
    for place in state.notes { try queue.noteEarlier(place) }
    state.notes = []
    state.unsaved = 0
    try queue.setFact(Recalculation.fact, isOver ? "" : state.text)
  }

  /// A request with its due time as it is now. A pending one that cannot be understood now is `invalid`, and one that could
  /// not be and can be now is pending.
  func recalculated(
    _ request: StoredRequest, at moment: Moment
  ) throws(StoreError) -> (request: StoredRequest, actions: [Action]) {
    let result: Result<StoredRequest, Refusal>
    switch occurrences(of: request) {
    case .failure(let refusal): result = .failure(refusal)
    case .success(let occurrences):
      result = try occurrences.recalculated(request, at: moment) { stamp throws(StoreError) in
        try queue.hasFiring(request.sequence, stamp: stamp)
      }
    }
    switch result {
    case .success(var found):
      if found.state == .invalid { found.state = .pending }
      if found.due == nil, found.axis != .event { found.state = .finished }
      return (found, [])
    // What is paused does not fire; it is looked at again when it goes on.
    case .failure where request.state == .paused: return (request, [])
    case .failure(let refusal):
      return (invalid(request), request.state == .invalid ? [] : [.cannotFire(request, refusal)])
    }
  }

  /// What tells when a stored request fires, in its zone as it is now.
  private func occurrences(of request: StoredRequest) -> Result<Occurrences, Refusal> {
    do throws(Refusal) {
      return .success(
        Occurrences(
          rule: try Rule(stored: request.rule), zone: try zones.zone(named: request.zone),
          location: configuration.location))
    } catch { return .failure(error) }
  }

  /// A request that cannot be understood any more is kept and shown, not dropped.
  func invalid(_ request: StoredRequest) -> StoredRequest {
    var request = request
    request.state = .invalid
    request.due = nil
    return request
  }
}

extension Action {
  static func cannotFire(_ request: StoredRequest, _ refusal: Refusal) -> Action {
    .noted("request \(request.sequence) cannot fire: \(refusal.message)")
  }
}
