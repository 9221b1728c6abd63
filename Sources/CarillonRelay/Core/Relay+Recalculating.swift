import CarillonModel
import CarillonStore
import CarillonTime

extension Relay {
  /// What the stored due times were computed with, or are being computed anew with.
  private static let basisFact = "tzdata"

  /// What due times are computed with: tzdata, and where the sun is watched from.
  private var basis: String {
    let place = configuration.location.map { " \($0.latitude) \($0.longitude)" } ?? ""
    return zones.version + place
  }

  /// Takes up what an earlier run has left, or begins anew where due times are not what they were computed with.
  ///
  /// - Parameter clockWasSetBack: whether the wall clock was, since the due times were computed.
  /// - Returns: whether due times are to be found anew.
  mutating func beginRecalculation(clockWasSetBack: Bool) throws(StoreError) -> Bool {
    if try queue.fact(Relay.basisFact) != basis || clockWasSetBack {
      try restartRecalculation()
    } else if recalculation == nil {
      recalculation = try queue.fact(Recalculation.fact).flatMap { Recalculation($0) }
    }
    return recalculation != nil
  }

  /// All due times are to be found anew, from the first.
  private mutating func restartRecalculation() throws(StoreError) {
    recalculation = .start
    try queue.setFact(Relay.basisFact, basis)
    try Relay.markStale(in: queue)
  }

  /// Notes that stored due times are not what they should be.
  static func markStale(in queue: Queue) throws(StoreError) {
    try queue.setFact(Recalculation.fact, Recalculation.start.text)
  }

  /// Requests have joined those whose due times are being found anew, wherever that has come to.
  mutating func rejoinRecalculation() throws(StoreError) {
    if recalculation != nil { try restartRecalculation() }
  }

  /// The zones have been read anew: so is the relay's own, and no due time is trusted from now on.
  mutating func zonesHaveChanged() {
    if let zone = try? zones.zone(named: defaultZone.name) { defaultZone = zone }
    recalculation = .start
  }

  /// Finds the due times of the next requests anew.
  ///
  /// - Parameter limit: how many at most; fewer where they take more work than usual.
  /// - Returns: what is to be told; `recalculation` is `nil` once all are done.
  mutating func recalculate(limit: Int, at moment: Moment) throws(StoreError) -> [Action] {
    guard let place = recalculation?.place else { return [] }
    let found: [StoredRequest]
    switch place {
    case .pending(let start): found = try queue.wallRequests(after: start, limit: limit)
    case .resting(let start): found = try queue.restingRequests(after: start, limit: limit)
    }
    let (last, actions) = try recalculate(found, limit: limit, at: moment)
    // A slice that ended before its limit has come to the end.
    let isLast = found.count < limit && last == found.last
    recalculation = place.next(after: isLast ? nil : last).map { Recalculation(place: $0) }
    try queue.setFact(Recalculation.fact, recalculation?.text ?? "")
    // Where the beginning could not be written down.
    if recalculation == nil { try queue.setFact(Relay.basisFact, basis) }
    return actions
  }

  /// So many looks into what has fired are as much work as one request.
  private static let looksAtOnce = 8

  /// - Returns: the last one that was done.
  private mutating func recalculate(
    _ requests: [StoredRequest], limit: Int, at moment: Moment
  ) throws(StoreError) -> (last: StoredRequest?, actions: [Action]) {
    var actions: [Action] = []
    var work = 0
    for request in requests {
      let found = try recalculated(request, at: moment)
      if found.request != request { try queue.update(found.request, was: request.state) }
      actions += found.actions
      work += 1 + found.looks / Relay.looksAtOnce
      if work >= limit { return (last: request, actions: actions) }
    }
    return (last: requests.last, actions: actions)
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
