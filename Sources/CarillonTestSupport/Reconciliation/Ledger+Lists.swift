import CarillonModel

// Beside the relay's own lists.
extension Ledger {
  /// The ids that have to be pending.
  var pending: Set<String> {
    Set(entries.values.filter { $0.request.kind == .far && $0.fate == .stands }.map(\.request.id))
  }

  /// What the relay's history has otherwise.
  ///
  /// - Parameter delivered: the items of its listing.
  func differences(from delivered: [JSON]) -> [String] {
    var differences: [String] = []
    var listed: Set<String> = []
    /// How many firings of each id nobody has seen on the way.
    var unseen: [String: Int] = [:]
    for item in delivered {
      guard let delivery = item["delivery"]?.text, let id = item["id"]?.text else { continue }
      listed.insert(delivery)
      let owner = owners[delivery].flatMap { entries[$0] }
      if owner == nil { unseen[id, default: 0] += 1 }
      for device in devices {
        guard let state = item["devices"]?[device]?["state"]?.text else { continue }
        guard !isRight(state, of: owner, id, delivery, at: device) else { continue }
        let acted = owner?.firings[delivery]?.acted[device] != nil ? "acted on" : "not acted on"
        differences.append(
          "\(owner?.request.name ?? id) at \(device) was \(acted), and is \(state) in the relay")
      }
    }
    for (name, entry) in entries {
      for (delivery, firing) in entry.firings where !firing.acted.isEmpty && !listed.contains(delivery) {
        differences.append("\(name) was acted on, and delivery \(delivery) is not in the relay")
      }
      guard entry.fate == .followed else { continue }
      unseen[entry.request.id, default: 0] -= max(0, entry.request.leastOccurrences - entry.firings.count)
    }
    return differences
      + unseen.filter { $0.value < 0 }.map { "\($0.key) should have fired \(-$0.value) times more" }
  }

  /// Whether a state in the relay's history goes with what was seen.
  ///
  /// - Parameter owner: nil for a firing that was never published.
  private func isRight(
    _ state: String, of owner: Entry?, _ id: String, _ delivery: String, at device: String
  ) -> Bool {
    let firing = owner?.firings[delivery] ?? Firing()
    return switch state {
    case "opened": firing.acted[device] != nil
    case "failed": firing.interrupted.contains(device)
    case "superseded": owner?.mayBeSuperseded ?? true
    case "expired": owner.map { $0.request.kind == .expiring } ?? hasExpiring(id)
    default: false
    }
  }

  /// Whether one of the requests that had an id may expire.
  private func hasExpiring(_ id: String) -> Bool {
    var name = current[id]
    // The relay has made up an id for those without one.
    guard name != nil else { return true }
    while let candidate = name, let entry = entries[candidate] {
      if entry.request.kind == .expiring { return true }
      name = entry.predecessor
    }
    return false
  }
}
