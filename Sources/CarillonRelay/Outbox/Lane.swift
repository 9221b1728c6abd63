import CarillonModel
import CarillonStore

/// A delivery's place in memory: a firing and a device.
struct DeliveryKey: Hashable, Comparable, Sendable {
  var firing: Int64
  var device: Int64

  static func < (left: DeliveryKey, right: DeliveryKey) -> Bool {
    (left.firing, left.device) < (right.firing, right.device)
  }
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
    func counts(_ held: OpenKind?) -> Bool { held.map { $0.rawValue >= kind.rawValue } ?? false }
    return counts(queued[firing]) || counts(underway[firing]) || counts(outstanding[firing]?.kind)
  }

  // MARK: The way of a delivery

  enum Admission {
    /// It is on its way already.
    case held
    /// There is no room: it stays in the store.
    case left
    case queued
  }

  /// A delivery wants to go out.
  ///
  /// - Parameter isFree: whether anything may go out at all.
  mutating func admit(_ firing: Int64, _ kind: OpenKind, isFree: Bool) -> Admission {
    if holds(firing, kind) { return .held }
    // What takes a delivery back needs no room of its own.
    let hasRoom =
      presence == .plain || queued.count < room || outstanding[firing] != nil || queued[firing] != nil
    guard isFree, presence != .offline, !hasBacklog, hasRoom else {
      hasBacklog = true
      return .left
    }
    queued[firing] = kind
    return .queued
  }

  /// A queued delivery has a slot and goes out.
  ///
  /// - Parameter now: on the elapsed axis.
  /// - Returns: false where it was taken back meanwhile, itself or by its withdrawal.
  mutating func begin(_ firing: Int64, _ kind: OpenKind, at now: Int64) -> Bool {
    guard queued[firing] == kind else { return false }
    queued[firing] = nil
    underway[firing] = kind
    guard presence == .online else { return true }
    // A withdrawal is another message than its notification: its repeats begin anew.
    let before = outstanding[firing]
    let attempts = before?.kind == kind ? before?.attempts ?? 0 : 0
    outstanding[firing] = Outstanding(retry: now + Lane.rest(attempts), attempts: attempts + 1, kind: kind)
    return true
  }

  /// The broker has taken a message.
  ///
  /// - Returns: whether that is all there is to know, since nothing answers at the device.
  mutating func accepted(_ firing: Int64, _ kind: OpenKind) -> Bool {
    if underway[firing] == kind { underway[firing] = nil }
    guard presence == .plain else { return false }
    if !outstanding.isEmpty { outstanding[firing] = nil }
    return true
  }

  /// The broker has refused a message. That will not end by insisting: it is tried again like anything unanswered.
  ///
  /// - Parameter now: on the elapsed axis.
  mutating func refused(_ firing: Int64, _ kind: OpenKind, at now: Int64) {
    if underway[firing] == kind { underway[firing] = nil }
    let attempts = outstanding[firing]?.attempts ?? 1
    outstanding[firing] = Outstanding(retry: now + Lane.rest(attempts - 1), attempts: attempts, kind: kind)
  }
}
