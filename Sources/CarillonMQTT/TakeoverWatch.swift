/// Finds out whether another program uses this one's client id. A broker lets the newer one in and closes the older one's
/// connection, mostly without a word, so the two would throw each other out for ever.
///
/// It is taken for true after three connections in a row that the broker closed within a minute and took again at
/// once, or when another instance's mark stands in the place of this one's. It also tells which connections are worth a
/// line in the log, since a broker may end each of them at once for other reasons too.
public struct TakeoverWatch: Sendable {
  /// What follows from what was seen.
  public enum Verdict: Hashable, Sendable {
    case nothing
    /// Another program has the client id: found out just now.
    case taken
    /// Still.
    case stillTaken
  }

  /// How long a connection must last to be one's own.
  public static let settled: Duration = .seconds(60)
  /// How long the other program is left alone.
  public static let pause: Duration = .seconds(60)
  private static let limit = 3
  /// What the last line of a series says besides.
  public static let lastTold =
    ", for the third time within a minute; the next ones are not told until a connection lasts"

  /// This run's mark, where it has one.
  private let instance: String
  public private(set) var isTaken = false
  private var connectedAt: Int64?
  private var wasRefused = false
  private var shortSessions = 0
  /// Connections in a row that ended within a minute, however they did and whatever failed between them.
  private var brief = 0
  /// Whether this run's mark has come back from the broker, so that another one was published after it. Until then it is
  /// the last run's.
  private var hasSeenOwn = false

  /// - Parameter instance: random, a new one a run, where it is published somewhere.
  public init(instance: String = "") { self.instance = instance }

  /// - Parameter now: elapsed milliseconds.
  public mutating func connected(at now: Int64) {
    connectedAt = now
    wasRefused = false
  }

  /// The broker did not take a message. Some end the connection then: that is nobody else's doing. Mosquitto up to 2.0.11
  /// does where its `max_queued_messages` is 0.
  public mutating func refused() { wasRefused = true }

  /// A broker that is gone for a while is restarting, not taking somebody else in.
  public mutating func attemptFailed() { shortSessions = 0 }

  /// - Parameter now: elapsed milliseconds.
  public mutating func disconnected(_ failure: SessionFailure, at now: Int64) -> Verdict {
    defer { connectedAt = nil }
    guard let connectedAt else { return .nothing }
    let isBrief = now - connectedAt < TakeoverWatch.settled.milliseconds
    brief = isBrief ? brief + 1 : 0
    guard TakeoverWatch.isByBroker(failure), !wasRefused else { return .nothing }
    guard isBrief else {
      shortSessions = 0
      return .nothing
    }
    shortSessions += 1
    return isTaken || shortSessions >= TakeoverWatch.limit ? verdict() : .nothing
  }

  /// Whether another connection of a series of brief ones, or its end, is worth a line: after three it is not.
  public var isWorthTelling: Bool { brief < TakeoverWatch.limit }

  /// Whether the connection that has just ended was the last of its series to be told.
  public var isLastTold: Bool { brief == TakeoverWatch.limit }

  /// Somebody's mark where this program publishes its own.
  ///
  /// - Parameter isStored: whether it was there before the connection. Once another program is known of, that says
  ///   nothing new: it may have left, and its mark with nobody behind it.
  public mutating func seen(_ other: String, isStored: Bool) -> Verdict {
    if other.utf8.elementsEqual(instance.utf8) {
      hasSeenOwn = true
      return .nothing
    }
    guard hasSeenOwn, !(isTaken && isStored), !other.isEmpty else { return .nothing }
    return verdict()
  }

  /// The connection has lasted: the client id is this program's again, if it was not.
  ///
  /// - Returns: whether it was not.
  public mutating func lasted() -> Bool {
    shortSessions = 0
    brief = 0
    defer { isTaken = false }
    return isTaken
  }

  /// Whether the connection has lasted long enough for `lasted`.
  ///
  /// - Parameter now: elapsed milliseconds.
  public func hasLasted(at now: Int64) -> Bool {
    connectedAt.map { now - $0 >= TakeoverWatch.settled.milliseconds } ?? false
  }

  private mutating func verdict() -> Verdict {
    defer { isTaken = true }
    return isTaken ? .stillTaken : .taken
  }

  /// How a broker ends a connection whose client id somebody else has brought (0x8E: session taken over).
  private static func isByBroker(_ failure: SessionFailure) -> Bool {
    switch failure {
    case .closed, .broken, .dismissed(reason: 0x8E): true
    default: false
    }
  }
}
