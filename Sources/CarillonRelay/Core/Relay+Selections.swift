import CarillonModel
import CarillonStore

/// What became of each identifier that a command is about.
private struct Outcomes {
  private var members: [JSONObject.Member] = []
  private var seen: Set<[UInt8]> = []
  private var count = 0

  /// Notes what became of an identifier, the first time.
  mutating func set(_ id: String, _ word: String) {
    guard seen.insert(Array(id.utf8)).inserted else { return }
    count += 1
    // Beyond that the reply tells the number only.
    if members.count <= Limits.listedIdentifiers { members.append(JSONObject.Member(id, .string(word))) }
  }

  /// Notes what became of many, of which only the first are named.
  mutating func add(_ ids: [String], count: Int, _ word: String) {
    for id in ids { set(id, word) }
    self.count += count - ids.count
  }

  /// `ids`, or their number where they are too many to list (protocol §6).
  var reply: JSONObject {
    count > Limits.listedIdentifiers
      ? ["count": .integer(Int64(count))] : ["ids": .object(JSONObject(members))]
  }
}

extension Relay {
  /// Calls a body for each id once, with its newest request, if there is one.
  private func each(
    _ ids: [String], _ body: (String, StoredRequest?) throws(StoreError) -> Void
  ) throws(StoreError) {
    var seen: Set<[UInt8]> = []
    for id in ids where seen.insert(Array(id.utf8)).inserted {
      try body(id, try queue.current(id))
    }
  }

  /// So many identifiers are read where a command names none: as many as a reply lists, and one more.
  private static let named = Limits.listedIdentifiers + 1

  /// `cancel`: what has not fired never will, and what has does not come again.
  mutating func cancel(_ selection: Selection, _ context: CommandContext) throws(StoreError) -> Decision {
    var outcomes = Outcomes()
    var actions: [Action] = []
    func cancel(_ id: String, _ request: StoredRequest?) throws(StoreError) {
      let wasFollowed = try queue.endFollowups(id: id) > 0
      guard let request, request.state != .cancelled else {
        return outcomes.set(id, wasFollowed ? "cancelled" : "unknown")
      }
      let recalled = try recall(request, at: context.moment)
      actions += recalled.map { .recall(firing: $0.row) }
      guard request.state.isListed || !recalled.isEmpty || wasFollowed else {
        return outcomes.set(id, "fired")
      }
      try remove(request, at: context.moment)
      outcomes.set(id, "cancelled")
    }
    switch selection {
    case .ids(let ids): try each(ids, cancel)
    case .thread, .all:
      let selected = selected(selection, context)
      for request in try queue.prepared(selected, at: context.moment) { try cancel(request.id, request) }
      let listed = try queue.selected(
        selected, in: [.pending, .paused, .invalid], limit: Relay.named)
      let followed = try queue.followed(selected, limit: Relay.named)
      try endWatches(of: selected)
      try queue.cancelListed(selected, at: context.moment.wall)
      try queue.cancelFollowed(selected, at: context.moment.wall)
      outcomes.add(listed.ids, count: listed.count, "cancelled")
      outcomes.add(followed.ids, count: followed.count, "cancelled")
    }
    return Decision(outcomes.reply, actions)
  }

  /// A cancelled request leaves its revision behind, and what its notifications need.
  private mutating func remove(_ request: StoredRequest, at moment: Moment) throws(StoreError) {
    try endWatch(of: request)
    let hasFirings = try queue.hasFirings(request.sequence)
    guard request.revision != nil || hasFirings else { return try queue.delete(request) }
    var cancelled = request
    cancelled.state = .cancelled
    cancelled.due = nil
    cancelled.accepted = moment.wall
    try queue.update(cancelled, was: request.state)
  }

  /// `withdraw`: takes notifications back from the devices and from the way there, and ends their nags.
  mutating func withdraw(_ selection: Selection, _ context: CommandContext) throws(StoreError) -> Decision {
    var outcomes = Outcomes()
    var actions: [Action] = []
    func end(_ firings: [StoredFiring]) throws(StoreError) -> [StoredFiring] {
      let fired = firings.filter { $0.fired != nil || $0.release <= context.moment.on($0.axis) }
      var series: Set<Int64> = []
      for firing in fired {
        if let first = firing.series?.first, !series.insert(first).inserted { continue }
        actions += try endSeries(
          of: firing, "withdrawn", by: context.publisher?.text, answeredAt: nil, at: context.moment)
      }
      return fired
    }
    switch selection {
    case .ids(let ids):
      for id in ids {
        let nags = try queue.endNags(id: id, at: context.moment)
        let fired = try end(try queue.live(id: id))
        outcomes.set(id, nags > 0 || !fired.isEmpty ? "withdrawn" : "unknown")
      }
    case .thread, .all:
      let nags = try queue.endNags(selected(selection, context), at: context.moment)
      let live: [StoredFiring] =
        if case .thread(let thread) = selection { try queue.live(thread: thread) } else { try queue.live() }
      for firing in try end(try ownOnly(live, context)) {
        if let request = try queue.request(firing.sequence) { outcomes.set(request.id, "withdrawn") }
      }
      for id in nags { outcomes.set(id, "withdrawn") }
    }
    return Decision(outcomes.reply, actions)
  }

