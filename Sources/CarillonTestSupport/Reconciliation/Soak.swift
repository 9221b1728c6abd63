import CarillonLoop
import CarillonModel

/// Minutes of mixed traffic on a household whose relay, companions and broker go and come back all the time.
///
/// Its publisher is a careful one: every command has a key, and one without a reply is sent again.
public final class Soak {
  /// What happened, and whether the ledger balances.
  public struct Outcome: Sendable {
    public var table: [Ledger.Row]
    /// What was done to the programs, and how often.
    public var events: [(name: String, count: Int)]
    /// Everything that does not balance, in words.
    public var discrepancies: [String]
  }

  let household: Household
  var traffic: Traffic
  /// Members that are away, and until when on the elapsed clock, in milliseconds; the broker among them.
  var away: [Household.Member: Int64] = [:]
  var brokerReturns: Int64?
  /// Requests that are held, and until when.
  var held: [String: Int64] = [:]
  var events: [String: Int] = [:]

  static let devices = ["kiosk", "desk", "bed"]

  private static let style = Traffic.Style(
    delay: 0.1...15,
    kinds: [
      (.immediate, 8), (.after, 8), (.at, 5), (.every, 4), (.calendar, 3), (.nag, 2), (.expiring, 3),
      (.far, 4),
    ], hasKeys: true)

  public init(seed: UInt64) throws {
    household = try Household(devices: Soak.devices, inMemory: false)
    traffic = Traffic(Soak.style, devices: Soak.devices, seed: seed)
    for member in Soak.members { try household.start(member) }
  }

  static let members: [Household.Member] = [.relay] + devices.map { .companion($0) }

  /// Runs it, and reconciles.
  ///
  /// - Parameters:
  ///   - time: of traffic; what is still to come after it is waited for.
  ///   - tell: gets a line about twice a minute.
  ///   - check: is called all the time, and may throw to end it.
  public func run(for time: Duration, tell: (String) -> Void, check: () throws -> Void) throws -> Outcome {
    let (start, length) = (SystemClock.elapsedMilliseconds, time.wholeMilliseconds)
    var nextWord = start
    var trouble: [String] = []
    while SystemClock.elapsedMilliseconds - start < length {
      try check()
      do { try step() } catch { trouble.append("\(error)") }
      if SystemClock.elapsedMilliseconds >= nextWord {
        nextWord += Soak.word
        tell(word(after: SystemClock.elapsedMilliseconds - start))
      }
    }
    tell("waiting for what is still to come")
    do { try calmDown() } catch { trouble.append("\(error)") }
    return Outcome(
      table: household.ledger.table, events: events.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
      discrepancies: trouble + household.ledger.discrepancies())
  }

  private static let word: Int64 = 30_000

  private func word(after milliseconds: Int64) -> String {
    let ledger = household.ledger
    return "\(milliseconds / 1000) s: \(ledger.names.count) requests, \(ledger.unanswered.count) commands "
      + "without a reply, \(events.values.reduce(0, +)) disturbances, \(ledger.violations.count) violations"
  }

  /// One command, and perhaps a disturbance.
  private func step() throws {
    let now = SystemClock.elapsedMilliseconds
    try bringBack(at: now)
    try disturb(at: now)
    if brokerReturns == nil {
      try household.publish(traffic.command(household.ledger))
      try sendAgain()
    }
    try household.read(for: .milliseconds(Int64.random(in: 20...150, using: &traffic.generator)))
  }

  // MARK: Commands

  /// How long the publisher waits for a reply.
  private static let patience: Duration = .seconds(8)

  private func sendAgain() throws {
    events["commands sent again", default: 0] += try household.publishAgain(after: Soak.patience)
  }

  func note(_ event: String) { events[event, default: 0] += 1 }

  // MARK: The end

  /// Time for what a device that was away is sent again, and for the longest row of occurrences.
  private static let ending: Duration = .seconds(150)

  private func calmDown() throws {
    try bringBack(at: .max)
    try household.settle(by: nil, within: Soak.ending)
    try household.reconcile(within: .seconds(60))
  }
}
