import CarillonModel
import CarillonStore

@testable import CarillonRelay

// What must hold at the end, whatever the order of the steps was.
extension Household {
  /// Lets everything come to its end, and says what is wrong then.
  func judge() throws -> [String] {
    try settle()
    return try ledger.faults + ledger.broken(companions) + repeated() + left() + misattributed() + outdated()
  }

  /// A delivery is acted on at most once at each device.
  private func repeated() -> [String] {
    companions.flatMap { companion -> [String] in
      companion.acted.filter { $0.value > 1 }.map { "\(companion.name) acted \($0.value) times on \($0.key)" }
    }
  }

  /// After one answer no other device shows it.
  private func left() throws -> [String] {
    try companions.flatMap { companion -> [String] in
      try companion.showing.filter { ledger.answers[$0] != nil }.map { delivery -> String in
        "\(companion.name) still shows what \(ledger.answers[delivery] ?? "") has answered"
      }
    }
  }

  /// The first answer in the relay's order counts.
  private func misattributed() throws -> [String] {
    try ledger.answers.compactMap { delivery, device -> String? in
      guard let id = DeliveryID(parsing: delivery) else { return "an answer to \(delivery)" }
      let by = try bench.queue.firing(id)?.endedBy
      return by == device ? nil : "\(device) answered first, and \(by ?? "nobody") counts"
    }
  }

  /// A device that got the newest of an id shows none of the older ones.
  private func outdated() throws -> [String] {
    try companions.flatMap { companion -> [String] in
      let got = companion.acted.keys.compactMap { ledger.entry(of: $0) }
      return try companion.showing.compactMap { delivery -> String? in
        guard let shown = ledger.entry(of: delivery) else { return nil }
        let isOld = got.contains { $0.id == shown.id && $0.ask > shown.ask }
        return isOld ? "\(companion.name) shows \(shown.title), which was replaced" : nil
      }
    }
  }
}
