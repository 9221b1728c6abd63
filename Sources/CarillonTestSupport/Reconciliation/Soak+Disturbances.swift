import CarillonLoop

extension Soak {
  /// Chances in a thousand, each time that a command is sent (about ten times a second).
  private enum Chance {
    static let relay = 12
    static let companion = 25
    static let broker = 2
    static let hold = 20
  }

  private func isDrawn(_ chance: Int) -> Bool { Int.random(in: 0..<1000, using: &traffic.generator) < chance }

  private func time(_ range: ClosedRange<Int64>) -> Int64 {
    Int64.random(in: range, using: &traffic.generator)
  }

  /// Ends something, perhaps.
  func disturb(at now: Int64) throws {
    if isDrawn(Chance.relay) { try end(.relay, until: now + time(0...4000)) }
    if isDrawn(Chance.companion), let device = Soak.devices.randomElement(using: &traffic.generator) {
      let isLong = isDrawn(200)
      if isLong, away[.companion(device)] == nil { note("devices offline for long") }
      try end(.companion(device), until: now + (isLong ? time(10_000...40_000) : time(0...2000)))
    }
    if isDrawn(Chance.broker), brokerReturns == nil {
      note("broker restarts")
      household.broker.stop()
      brokerReturns = now + time(0...3000)
    }
    if isDrawn(Chance.hold), brokerReturns == nil { try hold(at: now) }
  }

  private func end(_ member: Household.Member, until time: Int64) throws {
    guard away[member] == nil, household.isRunning(member) else { return }
    away[member] = time
    let name = member == .relay ? "relay" : "companion"
    if Bool.random(using: &traffic.generator) {
      note("\(name) SIGTERM")
      try household.stop(member)
    } else {
      note("\(name) SIGKILL")
      try household.kill(member)
    }
  }

  /// Holds one of the requests that stand for some seconds.
  private func hold(at now: Int64) throws {
    let ledger = household.ledger
    let names = ledger.names.suffix(60).filter { name in
      guard let entry = ledger.entries[name] else { return false }
      return entry.fate == .stands && !entry.request.isAnonymous && entry.request.kind != .immediate
        && held[entry.request.id] == nil
    }
    guard let name = names.randomElement(using: &traffic.generator), let id = ledger.entries[name]?.request.id
    else { return }
    note("requests paused")
    held[id] = now + time(500...20_000)
    try household.publish(traffic.hold("pause", id: id))
  }

  /// What has been away for long enough comes back.
  func bringBack(at now: Int64) throws {
    if let time = brokerReturns, time <= now {
      brokerReturns = nil
      try household.broker.start()
    }
    for (member, time) in away.sorted(by: { $0.value < $1.value }) where time <= now {
      away[member] = nil
      try household.launch(member)
    }
    for member in Soak.members {
      guard let end = try household.takeEnd(member) else { continue }
      away[member] = now
      throw TestFailure(end)
    }
    guard brokerReturns == nil else { return }
    for (id, time) in held.sorted(by: { $0.key < $1.key }) where time <= now {
      held[id] = nil
      try household.publish(traffic.hold("resume", id: id))
    }
  }
}
