import CarillonLoop

/// A seeded walk over moments at which SIGTERM comes, under mixed traffic.
///
/// Each round ends the relay, companions, or all of them at once, in the middle of what they do; they have to be out
/// within five seconds with status 0, and after a restart everything that was asked must come out right.
public final class StopWalk {
  public let household: Household
  private let seed: UInt64
  private var traffic: Traffic
  private static let devices = ["kiosk", "desk"]

  private static let style = Traffic.Style(
    delay: 0.02...0.5, kinds: [(.immediate, 12), (.after, 8), (.at, 4), (.far, 2)], hasKeys: false)

  public init(seed: UInt64) throws {
    self.seed = seed
    household = try Household(devices: StopWalk.devices, inMemory: true)
    traffic = Traffic(StopWalk.style, devices: StopWalk.devices, seed: seed)
    for member in members { try household.start(member) }
  }

  private var members: [Household.Member] { [.relay] + StopWalk.devices.map { .companion($0) } }

  /// One round, from 1 on.
  ///
  /// - Throws: `TestFailure`, with the seed and the round, where a program does not end as it should, or the ledger does
  ///   not balance after it.
  public func round(_ number: Int) throws {
    traffic.generator = SplitMix(seed: seed &+ UInt64(number) &* 0x9E6C_63D0_876A_3F35)
    let chosen = members.filter { _ in Bool.random(using: &traffic.generator) }
    let leaving = chosen.isEmpty ? [.relay] : chosen
    do {
      try load(for: .milliseconds(Int64.random(in: 0...250, using: &traffic.generator)))
      try household.stop(leaving)
      try load(for: .milliseconds(20))
      for member in leaving.shuffled(using: &traffic.generator) { try household.start(member) }
      try household.settle(by: SystemClock.wallMilliseconds)
    } catch {
      throw TestFailure("seed \(seed), round \(number), SIGTERM to \(leaving): \(error)")
    }
  }

  /// Some hundred commands a second.
  private func load(for time: Duration) throws {
    let deadline = Deadline(after: time)
    while !deadline.hasPassed {
      try household.publish(traffic.command(household.ledger))
      try household.read()
    }
  }

  /// The end of the walk: everything has come, and the relay's own lists say the same.
  public func finish() throws {
    try household.settle(by: nil)
    try household.reconcile()
  }
}
