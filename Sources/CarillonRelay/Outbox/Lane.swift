import CarillonModel
import CarillonStore

/// A delivery's place in memory: a firing and a device.
struct DeliveryKey: Hashable, Sendable {
  var firing: Int64
  var device: Int64
}

/// What goes to one device.
struct Lane: Sendable {
  enum Presence: Hashable, Sendable {
    /// No status: a plain subscriber, of whom a PUBACK is all there is to know.
    case plain
    case online
    case offline

    init(_ isOnline: Bool?) {
      self =
        switch isOnline {
        case nil: .plain
        case true?: .online
        case false?: .offline
        }
    }
  }

  /// A delivery that was published and has not been answered.
  struct Outstanding: Hashable, Sendable {
    /// When to publish it again, on the elapsed axis.
    var retry: Int64
    /// How often it has been published.
    var attempts: Int
    /// What was published: the notification or its withdrawal.
    var kind: OpenKind
  }

  var presence: Presence
  /// Whether the store holds deliveries for this device that are not in memory; then everything goes by way of the
  /// store, so that the order holds.
  var hasBacklog = false
  /// Whether memory had no room for deliveries of this device whose release is to come: the store holds them, and they
  /// are looked for until none is left.
  var hasSpilled = false
  /// Published, without an answer of the device. Only for a device that is online.
  var outstanding: [Int64: Outstanding] = [:]
  /// In memory, not yet published. A withdrawal takes the place of its notification.
  var queued: [Int64: OpenKind] = [:]
  /// Published, without the broker's acknowledgement.
  var underway: [Int64: OpenKind] = [:]

  /// How long an unanswered delivery rests before it is published again: a minute, doubling up to an hour
  /// (protocol §4).
  static func rest(_ attempts: Int) -> Int64 { min(60_000 << Int64(min(attempts, 6)), 3_600_000) }

  /// How many more deliveries may be on the way to the device.
  var room: Int {
    switch presence {
    case .plain: Limits.unreceived
    case .online: Limits.unreceived - outstanding.count
    case .offline: 0
    }
  }

  /// Whether a message is on its way already. A withdrawal counts for its notification, not the other way round.
  func holds(_ firing: Int64, _ kind: OpenKind) -> Bool {
    [queued[firing], underway[firing], outstanding[firing]?.kind].contains { held in
      held.map { $0.rawValue >= kind.rawValue } ?? false
    }
  }
}
