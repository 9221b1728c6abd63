import CarillonModel
import CarillonStore
import CarillonTime

extension Relay {
  /// What the stored due times were computed with, or are being computed anew with.
  private static let basisFact = "tzdata"
  static let changeFact = "changed"

  /// What due times are computed with: tzdata, and where the sun is watched from.
  private var basis: String {
    let place = configuration.location.map { " \($0.latitude) \($0.longitude)" } ?? ""
    return zones.version + place
  }

  /// Takes up what an earlier run has left, or begins anew where due times are not what they were computed with.
  ///
  /// - Parameter clockWasSetBack: whether the wall clock was, since the due times were computed.
  /// - Returns: whether due times are to be found anew.
  mutating func beginRecalculation(clockWasSetBack: Bool, at moment: Moment) throws(StoreError) -> Bool {
    if try queue.fact(Relay.basisFact) != basis || clockWasSetBack {
      try restartRecalculation(at: moment)
    } else if recalculation == nil {
      recalculation = try queue.fact(Recalculation.fact).flatMap { Recalculation($0) }
    }
    return recalculation != nil
  }

  /// All due times are to be found anew, from the first.
  private mutating func restartRecalculation(at moment: Moment) throws(StoreError) {
    distrustDueTimes(at: moment)
    try saveBasis()
    try Relay.markStale(in: queue)
  }

  private func saveBasis() throws(StoreError) {
    try queue.setFact(Relay.basisFact, basis)
    if let change { try queue.setFact(Relay.changeFact, String(change.milliseconds)) }
  }

  private mutating func distrustDueTimes(at moment: Moment) {
    change = max(change ?? moment.wall, moment.wall)
    recalculation = .start
  }

  /// Notes that stored due times are not what they should be.
  static func markStale(in queue: Queue) throws(StoreError) {
    try queue.setFact(Recalculation.fact, Recalculation.start.text)
  }

  /// Requests have joined those whose due times are being found anew, wherever that has come to.
  mutating func rejoinRecalculation(at moment: Moment) throws(StoreError) {
    if recalculation != nil { try restartRecalculation(at: moment) }
  }

  /// The zones have been read anew: so is the relay's own, and no due time is trusted from now on.
  mutating func zonesHaveChanged(at moment: Moment) {
    if let zone = try? zones.zone(named: defaultZone.name) { defaultZone = zone }
    distrustDueTimes(at: moment)
  }

  /// Finds the due times of the next requests anew. Of those that are due earlier now a note is made; those that are due
  /// later are found anew once more when the time comes that is stored. See `isUnsettled`.
  ///
  /// - Parameter limit: how many at most; fewer where they take more work than usual.
  /// - Returns: what is to be told; `recalculation` is `nil` once all are done.
  mutating func recalculate(limit: Int, at moment: Moment) throws(StoreError) -> [Action] {
    guard var state = recalculation else { return [] }
    let found: [StoredRequest]
    switch state.place {
    case .pending(let start): found = try queue.wallRequests(after: start, limit: limit)
    case .resting(let start): found = try queue.restingRequests(after: start, limit: limit)
    }
    var actions: [Action] = []
    var work = 0
    var last: StoredRequest?
    for request in found where work < limit {
      let result = try recalculate(request, &state, at: moment)
      actions += result.actions
      work += 1 + result.looks / Relay.looksAtOnce
      state.unsaved += 1
      last = request
    }
    // A slice that found fewer than it might has come to the end.
    let isLast = found.count < limit && last == found.last
    let next = state.place.next(after: isLast ? nil : last)
    if let next { state.place = next }
    if next == nil || state.isToBeSaved(at: moment) { try save(&state, isOver: next == nil) }
    // Where the beginning could not be written down.
    if next == nil { try saveBasis() }
    recalculation = next == nil ? nil : state
    return actions
  }

  /// So many looks into what has fired are as much work as one request.
  private static let looksAtOnce = 8

  private func recalculate(
    _ request: StoredRequest, _ state: inout Recalculation, at moment: Moment
  ) throws(StoreError) -> (looks: Int, actions: [Action]) {
    let found = try recalculated(request, at: moment)
    guard found.request != request else { return (found.looks, found.actions) }
    if let due = found.request.due, let stored = request.due, found.request.state == request.state,
      !Occurrences.isBeyond(request.reached, moment)
    {
      if due < stored { state.notes.append(DuePlace(due: due, sequence: request.sequence)) }
    } else {
      try queue.update(found.request, was: request.state)
    }
    return (found.looks, found.actions)
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
  ) throws(StoreError) -> (request: StoredRequest, looks: Int, actions: [Action]) {
    var looks = 0
    let result: Result<StoredRequest, Refusal>
    switch Result(catching: { () throws(Refusal) in try occurrences(of: request) }) {
    case .failure(let refusal): result = .failure(refusal)
    case .success(let occurrences):
      result = try occurrences.recalculated(request, at: moment) { stamp throws(StoreError) in
        looks += 1
        return try queue.hasFiring(request.sequence, stamp: stamp)
      }
    }
    switch result {
    case .success(var found):
      if found.state == .invalid { found.state = .pending }
      if found.due == nil, found.axis != .event { found.state = .finished }
      return (found, looks, [])
    // What is paused does not fire; it is looked at again when it goes on.
    case .failure where request.state == .paused: return (request, looks, [])
    case .failure(let refusal):
      return (invalid(request), looks, request.state == .invalid ? [] : [.cannotFire(request, refusal)])
    }
  }

  /// What tells when a stored request fires, in its zone as it is now.
  func occurrences(of request: StoredRequest) throws(Refusal) -> Occurrences {
    // Elapsed time needs no zone: whatever becomes of it, such a request fires.
    let zone = request.axis == .wall ? try zones.zone(named: request.zone) : self.zone(request.zone)
    return Occurrences(
      rule: try Rule(stored: request.rule), zone: zone, location: configuration.location)
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
