import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

/// Rounds in which a process is killed at a random moment of a burst, on a store with many requests pending.
///
/// Two rounds of each kind by default; `CARILLON_ROUNDS=20` in the environment runs that many, and prints a line each.
@Suite(.onOwnThread)
struct CrashRounds {
  /// What the broker took of commands, and what became of it.
  struct Outcome: CustomStringConvertible {
    var lost = 0
    var twice = 0
    var interrupted = 0
    var repeats = 0
    /// How many notifications were out when the process was killed.
    var sent = 0

    var description: String {
      "killed after \(sent) notifications: \(lost) lost, \(twice) acted on twice, \(interrupted) interrupted, \(repeats) repeats on the wire"
    }
  }

  static let pending = 100_000
  static let burst = 500

  static var rounds: Int {
    getenv("CARILLON_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 2
  }

  static var isVerbose: Bool { getenv("CARILLON_ROUNDS") != nil }

  @Test func killedInABurstNothingIsLostAndNothingIsActedOnTwice() throws {
    let template = try CrashStore(pending: CrashRounds.pending)
    try run("relay", on: template) { bench in bench.relay }
    try run("companion", on: template) { bench in bench.companion }
  }

  private func run(
    _ name: String, on template: CrashStore, _ victim: (CrashBench) -> Program?
  ) throws {
    for round in 1...max(CrashRounds.rounds, 1) {
      var generator = SplitMix(seed: UInt64(round))
      let outcome = try self.round(template, Moment(using: &generator), victim)
      if CrashRounds.isVerbose { print("\(name), round \(round), \(outcome)") }
      #expect(outcome.lost == 0, "\(name), round \(round)")
      #expect(outcome.twice == 0, "\(name), round \(round)")
      #expect(outcome.interrupted <= 1, "one thing is done at a time (\(name), round \(round))")
    }
  }

  /// When the process is killed.
  enum Moment {
    /// While the commands come in.
    case afterTime(Duration)
    /// While the notifications go out.
    case afterNotifications(Int)

    init(using generator: inout SplitMix) {
      self =
        Bool.random(using: &generator)
        ? .afterTime(.milliseconds(Int64.random(in: 0...250, using: &generator)))
        : .afterNotifications(Int.random(in: 1..<CrashRounds.burst, using: &generator))
    }
  }

  private func round(
    _ template: CrashStore, _ moment: Moment, _ victim: (CrashBench) -> Program?
  ) throws -> Outcome {
    let bench = try CrashBench()
    try template.copy(to: bench.store)
    try bench.startRelay()
    try bench.startCompanion()
    let program = try #require(victim(bench))
    // Half of them at once, half in a second: both ways through the outbox.
    let commands = (0..<CrashRounds.burst).map { number in
      command("\(number)", more: number.isMultiple(of: 2) ? "" : #","trigger":{"after":1}"#)
    }
    var killer: ChildProcess?
    if case .afterTime(let delay) = moment { killer = try bench.kill(program, after: delay) }
    let taken = bench.publisher.publishBurst("carillon/command/rounds", commands)
    #expect(taken == CrashRounds.burst)
    if case .afterNotifications(let count) = moment {
      try bench.eventually("the middle of the burst") { bench.messages(on: "/notification").count >= count }
      program.kill()
    }
    #expect(try program.waitForExit(within: .seconds(20)) == .signaled(SIGKILL))
    withExtendedLifetime(killer) {}
    try bench.read()
    let sent = bench.messages(on: "/notification").count
    if program === bench.relay { try bench.startRelay() } else { try bench.startCompanion() }
    var outcome = try judge(bench)
    outcome.sent = sent
    return outcome
  }

  private func judge(_ bench: CrashBench) throws -> Outcome {
    var outcome = Outcome()
    do {
      try bench.eventually("the end of the burst", within: .seconds(90)) {
        let done = Set(bench.actions().keys).union(bench.failures().keys)
        return done.count == CrashRounds.burst
      }
      // Whatever comes again comes now: with the companion's answers the relay has nothing left to send.
      try bench.read(for: .milliseconds(300))
    } catch {
      print(error)
    }
    let actions = bench.actions()
    let failures = bench.failures()
    outcome.lost = (0..<CrashRounds.burst).count { actions["\($0)"] == nil && failures["\($0)"] == nil }
    outcome.twice = actions.values.count { $0 > 1 }
    outcome.interrupted = failures.values.count { $0 == "interrupted" }
    #expect(failures.values.allSatisfy { $0 == "interrupted" })
    let notifications = bench.notifications()
    outcome.repeats = notifications.values.reduce(0) { $0 + $1.count - 1 }
    #expect(notifications.count == CrashRounds.burst, "a command ran twice, or not at all")
    return outcome
  }
}
