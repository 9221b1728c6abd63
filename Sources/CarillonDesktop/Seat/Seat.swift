import CarillonModel

/// What is known of the user's session, as a value, and what it says about presence.
struct Seat {
  /// logind's LockedHint and IdleHint; `nil` while there is no session of logind's.
  private(set) var isLocked: Bool?
  private(set) var isIdle: Bool?
  /// logind has asked for the lock. Not every screen locker then sets the hint.
  private(set) var isAskedToLock = false
  /// Whether the screen saver runs; `nil` where there is none on the session bus.
  var screenSaver: Bool? {
    didSet { if screenSaver == false { isAskedToLock = false } }
  }

  /// Takes over the properties of a session of logind's, all or those that have changed.
  mutating func take(_ properties: [String: BusValue]) {
    if case .bool(let locked)? = properties["LockedHint"] {
      if isLocked == true, !locked { isAskedToLock = false }
      isLocked = locked
    }
    if case .bool(let idle)? = properties["IdleHint"] {
      // Somebody is back. A locker that never tells that it has opened must not keep the seat locked for ever.
      if isIdle == true, !idle { isAskedToLock = false }
      isIdle = idle
    }
  }

  /// The session's signals Lock and Unlock.
  mutating func take(signal: String) {
    switch signal {
    case "Lock": isAskedToLock = true
    case "Unlock": isAskedToLock = false
    default: break
    }
  }

  /// There is no session any more, or another one.
  mutating func loseSession() {
    isLocked = nil
    isIdle = nil
    isAskedToLock = false
  }

  var presence: Profile.Presence {
    if isLocked == true || isAskedToLock || screenSaver == true { return .locked }
    if isIdle == true { return .idle }
    return isLocked == nil && isIdle == nil && screenSaver == nil ? .unknown : .active
  }
}
