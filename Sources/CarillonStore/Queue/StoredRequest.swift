import CarillonModel

/// Where a request stands.
public enum RequestState: Int64, Sendable {
  case pending = 0
  case paused = 1
  case finished = 2
  case cancelled = 3
  /// It cannot be understood any more (its zone is gone, say); it is kept, listed and does not fire.
  case invalid = 4

  /// Whether listings of pending requests show it.
  public var isListed: Bool { self == .pending || self == .paused || self == .invalid }
}

/// How far a rule of the wall clock has come.
public struct Reached: Hashable, Sendable {
  public var time: WallTime
  /// The local reading, in milliseconds as if it were UTC.
  public var reading: Int64

  public init(time: WallTime, reading: Int64) {
    self.time = time
    self.reading = reading
  }
}

/// A request as the store keeps it.
public struct StoredRequest: Hashable, Sendable {
  /// The acceptance number; 0 before it is stored.
  public var sequence: Int64 = 0
  public var id: String
  public var state: RequestState
  public var axis: TimeAxis
  /// The next occurrence on its axis, in milliseconds; `nil` where there is none, or no event has brought it yet.
  public var due: Int64?
  /// The zero point of a repeating interval, on its axis; where a match had to hold before a delay, when it had.
  public var anchor: Int64?
  /// The instant through which the occurrences of a rule of the wall clock are dealt with, in milliseconds, and what the
  /// clocks of its zone showed then; `nil` for other triggers.
  public var reached: Reached?
  /// Occurrences that have come, missed ones included.
  public var occurrences: Int64 = 0
  public var publisher: Name?
  public var thread: String?
  public var revision: Int64?
  /// The IANA name that holds for its wall times.
  public var zone: String
  /// When it was accepted; once it is cancelled: when that was, from which its memory counts.
  public var accepted: WallTime
  /// JSON members `to`, `trigger`, `expires`, `catchUp`, as far as given, without braces.
  public var rule: [UInt8]
  /// JSON members of the content, without braces.
  public var content: [UInt8]

  public init(
    id: String, state: RequestState, axis: TimeAxis, due: Int64?, anchor: Int64?, publisher: Name?,
    thread: String?, revision: Int64?, zone: String, accepted: WallTime, rule: [UInt8], content: [UInt8]
  ) {
    self.id = id
    self.state = state
    self.axis = axis
    self.due = due
    self.anchor = anchor
    self.publisher = publisher
    self.thread = thread
    self.revision = revision
    self.zone = zone
    self.accepted = accepted
    self.rule = rule
    self.content = content
  }
}
