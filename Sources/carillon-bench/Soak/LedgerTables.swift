import CarillonTestSupport

/// Prints ledgers, and what was done to the programs meanwhile.
enum LedgerTables {
  static func print(_ rows: [Ledger.Row], _ report: Report) {
    report.table(
      "ledger", "requests by kind, and what became of them",
      [
        "requests", "fired", "cancelled", "replaced", "expired", "pending", "unaccounted", "actions",
        "interrupted", "repeats",
      ]
      .map { .init($0) },
      rows.map { row in
        .init(
          row.kind,
          [
            row.requests, row.fired, row.cancelled, row.replaced, row.expired, row.pending, row.unaccounted,
            row.actions, row.interrupted, row.repeats,
          ].map { .count($0) })
      })
  }

  static func print(_ events: [(name: String, count: Int)], _ report: Report) {
    report.table(
      "disturbances", "what was done meanwhile", [.init("times")],
      events.map { .init($0.name, [.count($0.count)]) })
  }

  /// How often each fault point struck as the first and as the second of its pair.
  static func print(_ rounds: [FaultWalk.Round], _ report: Report) {
    let struck = rounds.map { round in
      [round.pair.first, round.pair.second].map { round.missed.contains($0) ? nil : $0.place }
    }
    report.table(
      "faults", "\(Set(struck).count) different pairs of \(FaultPair.combinations) in \(rounds.count) rounds",
      [.init("first"), .init("second")],
      FaultPlace.allCases.map { place in
        .init(place.rawValue, [0, 1].map { index in .count(struck.count { $0[index] == place }) })
      })
  }
}
