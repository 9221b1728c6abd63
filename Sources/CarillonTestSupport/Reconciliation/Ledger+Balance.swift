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
    return violations + gaps(at: nil) + names.compactMap { entries[$0].flatMap(Ledger.excess) } + tooManyStops
  }

  /// What has come too often so far, and what else must not be.
  mutating func excesses() -> [String] {
    defer { changed = [] }
    return violations + changed.compactMap { entries[$0].flatMap(Ledger.excess) } + tooManyStops
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
    case .stands, .followed:
      let least = request.kind == .far ? 0 : request.leastOccurrences
      if entry.firings.count < least { return "fired \(entry.firings.count) of \(request.occurrences) times" }
    case .cancelled, .replaced: break
    }
    let mayBeMissing =
      request.isSuperseded || request.kind == .expiring || entry.fate == .followed || entry.fate == .replaced
    guard !mayBeMissing else { return nil }
    for (delivery, firing) in entry.firings {
      for device in request.devices where firing.acted[device] == nil && !firing.interrupted.contains(device)
      {
        return "delivery \(delivery) was not acted on at \(device)"
      }
    }
    return nil
  }

  private static func excess(in entry: Entry) -> String? {
    let (request, count) = (entry.request, entry.firings.count)
    switch entry.fate {
    case .asked, .stands, .followed:
      let most = request.kind == .far ? 0 : request.occurrences
      return count > most ? "\(request.name): fired \(count) times, not \(most)" : nil
    case .replaced:
      return count >= request.occurrences ? "\(request.name): replaced, and fired \(count) times" : nil
    case .cancelled(let answered):
      if count >= request.occurrences { return "\(request.name): cancelled, and fired \(count) times" }
      let late = entry.firings.values.contains { $0.fired ?? 0 > answered }
      return late ? "\(request.name): fired after its cancel was answered" : nil
    }
  }

  // MARK: Beside the relay's own lists

  /// The ids that have to be pending.
  var pending: Set<String> {
    Set(
      entries.values.filter { $0.request.kind == .far && $0.fate == .stands }.map(\.request.id))
  }

  /// What the relay's history has otherwise.
  ///
  /// - Parameter delivered: the items of its listing.
  func differences(from delivered: [JSON]) -> [String] {
    let states = Dictionary(
      delivered.compactMap { item in item["delivery"]?.text.map { ($0, item["devices"]) } },
      uniquingKeysWith: { first, _ in first })
    let listed = Dictionary(grouping: delivered) { $0["id"]?.text ?? "" }
    return names.flatMap { name -> [String] in
      guard let entry = entries[name] else { return [] }
      return unexplained(entry, listed[entry.request.id] ?? [])
        + entry.firings.flatMap { delivery, firing -> [String] in
          firing.acted.keys.compactMap { device in
            let state = states[delivery]??[device]?["state"]?.text
            let isRight = state == "opened" || firing.interrupted.contains(device) && state == "failed"
            return isRight
              ? nil : "\(name) at \(device) was acted on, and is \(state ?? "nothing") in the relay"
          }
        }
    }
  }

  /// What was to expire, was not acted on, and has not expired, by the relay's history of its id.
  private func unexplained(_ entry: Entry, _ items: [JSON]) -> [String] {
    let request = entry.request
    guard request.kind == .expiring, entry.fate == .stands, entry.predecessor == nil,
      current[request.id] == request.name
    else { return [] }
    return items.flatMap { item in
      let firing = item["delivery"]?.text.flatMap { entry.firings[$0] } ?? Firing()
      return request.devices.compactMap { device in
        let state = item["devices"]?[device]?["state"]?.text
        let isRight =
          firing.acted[device] != nil || firing.interrupted.contains(device) || state == "expired"
        return isRight ? nil : "\(request.name) at \(device) did not come, and is \(state ?? "nothing")"
      }
    }
  }
}
