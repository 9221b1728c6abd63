import CarillonLoop
import CarillonModel

/// A seeded walk over pairs of places at which a relay and its companions die, under mixed traffic.
///
/// Each round kills two programs, or one twice, of which the second may die while it takes up what the first death left;
/// after it everything that was asked must have come out right. Relay, companions and broker go on from round to round.
public final class FaultWalk {
  /// What a round was.
  public struct Round: Sendable {
    public var number: Int
    public var pair: FaultPair
    /// Faults of the pair that were not reached.
    public var missed: [Fault] = []
    public var requests = 0
    public var seconds = 0.0
  }

  public let household: Household
  private let seed: UInt64
  private var traffic: Traffic
  private static let devices = ["kiosk", "desk"]
  /// How long a fault may take to strike: time for a few hundred commands.
  private static let patience: Duration = .seconds(8)
  /// A round has so many, whenever its faults strike.
  private static let leastCommands = 12

  private static let style = Traffic.Style(
    delay: 0.05...0.8,
    kinds: [(.immediate, 10), (.after, 8), (.at, 4), (.far, 3), (.every, 1), (.calendar, 1)], hasKeys: false)

  public init(seed: UInt64) throws {
    self.seed = seed
    household = try Household(devices: FaultWalk.devices, inMemory: true)
    traffic = Traffic(FaultWalk.style, devices: FaultWalk.devices, seed: seed)
    try household.start(.relay)
    for device in FaultWalk.devices { try household.start(.companion(device)) }
  }

  /// A fault and who dies of it.
  private struct Blow {
    var member: Household.Member
    var fault: Fault
  }

  /// One round, from 1 on.
  ///
  /// - Throws: `TestFailure`, with the seed and the round, where the ledger does not balance after it.
  public func round(_ number: Int) throws -> Round {
    let start = SystemClock.elapsedMilliseconds
    let pair = FaultPair(seed: seed, round: number)
    var round = Round(number: number, pair: pair)
    traffic.generator = SplitMix(seed: seed &+ UInt64(number) &* 0x9E6C_63D0_876A_3F35)
    let before = household.ledger.names.count
    do {
      round.missed = try strike(pair)
      try settle()
    } catch {
      throw TestFailure("seed \(seed), round \(number), \(pair): \(error)")
    }
    round.requests = household.ledger.names.count - before
    round.seconds = Double(SystemClock.elapsedMilliseconds - start) / 1000
    return round
  }

  private func blow(_ fault: Fault) -> Blow {
    let device = FaultWalk.devices.randomElement(using: &traffic.generator) ?? FaultWalk.devices[0]
    return Blow(member: fault.place.isOfRelay ? .relay : .companion(device), fault: fault)
  }

  /// - Returns: the faults that did not strike.
  private func strike(_ pair: FaultPair) throws -> [Fault] {
    let (first, second) = (blow(pair.first), blow(pair.second))
    // Two programs may stand before their faults at the same time; one program meets the second in its recovery.
    let isTogether = first.member != second.member && Bool.random(using: &traffic.generator)
    var armed = [first]
    try restart(first.member, fault: first.fault)
    if isTogether {
      armed.append(second)
      try restart(second.member, fault: second.fault)
    }
    var later = isTogether ? [] : [second]
    let deadline = Deadline(after: FaultWalk.patience)
    var commands = 0
    while !armed.isEmpty || commands < FaultWalk.leastCommands, !deadline.hasPassed {
      for _ in 0..<Int.random(in: 1...3, using: &traffic.generator) {
        commands += 1
        try household.publish(traffic.command(household.ledger))
      }
      try household.read(for: .milliseconds(Int64.random(in: 2...30, using: &traffic.generator)))
      guard let index = armed.firstIndex(where: { household.hasDied($0.member) }) else { continue }
      let struck = armed.remove(at: index)
      try household.takeDeath(struck.member, of: struck.fault)
      guard let next = later.popLast() else {
        try household.start(struck.member)
        continue
      }
      armed.append(next)
      if next.member != struck.member {
        try household.start(struck.member)
        try restart(next.member, fault: next.fault)
      } else {
        try household.start(next.member, fault: next.fault)
      }
    }
    for blow in armed { try restart(blow.member, fault: nil) }
    return (armed + later).map(\.fault)
  }

  /// In order or not.
  private func restart(_ member: Household.Member, fault: Fault?) throws {
    if Bool.random(using: &traffic.generator) {
      try household.stop(member)
    } else {
      try household.kill(member)
    }
    try household.start(member, fault: fault)
  }

  /// What should have come by now has come, and nothing twice.
  private func settle() throws {
    try household.settle(by: SystemClock.wallMilliseconds)
  }

  /// The end of the walk: everything has come, and the relay's own lists say the same.
  public func finish() throws {
    try household.settle(by: nil)
    try household.reconcile()
  }
}
