import CarillonModel

extension CatchUp {
  /// How many firings a backlog makes at most.
  public var most: Int64 {
    switch self {
    case .latest: 1
    case .all: 100
    case .none: 0
    }
  }
}

/// How late an occurrence may be reached and still counts as on time: a restart, a suspended second, a slow disk.
public let missedAfter: Duration = .seconds(60)

/// Whether an occurrence that is reached at `now` has been missed.
///
/// - Parameter grace: how late it may be.
public func isMissed(due: Int64, at now: Int64, grace: Duration = missedAfter) -> Bool {
  now.subtractingSaturated(due) > grace.milliseconds
}

/// What a relay finds when it comes back to a recurring request.
public struct Backlog: Hashable, Sendable {
  /// How many occurrences were missed, fired late or not.
  public var missed: Int64
  /// The missed occurrences that still fire, in order.
  public var firings: [Occurrence]
  /// The first that was not missed: it is due now, or in the future; `nil` where the rule has ended.
  public var next: Occurrence?

  public init(missed: Int64, firings: [Occurrence], next: Occurrence?) {
    self.missed = missed
    self.firings = firings
    self.next = next
  }
}
