import CarillonModel
import CarillonStore

/// What became of each identifier that a command is about.
private struct Outcomes {
  private(set) var members = JSONObject()

  mutating func set(_ id: String, _ word: String) { members[id] = .string(word) }

  /// `ids`, or their number where they are too many to list (protocol §6).
  var reply: JSONObject {
    let count = members.members.count
    return count > Limits.listedIdentifiers ? ["count": .integer(Int64(count))] : ["ids": .object(members)]
  }
}

extension Relay {
  /// The requests that a selection is about, by id; `nil` where an id is unknown.
  private func select(_ selection: Selection) throws(StoreError) -> [(id: String, request: StoredRequest?)] {
    switch selection {
    case .ids(let ids):
      var seen: Set<[UInt8]> = []
      var found: [(id: String, request: StoredRequest?)] = []
      for id in ids where seen.insert(Array(id.utf8)).inserted {
        found.append((id: id, request: try queue.current(id)))
      }
      return found
    case .thread(let thread): return try stored(try queue.listed(thread: thread))
    case .all: return try stored(try queue.listed(thread: nil))
    }
  }

  private func stored(_ sequences: [Int64]) throws(StoreError) -> [(id: String, request: StoredRequest?)] {
    var found: [(id: String, request: StoredRequest?)] = []
    for sequence in sequences {
      if let request = try queue.request(sequence) { found.append((id: request.id, request: request)) }
    }
    return found
  }

  /// `cancel`: what has not fired never will.
  mutating func cancel(_ selection: Selection, _ context: CommandContext) throws(StoreError) -> Decision {
    var outcomes = Outcomes()
    var actions: [Action] = []
    let named: Bool = if case .ids = selection { true } else { false }
    for (id, request) in try select(selection) {
      guard let request, request.state != .cancelled else {
        if named { outcomes.set(id, "unknown") }
        continue
      }
      let recalled = try recall(request, at: context.moment)
      actions += recalled.map { .recall(firing: $0.row) }
      if request.state.isListed || !recalled.isEmpty {
        try remove(request, at: context.moment)
        outcomes.set(id, "cancelled")
      } else if named {
        outcomes.set(id, "fired")
      }
    }
    return Decision(outcomes.reply, actions)
  }

  /// A cancelled request leaves its revision behind, and what its notifications need.
  private mutating func remove(_ request: StoredRequest, at moment: Moment) throws(StoreError) {
    let hasFirings = try queue.hasFirings(request.sequence)
    guard request.revision != nil || hasFirings else { return try queue.delete(request) }
    var cancelled = request
    cancelled.state = .cancelled
    cancelled.due = nil
    cancelled.accepted = moment.wall
    try queue.update(cancelled, was: request.state)
  }

  /// `withdraw`: takes notifications back from the devices and from the way there.
  mutating func withdraw(_ selection: Selection, _ context: CommandContext) throws(StoreError) -> Decision {
    var outcomes = Outcomes()
    var actions: [Action] = []
    func end(_ firings: [StoredFiring]) throws(StoreError) -> [StoredFiring] {
      let fired = firings.filter { $0.release <= context.moment.on($0.axis) }
      for firing in fired {
        actions += try self.end(
          firing, "withdrawn", by: context.publisher?.text, except: nil, at: context.moment)
      }
      return fired
    }
    switch selection {
    case .ids(let ids):
      for id in ids { outcomes.set(id, try end(try queue.live(id: id)).isEmpty ? "unknown" : "withdrawn") }
    case .thread, .all:
      let live: [StoredFiring] =
        if case .thread(let thread) = selection { try queue.live(thread: thread) } else { try queue.live() }
      for firing in try end(live) {
        if let request = try queue.request(firing.sequence) { outcomes.set(request.id, "withdrawn") }
      }
    }
    return Decision(outcomes.reply, actions)
  }

  /// Ends a firing everywhere: devices that may have it are told, on the way to the others it is dropped.
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
    for (id, request) in try select(selection) {
      guard let request else {
        outcomes.set(id, "unknown")
        continue
      }
      let recalled = try recall(request, at: context.moment)
      actions += recalled.map { .recall(firing: $0.row) }
      guard request.state == .pending || !recalled.isEmpty else {
        if case .ids = selection { outcomes.set(id, request.state == .paused ? "paused" : "unknown") }
        continue
      }
      var paused = request
      paused.state = .paused
      if let first = recalled.first {
        // The occurrence that was about to go out is the next one again.
        paused.due = first.stamp
        paused.occurrences -= Int64(recalled.count)
      }
      try queue.update(paused, was: request.state)
      outcomes.set(id, "paused")
    }
    return Decision(outcomes.reply, actions)
  }

  /// `resume`: what fell due meanwhile follows `catchUp`.
  mutating func resume(_ selection: Selection, _ context: CommandContext) throws(StoreError) -> Decision {
    var outcomes = Outcomes()
    for (id, request) in try select(selection) {
      guard var request, try isHeldOrPending(request, at: context.moment) else {
        if case .ids = selection { outcomes.set(id, "unknown") }
        continue
      }
      if request.state == .paused {
        request.state = .pending
        try queue.update(request, was: .paused)
      }
      outcomes.set(id, "pending")
    }
    return Decision(outcomes.reply)
  }
}