  /// Ends one firing everywhere: devices that may have it are told, on the way to the others it is dropped.
  ///
  /// - Parameter except: the device that ended it.
  mutating func end(
    _ firing: StoredFiring, _ reason: String, by: String?, except: Int64?, at moment: Moment
  ) throws(StoreError) -> [Action] {
    try queue.end(firing.row, reason, by: by)
    var actions: [Action] = []
    for delivery in try queue.deliveries(of: firing.row) {
      actions.append(.touchLatest(device: delivery.device, firing: firing.row, isNew: false))
      guard delivery.device != except, delivery.state.isLive else { continue }
      if delivery.state == .waiting, devices[delivery.device]?.isOnline == false {
        try queue.setState(delivery, .withdrawn, open: .nothing, at: moment.wall, detail: reason)
        actions.append(.settle(firing: firing.row, device: delivery.device))
      } else {
        try queue.setOpen(delivery, .withdrawal)
        if let outgoing = try queue.outgoing(firing.row, to: delivery.device) {
          actions.append(.deliver(outgoing))
        }
      }
    }
    return actions
  }

  /// `pause`: holds requests without losing them.
  mutating func pause(_ selection: Selection, _ context: CommandContext) throws(StoreError) -> Decision {
    var outcomes = Outcomes()
    var actions: [Action] = []
    func pause(_ id: String, _ request: StoredRequest?) throws(StoreError) {
      let isFollowed = try queue.hold(true, followupsOf: id) > 0
      guard let request else { return outcomes.set(id, isFollowed ? "paused" : "unknown") }
      let recalled = try recall(request, at: context.moment)
      actions += recalled.map { .recall(firing: $0.row) }
      guard request.state == .pending || !recalled.isEmpty else {
        return outcomes.set(id, request.state == .paused || isFollowed ? "paused" : "unknown")
      }
      try putBack(request, recalled, as: .paused)
      outcomes.set(id, "paused")
    }
    switch selection {
    case .ids(let ids): try each(ids, pause)
    case .thread, .all:
      let selected = selected(selection, context)
      for request in try queue.prepared(selected, at: context.moment) { try pause(request.id, request) }
      let pending = try queue.selected(selected, in: [.pending], limit: Relay.named)
      let followed = try queue.followed(selected, limit: Relay.named)
      try queue.move(selected, from: .pending, to: .paused)
      try queue.hold(true, followupsOf: selected)
      outcomes.add(pending.ids, count: pending.count, "paused")
      outcomes.add(followed.ids, count: followed.count, "paused")
    }
    return Decision(outcomes.reply, actions)
  }

  /// `resume`: what fell due meanwhile follows `catchUp`.
  mutating func resume(_ selection: Selection, _ context: CommandContext) throws(StoreError) -> Decision {
    var outcomes = Outcomes()
    var actions: [Action] = []
    func resume(_ id: String, _ request: StoredRequest?) throws(StoreError) {
      let isFollowed = try queue.hold(false, followupsOf: id) > 0
      guard let request, try isHeldOrPending(request, at: context.moment) else {
        return outcomes.set(id, isFollowed ? "pending" : "unknown")
      }
      if request.state == .paused { actions += try release(request, at: context.moment) }
      outcomes.set(id, "pending")
    }
    switch selection {
    case .ids(let ids): try each(ids, resume)
    case .thread, .all:
      let selected = selected(selection, context)
      for request in try queue.prepared(selected, at: context.moment) where request.state == .finished {
        outcomes.set(request.id, "pending")
      }
      let held = try queue.selected(selected, in: [.pending, .paused], limit: Relay.named)
      for request in try queue.overdue(selected, in: .paused, at: context.moment) {
        actions += try release(request, at: context.moment)
      }
      let followed = try queue.followed(selected, limit: Relay.named)
      try queue.move(selected, from: .paused, to: .pending)
      try rejoinRecalculation(at: context.moment)
      try queue.hold(false, followupsOf: selected)
      outcomes.add(held.ids, count: held.count, "pending")
      outcomes.add(followed.ids, count: followed.count, "pending")
    }
    return Decision(outcomes.reply, actions)
  }

  /// Lets a paused request go on. Whatever fell due while it was held was missed, however short that was; a one-shot then
  /// fires all the same.
  private mutating func release(_ request: StoredRequest, at moment: Moment) throws(StoreError) -> [Action] {
    var pending = request
    pending.state = .pending
    let found = try recalculated(pending, at: moment)
    let released = found.request
    try queue.update(released, was: .paused)
    guard released.state == .pending, let due = released.due, due <= moment.on(released.axis) else {
      return found.actions
    }
    return found.actions + (try advance(released, at: moment, grace: .zero))
  }
}

extension Relay {
  /// The requests that a selection without ids means: of a publisher that may touch no others, only its own.
  private func selected(_ selection: Selection, _ context: CommandContext) -> SelectedRequests {
    SelectedRequests(thread: selection.thread, publisher: owner(context))
  }

  private func ownOnly(_ firings: [StoredFiring], _ context: CommandContext) throws(StoreError)
    -> [StoredFiring]
  {
    guard owner(context) != nil else { return firings }
    var found: [StoredFiring] = []
    for firing in firings where try queue.request(firing.sequence)?.publisher == context.publisher {
      found.append(firing)
    }
    return found
  }

  /// Whose requests alone a publisher may touch, as the store names it; `nil` where it may touch any.
  private func owner(_ context: CommandContext) -> String? {
    guard configuration.permissions?.of(context.publisher)?.own == true else { return nil }
    return context.publisher?.text ?? ""
  }
}

extension Selection {
  /// The thread, where it selects by one.
  fileprivate var thread: String? {
    if case .thread(let thread) = self { thread } else { nil }
  }
}
