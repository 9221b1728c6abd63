import CarillonModel

/// How a condition stands.
public enum WatchState: Int64, Sendable {
  /// Nothing is known: its topic has just been subscribed to. What was stored there is the starting state; where nothing
  /// was, the first message is news.
  case fresh = 0
  /// Nothing is known: it has joined others on a topic that was subscribed to already. Whatever comes before the broker has
  /// been through its own subscription is the starting state.
  case joining = 1
  case noMatch = 2
  case match = 3
  /// Its topic may not be watched any more.
  case suspended = 4
  /// The same, and its request was paused before.
  case suspendedPaused = 5

  /// Whether its topic is needed.
  public var isActive: Bool { rawValue < WatchState.suspended.rawValue }

  /// Whether anything is known of what it waits for.
  public var isKnown: Bool { self != .fresh && self != .joining }
}

/// What a request's condition is about, and how it stands.
public struct StoredWatch: Hashable, Sendable {
  /// What it is about.
  public enum Source: Hashable, Sendable {
    case topic(String)
    case device(Name)
  }

  /// The request's acceptance number.
  public var sequence: Int64
  public var source: Source
  public var state: WatchState
  /// When the request fired last, on the elapsed axis.
  public var fired: Int64?
  /// Whether what is due came of an edge that was seen late.
  public var isLate = false
  /// The last moment at which an edge counts; endless without.
  public var until: WallTime?

  public init(
    sequence: Int64, source: Source, state: WatchState, fired: Int64? = nil, isLate: Bool = false,
    until: WallTime? = nil
  ) {
    self.sequence = sequence
    self.source = source
    self.state = state
    self.fired = fired
    self.isLate = isLate
    self.until = until
  }
}
