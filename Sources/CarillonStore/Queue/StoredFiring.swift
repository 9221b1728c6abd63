import CarillonModel

/// One notification as the store keeps it.
public struct StoredFiring: Hashable, Sendable {
  /// Its row; 0 before it is stored.
  public var row: Int64 = 0
  public var sequence: Int64
  /// The occurrence, in milliseconds on `axis`.
  public var stamp: Int64
  /// 0 for an occurrence; a serial number for a firing outside the schedule.
  public var counter: Int64
  /// The due time as people read it.
  public var due: WallTime
  public var axis: TimeAxis
  /// When it goes out, on `axis`.
  public var release: Int64
  /// When it went out; `nil` while that has not been noted.
  public var fired: WallTime?
  public var late: Bool
  /// Occurrences that this one stands for besides itself.
  public var missed: Int64
  public var expires: WallTime?
  /// When it was written down, on the elapsed axis: its age, whatever becomes of the wall clock. Not read back.
  public var noted: Int64?
  /// Why it ended everywhere: the event of the first answer, or `withdrawn`.
  public var ended: String?
  /// The device or publisher that ended it.
  public var endedBy: String?
  /// Its place in a series; `nil` where its request does not nag, and for a notification that was put off.
  public var series: SeriesPlace?

  public init(
    sequence: Int64, stamp: Int64, counter: Int64 = 0, due: WallTime, axis: TimeAxis, release: Int64,
    fired: WallTime? = nil, late: Bool = false, missed: Int64 = 0, expires: WallTime? = nil
  ) {
    self.sequence = sequence
    self.stamp = stamp
    self.counter = counter
    self.due = due
    self.axis = axis
    self.release = release
    self.fired = fired
    self.late = late
    self.missed = missed
    self.expires = expires
  }
}

extension StoredFiring {
  /// Whether it has gone out, or does so now.
  public func hasGoneOut(at moment: Moment) -> Bool { fired != nil || release <= moment.on(axis) }
}

/// What is left to send of a delivery.
public enum OpenKind: Int64, Sendable {
  case nothing = 0
  case notification = 1
  case withdrawal = 2
}

/// A delivery with all that its message is made of. It is handed on at every step of its way and never changes, so it is
/// shared.
public final class OutgoingDelivery: Sendable {
  public let device: Int64
  public let open: OpenKind
  public let state: DeliveryState
  public let firing: StoredFiring
  public let id: String
  public let publisher: Name?
  public let zone: String
  /// JSON members of the content, without braces.
  public let content: [UInt8]
  /// Whether each missed firing is to reach the device, not just the newest of its id.
  public let keepsAll: Bool

  public init(
    device: Int64, open: OpenKind, state: DeliveryState, firing: StoredFiring, id: String, publisher: Name?,
    zone: String, content: [UInt8], keepsAll: Bool
  ) {
    self.device = device
    self.open = open
    self.state = state
    self.firing = firing
    self.id = id
    self.publisher = publisher
    self.zone = zone
    self.content = content
    self.keepsAll = keepsAll
  }
}

/// A delivery's place on its way.
public struct DeliveryRow: Hashable, Sendable {
  public var firing: Int64
  public var device: Int64
  public var state: DeliveryState
  public var open: OpenKind
}
