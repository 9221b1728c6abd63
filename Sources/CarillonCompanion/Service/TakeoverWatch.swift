import CarillonMQTT
import CarillonModel

/// Finds out whether another program uses this companion's client id. A broker lets the newer one in and closes the
/// older one's connection, mostly without a word, so the two would throw each other out for ever.
///
/// It is taken for true after three connections in a row that the broker closed within a minute and took again at
/// once, or when somebody else's profile stands in the place of this one's.
struct TakeoverWatch {
  /// What follows from what was seen.
  enum Verdict: Hashable {
    case nothing
    /// Another program has the client id: found out just now.
    case taken
    /// Still.
    case stillTaken
  }

  /// How long a connection must last to be one's own.
  static let settled: Duration = .seconds(60)
  /// How long the other program is left alone.
  static let pause: Duration = .seconds(60)
  private static let limit = 3

  /// This run's mark in the profile.
  let instance: String
  private(set) var isTaken = false
  private var connectedAt: Int64?
  private var shortSessions = 0
  /// Whether this run's profile has come back from the broker, so that another one was published after it. Until then
  /// it is the last run's.
  private var hasSeenOwn = false

  init(instance: String) { self.instance = instance }

  /// - Parameter now: elapsed milliseconds.
  mutating func connected(at now: Int64) { connectedAt = now }

  /// A broker that is gone for a while is restarting, not taking somebody else in.
  mutating func attemptFailed() { shortSessions = 0 }

  /// - Parameter now: elapsed milliseconds.
  mutating func disconnected(_ failure: SessionFailure, at now: Int64) -> Verdict {
    defer { connectedAt = nil }
    guard let connectedAt, TakeoverWatch.isByBroker(failure) else { return .nothing }
    guard now - connectedAt < TakeoverWatch.settled.milliseconds else {
      shortSessions = 0
      return .nothing
    }
    shortSessions += 1
    return isTaken || shortSessions >= TakeoverWatch.limit ? verdict() : .nothing
  }

  /// A profile on this device's own topic.
  ///
  /// - Parameter isStored: whether it was there before the connection. Once another program is known of, that says
  ///   nothing new: it may have left, and its profile with nobody behind it.
  mutating func profile(_ payload: [UInt8], isStored: Bool) -> Verdict {
    guard let profile = try? Profile(parsing: payload) else { return .nothing }
    if profile.instance.isIdentical(to: instance) {
      hasSeenOwn = true
      return .nothing
    }
    guard hasSeenOwn, !(isTaken && isStored), !profile.instance.isEmpty else { return .nothing }
    return verdict()
  }

  /// The connection has lasted: the client id is this companion's again, if it was not.
  ///
  /// - Returns: whether it was not.
  mutating func lasted() -> Bool {
    shortSessions = 0
    defer { isTaken = false }
    return isTaken
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
