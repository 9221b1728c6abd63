import CarillonModel
import CarillonStore
import CarillonTime

extension Relay {
  /// The tzdata with which the stored due times were computed, or are being computed anew.
  private static let zonesFact = "tzdata"

  /// Takes up what an earlier run has left, or begins anew where tzdata is not what the store's due times were computed
  /// with.
  ///
  /// - Parameter clockWasSetBack: whether the wall clock was, since the due times were computed.
  /// - Returns: whether due times are to be found anew.
  mutating func beginRecalculation(clockWasSetBack: Bool) throws(StoreError) -> Bool {
    let known = try queue.fact(Relay.zonesFact)
    if known != zones.version || clockWasSetBack {
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

  /// Finds the due times of the next requests anew.
  ///
  /// - Parameter limit: how many at most.
  /// - Returns: what is to be told; `recalculation` is `nil` once all are done.
  mutating func recalculate(limit: Int, at moment: Moment) throws(StoreError) -> [Action] {
    guard let place = recalculation?.place else { return [] }
    var actions: [Action] = []
    let next: Recalculation.Place?
    switch place {
    case .pending(let start):
      let found = try queue.wallRequests(after: start, limit: limit)
      for request in found { actions += try recalculate(request, at: moment) }
      next =
        if found.count == limit, let last = found.last, let due = last.due {
          .pending(after: DuePlace(due: due, sequence: last.sequence))
        } else {
          .resting(after: 0)
        }
    case .resting(let start):
      let found = try queue.restingRequests(after: start, limit: limit)
      for request in found { actions += try recalculate(request, at: moment) }
      next = found.count == limit ? found.last.map { .resting(after: $0.sequence) } : nil
    }
    recalculation = next.map { Recalculation(place: $0) }
    try queue.setFact(Recalculation.fact, recalculation?.text ?? "")
    return actions
  }

  private mutating func recalculate(_ request: StoredRequest, at moment: Moment) throws(StoreError)
    -> [Action]
  {
    let found = try recalculated(request, at: moment)
    if found.request != request { try queue.update(found.request, was: request.state) }
    return found.actions
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
