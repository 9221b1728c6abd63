import CarillonModel
import CarillonStore

// A due time in the store is found ahead of time. When tzdata changes, rows are not written anew: each would take a page,
// for a million requests gigabytes, and what is due meanwhile would wait for the disk. All of them are looked at, and
// those that are due earlier now get a note, which brings them in time. Those that are due later come when the time
// comes that is stored. Either way a due time is found anew, and its row settled, before anything fires.
extension Relay {
  /// Whether the stored due time of a request was found before tzdata or the clock changed last.
  func isUnsettled(_ request: StoredRequest) -> Bool {
    guard request.axis == .wall else { return false }
    if recalculation?.isAhead(of: request) == true { return true }
    guard let change else { return false }
    return (request.reached?.time ?? request.accepted) <= change + Occurrences.slack
  }

  /// A request as it is to be shown: with its due time as tzdata and the clock have it now.
  func settled(_ request: StoredRequest, at moment: Moment) throws(StoreError) -> StoredRequest {
    guard request.state == .pending || request.state == .paused, isUnsettled(request) else { return request }
    return try recalculated(request, at: moment).request
  }

  /// Settles the rows of requests that are due by a time although their rows say a later one.
  ///
  /// - Parameter limit: how many at most.
  /// - Returns: what is to be told, and the time through which all are settled, where there may be more.
  func settleEarlier(
    through time: Int64, limit: Int, at moment: Moment
  ) throws(StoreError) -> (actions: [Action], end: WallTime?) {
    let places = try queue.earlier(through: time, limit: limit)
    var actions: [Action] = []
    for place in places { actions += try settle(place, at: moment) }
    let end = places.count == limit ? places.last.map { WallTime(milliseconds: $0.due) } : nil
    return (actions, end)
  }

  /// A note has served when its request is over, or its row is settled.
  private func settle(_ place: DuePlace, at moment: Moment) throws(StoreError) -> [Action] {
    try queue.forgetEarlier(place)
    guard let request = try queue.request(place.sequence),
      request.state == .pending || request.state == .paused,
      let due = request.due, due > place.due
    else { return [] }
    return try settle(request, at: moment)
  }

  private func settle(_ request: StoredRequest, at moment: Moment) throws(StoreError) -> [Action] {
    let found = try recalculated(request, at: moment)
    if found.request != request { try queue.update(found.request, was: request.state) }
    return found.actions
  }

  /// Whether the next due time on the wall clock, which is told to everybody, comes from a row or a note that may be wrong.
  func isHeadUnsettled(at moment: Moment) throws(StoreError) -> Bool {
    guard change != nil, recalculation == nil else { return false }
    let head = try queue.head(on: .wall)
    if let place = head.earlier, place.due <= head.request?.due ?? .max { return true }
    guard let request = head.request else { return false }
    return try settled(request, at: moment).due != request.due
  }

  /// Settles what falls due next on the wall clock, so that the next due time is right.
  ///
  /// - Parameter limit: how many rows at most.
  func settleHead(limit: Int, at moment: Moment) throws(StoreError) -> [Action] {
    var actions: [Action] = []
    for _ in 0..<limit {
      let head = try queue.head(on: .wall)
      if let place = head.earlier, place.due <= head.request?.due ?? .max {
        actions += try settle(place, at: moment)
      } else if let request = head.request, isUnsettled(request) {
        let found = try recalculated(request, at: moment)
        guard found.request.due != request.due || found.request.state != request.state else { break }
        try queue.update(found.request, was: request.state)
        actions += found.actions
      } else {
        break
      }
    }
    return actions
  }
}
