/// How far a delivery is on its way to one device. States only move forward.
public enum DeliveryState: Int64, Sendable, CaseIterable {
  /// In the relay, not acknowledged by the broker.
  case waiting = 0
  /// Acknowledged by the broker; for a device without a companion that is all there is to know.
  case accepted = 1
  case received = 2
  case presented = 3
  case suppressed = 4
  /// Opened because it arrived.
  case opened = 5
  case failed = 6
  /// Opened by a tap: an answer.
  case tapped = 7
  case acted = 8
  case dismissed = 9
  case withdrawn = 10
  case expired = 11
  /// A newer firing of the same id took its place while the device was away.
  case superseded = 12
  /// Too many deliveries waited for the device, or for too long.
  case dropped = 13

  /// The word in listings: the events of protocol §5 and the relay's own states.
  public var word: String {
    switch self {
    case .waiting: "waiting"
    case .accepted: "accepted"
    case .received: "received"
    case .presented: "presented"
    case .suppressed: "suppressed"
    case .opened, .tapped: "opened"
    case .failed: "failed"
    case .acted: "acted"
    case .dismissed: "dismissed"
    case .withdrawn: "withdrawn"
    case .expired: "expired"
    case .superseded: "superseded"
    case .dropped: "dropped"
    }
  }

  /// The state that a device's response tells.
  public init(_ response: Response) {
    self =
      switch response.event {
      case .received: .received
      case .presented: .presented
      case .suppressed: .suppressed
      case .opened: response.by == .tap ? .tapped : .opened
      case .acted: .acted
      case .dismissed: .dismissed
      case .failed: .failed
      case .withdrawn: .withdrawn
      case .expired: .expired
      }
  }

  /// The order of the states; equal ranks do not follow each other.
  public var rank: Int {
    switch self {
    case .waiting: 0
    case .accepted: 1
    case .received: 2
    case .presented, .suppressed: 3
    case .opened: 4
    case .failed: 5
    case .tapped, .acted, .dismissed, .withdrawn, .expired, .superseded, .dropped: 6
    }
  }

  /// Whether somebody has answered it at the device, or it was taken back from there.
  public var isAnswer: Bool {
    switch self {
    case .tapped, .acted, .dismissed, .withdrawn: true
    default: false
    }
  }

  /// Whether the device still shows it or may yet get it, so that a withdrawal has something to take back.
  /// One whose link failed was shown all the same.
  public var isLive: Bool { rank < 6 }
}
