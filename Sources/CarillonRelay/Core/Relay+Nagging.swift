import CarillonModel
import CarillonSchedule
import CarillonStore

// A nag: a firing comes again until somebody answers, first to its own devices, then to others (protocol §3).
extension Relay {
  /// A firing of a request that nags begins a series, and takes the place of one that is running.
  ///
  /// - Parameter row: the firing's.
  func beginNag(
    _ row: Int64, _ firing: StoredFiring, _ request: StoredRequest, _ nag: Nag, at moment: Moment
  ) throws(StoreError) {
    try queue.endNag(ofRequest: request.sequence)
    try queue.beginSeries(row, times: Int64(nag.times))
    let release =
      firing.axis == .elapsed
      ? firing.release : moment.elapsed(at: WallTime(milliseconds: firing.release))
    // One that is late counts from when it goes out.
    let start = max(release, moment.elapsed)
    let followup = NagSeries(nag: nag).beginning(of: row, request.sequence, at: start)
    guard comes(followup, before: firing.expires, at: moment) else { return }
    try queue.insert(followup, isHeld: request.state == .paused)
  }

  /// Whether the expiry of a series' first firing leaves time for a position.
  private func comes(_ followup: Followup, before expires: WallTime?, at moment: Moment) -> Bool {
    expires.map { moment.wall(at: followup.due) < $0 } ?? true
  }

  /// Fires the newest position of a series that is due, and moves on to the next.
  mutating func nag(
    _ followup: Followup, _ first: StoredFiring, _ request: StoredRequest, _ rule: Rule, at moment: Moment
  ) throws(StoreError) -> [Action] {
    let isOver = first.expires.map { $0 <= moment.wall } ?? false
    guard let nag = rule.nag, !isOver else {
      try queue.delete(followup)
      return []
    }
    let series = NagSeries(nag: nag)
    let current = series.newest(followup, at: moment.elapsed)
    if let next = series.next(after: current), comes(next, before: first.expires, at: moment) {
      try queue.update(next)
    } else {
      try queue.delete(followup)
    }
    var firing = unscheduled(request, due: moment.wall(at: current.due), at: moment)
    firing.late = isMissed(due: current.due, at: moment.elapsed)
    firing.expires = first.expires
    firing.series = series.place(of: current)
    return try write(
      firing, request, rule, to: rule.recipients(at: firing.series), replaces: true, at: moment
    ).actions
  }

  /// Ends a firing everywhere, and all others of its series with it: an answer to one answers them all.
  ///
  /// - Parameter device: the one that answered, if one did.
  mutating func endSeries(
    of firing: StoredFiring, _ reason: String, by: String?, answeredAt device: Int64?, at moment: Moment
  ) throws(StoreError) -> [Action] {
    guard let series = firing.series else {
      return try end(firing, reason, by: by, except: device, at: moment)
    }
    try queue.endNag(of: series.first)
    var actions: [Action] = []
    for one in try queue.firings(ofSeries: series.first) {
      if let device, one.row < firing.row {
        actions += try passOver(one, at: device, at: moment)
      }
      // Where the answer came from, only what came after it is still there.
      actions += try end(
        one, reason, by: by, except: one.row <= firing.row ? device : nil, at: moment)
    }
    return actions
  }

  /// A device that has answered a later firing of a series needs an earlier one no more.
  private func passOver(_ firing: StoredFiring, at device: Int64, at moment: Moment) throws(StoreError)
    -> [Action]
  {
    guard let delivery = try queue.delivery(firing.row, device), delivery.open == .notification else {
      return []
    }
    try queue.setState(delivery, .superseded, open: .nothing, at: moment.wall)
    return [.settle(firing: firing.row, device: device)]
  }
}
