import CarillonModel
import CarillonSchedule
import CarillonStore

// A nag: a firing comes again until somebody answers, first to its own devices, then to others (protocol §3).
extension Relay {
  /// A firing of a request that nags begins a series, once it goes out.
  ///
  /// - Parameter row: the firing's.
  func beginNag(
    _ row: Int64, _ firing: StoredFiring, _ request: StoredRequest, _ nag: Nag, at moment: Moment
  ) throws(StoreError) {
    try queue.beginSeries(row, times: Int64(nag.times))
    var followup = Followup(
      sequence: request.sequence, firing: row, kind: .nag, due: firing.goesOut(at: moment))
    if firing.hasGoneOut(at: moment) {
      try queue.endRunningNags(ofRequest: request.sequence)
      followup = NagSeries(nag: nag).beginning(of: row, request.sequence, at: moment.elapsed)
      guard comes(followup, before: firing.expires, at: moment) else { return }
    }
    try queue.insert(followup, isHeld: request.state == .paused)
  }

  /// What waits for the first firing of its series begins, and takes the place of what runs, if that has gone out.
  ///
  /// - Returns: whether it has.
  private func begin(_ followup: Followup, _ nag: Nag, at moment: Moment) throws(StoreError) -> Bool {
    guard let first = try queue.firing(row: followup.firing), first.hasGoneOut(at: moment) else {
      return false
    }
    try queue.endRunningNags(ofRequest: followup.sequence)
    var start = first.fired.map { moment.elapsed(at: $0) } ?? first.goesOut(at: moment)
    // Where it is late and has not been noted, it goes out only now.
    if first.fired == nil, moment.elapsed - start > Relay.preparation { start = moment.elapsed }
    // However the wall clock was set, it was not out when that was looked at the last time.
    start = min(max(start, followup.due.subtractingSaturated(nag.every.milliseconds)), moment.elapsed)
    var begun = NagSeries(nag: nag).beginning(of: followup.firing, followup.sequence, at: start)
    begun.row = followup.row
    if comes(begun, before: first.expires, at: moment) {
      try queue.update(begun)
    } else {
      try queue.delete(followup)
    }
    return true
  }

  /// The first firing of a series should have gone out by now. Where the wall clock has been set back it has not; it comes
  /// early where that is set right again, and is looked at before a repetition could be due then.
  private func expect(_ followup: Followup, _ first: StoredFiring, _ nag: Nag, at moment: Moment)
    throws(StoreError)
  {
    guard try !begin(followup, nag, at: moment) else { return }
    var later = followup
    let latest = moment.elapsed.addingSaturated(nag.every.milliseconds)
    later.due = min(max(first.goesOut(at: moment), moment.elapsed + 1), latest)
    try queue.update(later)
  }

  /// Whether another series of a request takes the place of the one that is due: its first firing has gone out too.
  private func givesWay(_ followup: Followup, _ nag: Nag, at moment: Moment) throws(StoreError) -> Bool {
    var hasBegun = false
    for other in try queue.nags(ofRequest: followup.sequence) where other.position == 0 {
      if try begin(other, nag, at: moment) { hasBegun = true }
    }
    return hasBegun
  }

  /// Whether the expiry of a series' first firing leaves time for a position.
  private func comes(_ followup: Followup, before expires: WallTime?, at moment: Moment) -> Bool {
    expires.map { moment.wall(at: followup.due) < $0 } ?? true
  }

  /// Fires the newest position of a series that is due, and moves on to the next.
  mutating func nag(
    _ followup: Followup, _ first: StoredFiring, _ request: StoredRequest, _ rule: Rule, at moment: Moment
  ) throws(StoreError) -> [Action] {
    guard let nag = rule.nag else {
      try queue.delete(followup)
      return []
    }
    if followup.position == 0 {
      try expect(followup, first, nag, at: moment)
      return []
    }
    if try givesWay(followup, nag, at: moment) { return [] }
    guard first.expires.map({ $0 > moment.wall }) ?? true else {
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
    if let nag = try queue.nag(of: series.first), nag.position == 0, firing.hasGoneOut(at: moment) {
      // What ran before it has given way, although that is not written down yet.
      try queue.endRunningNags(ofRequest: firing.sequence)
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

extension StoredFiring {
  /// When it goes out, or has to, on the elapsed axis, as long as nobody sets the wall clock.
  fileprivate func goesOut(at moment: Moment) -> Int64 {
    axis == .wall ? moment.elapsed(at: WallTime(milliseconds: release)) : release
  }
}
