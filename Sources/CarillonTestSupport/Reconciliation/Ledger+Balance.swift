import CarillonModel

extension Ledger {
  /// What is still to come of what should have come by now; empty when the ledger balances so far.
  ///
  /// - Parameter now: requests that fire until later are left out; nil: none is.
  mutating func gaps(at now: Int64?) -> [String] {
    var gaps = unanswered.values.map { "command \($0.number) has no reply" }
    for name in unsettled {
      guard let entry = entries[name] else { continue }
      if let gap = Ledger.gap(in: entry) {
        if now.map({ entry.request.end <= $0 }) ?? true { gaps.append("\(name): \(gap)") }
      } else {
        unsettled.remove(name)
      }
    }
    return gaps
  }

  /// Everything that is wrong, at the end: what must not be, and what is missing.
  mutating func discrepancies() -> [String] {
    unsettled = Set(names)
    return violations + gaps(at: nil) + names.compactMap { entries[$0].flatMap(excess) } + tooManyStops
  }

  /// What has come too often so far, and what else must not be.
  mutating func excesses() -> [String] {
    defer { changed = [] }
    return violations + changed.compactMap { entries[$0].flatMap(excess) } + tooManyStops
  }

  private var tooManyStops: [String] {
    devices.compactMap { device in
      let (reported, ended) = (interruptions[device] ?? 0, stops[device] ?? 0)
      return reported > ended
        ? "\(device): \(reported) interrupted, and its companion ended \(ended) times" : nil
    }
  }

  private static func gap(in entry: Entry) -> String? {
    let request = entry.request
    switch entry.fate {
    case .asked: return "no reply"
    case .stands:
      let least = request.kind == .far ? 0 : request.leastOccurrences
      if entry.firings.count < least { return "fired \(entry.firings.count) of \(request.occurrences) times" }
    case .cancelled, .replaced, .followed: break
    }
    // What became of these is in the relay's history alone.
    guard !entry.mayBeSuperseded, request.kind != .expiring else { return nil }
    for (delivery, firing) in entry.firings {
      for device in request.devices where firing.acted[device] == nil && !firing.interrupted.contains(device)
      {
        return "delivery \(delivery) was not acted on at \(device)"
      }
    }
    return nil
  }

  private func excess(in entry: Entry) -> String? {
    let (request, count) = (entry.request, entry.firings.count)
    switch entry.fate {
    case .asked, .stands, .followed:
      let most = request.kind == .far ? 0 : request.occurrences
      return count > most ? "\(request.name): fired \(count) times, not \(most)" : nil
    case .replaced:
      return count >= request.occurrences ? "\(request.name): replaced, and fired \(count) times" : nil
    case .cancelled(let answered):
      if count >= request.occurrences { return "\(request.name): cancelled, and fired \(count) times" }
      let hasLate = entry.firings.values.contains { isLate($0, after: answered) }
      return hasLate ? "\(request.name): fired after its cancel was answered" : nil
    }
  }

  /// Before a firing is due it is prepared, by so many milliseconds at most.
  private static let preparation: Int64 = 2000

  /// Whether a firing began after a cancel of its request was answered.
  ///
  /// One that was prepared when the relay was killed, and due before the cancel, may have gone out already for all that
  /// the relay knows: it goes out again, with another time.
  private func isLate(_ firing: Firing, after answered: Int64) -> Bool {
    guard let fired = firing.fired, let due = firing.due, fired > answered else { return false }
    return due > answered || !kills.contains { due - Ledger.preparation <= $0 && $0 <= answered }
  }
}
