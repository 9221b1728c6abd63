import CarillonModel
import CarillonSchedule
import CarillonStore
import CarillonTime

// What was prepared a second ahead, and did not go out when it was due: the machine slept, or its clock was set.
extension Relay {
  /// Takes back what was prepared and has been missed since, so that it is decided on anew, as late, and by `catchUp`.
  ///
  /// - Parameter limit: how many requests at most.
  mutating func takeBackMissed(at moment: Moment, limit: Int) throws(StoreError) -> [Action] {
    var actions: [Action] = []
    for axis in [TimeAxis.wall, .elapsed] {
      let end = moment.on(axis).subtractingSaturated(missedAfter.milliseconds)
      actions += try takeBack(on: axis, before: end, limit: limit)
      // Of what has been replaced or cancelled since, it is only said.
      try queue.markLate(on: axis, before: end)
    }
    return actions
  }

  /// Takes back what is prepared and whose moment has not come, since the relay stops: until it is back, it can be
  /// cancelled. What is due stays, whoever has it: later occurrences of its request may have gone out.
  ///
  /// - Parameter limit: how many requests at most; more go out when the relay is back.
  mutating func takeBackPrepared(at moment: Moment, limit: Int) throws(StoreError) {
    for axis in [TimeAxis.wall, .elapsed] {
      for sequence in try queue.unreleased(on: axis, after: moment.on(axis), limit: limit) {
        guard let request = try takeable(sequence) else { continue }
        let recalled = try recall(request, at: moment)
        if !recalled.isEmpty { try putBack(request, recalled, as: .pending) }
      }
    }
  }

  /// A request of which something may be taken back, so that it is still to come; `nil` where it has been cancelled or
  /// replaced since.
  private func takeable(_ sequence: Int64) throws(StoreError) -> StoredRequest? {
    guard let request = try queue.request(sequence), [.pending, .finished].contains(request.state),
      try queue.current(request.id)?.sequence == sequence
    else { return nil }
    return request
  }

  private mutating func takeBack(on axis: TimeAxis, before end: Int64, limit: Int) throws(StoreError)
    -> [Action]
  {
    var actions: [Action] = []
    for sequence in try queue.overdue(on: axis, before: end, limit: limit) {
      guard let request = try takeable(sequence) else { continue }
      // One that waits for a device may have been overtaken by a later one, which has gone out. It stays, and comes late.
      let newest = try queue.newestFired(sequence)
      let unfired = try queue.unfired(sequence).filter { firing in newest.map { firing.stamp > $0 } ?? true }
      guard !unfired.isEmpty else { continue }
      for firing in unfired { try queue.delete(firing) }
      actions += unfired.map { .recall(firing: $0.row) }
      try putBack(request, unfired, as: .pending)
    }
    return actions
  }

  /// Gives a request a state in which the occurrences of firings that were taken back are the next ones again.
  func putBack(_ request: StoredRequest, _ recalled: [StoredFiring], as state: RequestState)
    throws(StoreError)
  {
    var changed = request
    changed.state = state
    if let first = recalled.first {
      changed.due = first.stamp
      changed.reached = request.reached.map { _ in
        Reached(WallTime(milliseconds: first.stamp) - .milliseconds(1), in: zone(request.zone))
      }
      changed.occurrences -= Int64(recalled.count)
    }
    try queue.update(changed, was: request.state)
  }
}
