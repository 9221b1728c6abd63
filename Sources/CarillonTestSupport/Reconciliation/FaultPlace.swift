/// The named places at which a test build of the relay or the companion can be made to kill itself.
public enum FaultPlace: String, CaseIterable, Sendable {
  /// A command has come; nothing of it is on disk.
  case relayReceived = "relay.received"
  /// It is on disk, and neither acknowledged nor answered.
  case relayCommitted = "relay.committed"
  /// A firing is on disk and not published.
  case relayPrepared = "relay.prepared"
  /// Something is published, and no acknowledgement has been read.
  case relayPublished = "relay.published"
  /// A notification is acknowledged, and not marked so.
  case relayAcknowledged = "relay.acknowledged"
  /// The mark is on disk.
  case relayMarked = "relay.marked"
  /// A device's word has come; nothing of it is on disk.
  case relayAnswerReceived = "relay.answer-received"
  /// It is on disk and not acknowledged.
  case relayAnswerCommitted = "relay.answer-committed"

  /// A notification has come; nothing of it is on disk.
  case companionArrived = "companion.arrived"
  case companionReceived = "companion.received"
  /// Its link's command has been noted as started, and does not run yet.
  case companionStarted = "companion.started"
  /// The command has ended, which is not on disk.
  case companionBeforeDone = "companion.before-done"
  case companionDone = "companion.done"
  /// A response is published, and no acknowledgement has been read.
  case companionResponded = "companion.responded"
  /// It is acknowledged, and not marked so.
  case companionAcknowledged = "companion.acknowledged"
  /// The mark is on disk.
  case companionMarked = "companion.marked"

  public var isOfRelay: Bool { rawValue.hasPrefix("relay.") }
}

/// A place, and the how-many-eth time it is reached.
public struct Fault: Hashable, Sendable, CustomStringConvertible {
  public var place: FaultPlace
  public var turn: Int

  /// As `CARILLON_FAULT` takes it.
  public var description: String { "\(place.rawValue):\(turn)" }
}

/// Two places for one round of a walk.
public struct FaultPair: Hashable, Sendable, CustomStringConvertible {
  public var first: Fault
  public var second: Fault

  public var description: String { "\(first) and \(second)" }

  public static let combinations = FaultPlace.allCases.count * FaultPlace.allCases.count

  /// The pair of a round of the walk with a seed: in an order of the seed's own, so many rounds as there are places meet
  /// each place as the first and as the second, and `combinations` rounds meet each pair.
  ///
  /// - Parameter round: from 1 on.
  public init(seed: UInt64, round: Int) {
    var order = SplitMix(seed: seed)
    let firsts = FaultPlace.allCases.shuffled(using: &order)
    let seconds = FaultPlace.allCases.shuffled(using: &order)
    let (row, column) = ((round - 1) / firsts.count, (round - 1) % firsts.count)
    var turns = SplitMix(seed: seed &+ UInt64(round) &* 0x5851_F42D_4C95_7F2D)
    first = Fault(place: firsts[column], turn: Int.random(in: 1...5, using: &turns))
    second = Fault(
      place: seconds[(column + row) % seconds.count], turn: Int.random(in: 1...5, using: &turns))
  }
}
