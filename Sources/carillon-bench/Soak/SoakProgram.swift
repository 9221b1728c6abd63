import CarillonTestSupport

/// The soak: minutes of mixed traffic on programs that are ended and started again, or a walk over pairs of fault points,
/// and then an exact reconciliation of everything that was asked.
enum SoakProgram {
  static let measurement = Measurement(
    name: "soak",
    summary: "Mixed traffic while relay, companions and broker go and come back; then the ledger.",
    options: [
      .init(name: "minutes", value: 20, about: "Minutes of traffic."),
      .init(name: "seed", value: 1, about: "The same seed asks and ends the same."),
      .init(
        name: "walk", value: 0,
        about: "Instead: so many rounds, each killing programs at two fault points; needs a debug build."),
      .init(name: "from", value: 1, about: "The first round of the walk."),
    ], short: ["minutes": 1], run: run)

  private static func run(_ options: Options, _ report: Report) throws {
    Interruption.hold()
    let seed = UInt64(options["seed"])
    if options["walk"] > 0 {
      try walk(options["walk"], from: options["from"], seed: seed, report)
    } else {
      try soak(minutes: options["minutes"], seed: seed, report)
    }
  }

  /// What does not balance.
  private struct Imbalance: Error, CustomStringConvertible {
    var discrepancies: [String]

    var description: String {
      "the ledger does not balance:\n" + discrepancies.map { "  \($0)" }.joined(separator: "\n")
    }
  }

  private static func soak(minutes: Int, seed: UInt64, _ report: Report) throws {
    Bench.say("\(minutes) min of traffic, seed \(seed)")
    let soak = try Soak(seed: seed)
    let outcome = try soak.run(for: .seconds(minutes * 60), tell: Bench.say, check: Interruption.check)
    LedgerTables.print(outcome.events, report)
    LedgerTables.print(outcome.table, report)
    guard outcome.discrepancies.isEmpty else { throw Imbalance(discrepancies: outcome.discrepancies) }
  }

  private static func walk(_ rounds: Int, from first: Int, seed: UInt64, _ report: Report) throws {
    guard try Program.hasFaultPoints() else {
      throw UsageError(
        "--walk needs fault points, which \(try Program.carillon()) does not have, since it is a release build; "
          + "swift build, then .build/debug/carillon-bench soak --walk \(rounds)")
    }
    Bench.say("\(rounds) rounds, seed \(seed); round N again: soak --walk 1 --from N --seed \(seed)")
    let walk = try FaultWalk(seed: seed)
    var done: [FaultWalk.Round] = []
    for number in first..<first + rounds {
      try Interruption.check()
      done.append(try walk.round(number))
      if done.count.isMultiple(of: 50) { Bench.say("\(done.count) rounds balance") }
    }
    try walk.finish()
    LedgerTables.print(done, report)
    LedgerTables.print(walk.household.ledger.table, report)
    let missed = done.flatMap { round in round.missed.map { "round \(round.number): \($0) did not strike" } }
    guard missed.isEmpty else { throw Imbalance(discrepancies: missed) }
  }
}
