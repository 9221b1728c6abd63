import CarillonModel

/// A trigger that is due once: `after`, `at`, or none at all.
public struct OneShot: Hashable, Sendable {
  /// Milliseconds on the trigger's clock.
  public let due: Int64

  public init(due: Int64) {
    self.due = due
  }

  /// `after`: that much elapsed time from acceptance, on the elapsed clock.
  public init(after duration: Duration, from now: Int64) {
    due = now.addingSaturated(duration.milliseconds)
  }

  /// `at`: an instant on the wall clock. `instant` is the written time as the request's zone reads it.
  public init(at instant: WallTime) {
    due = instant.milliseconds
  }

  /// The time, where it is after `time`; `nil` where there is none any more.
  public func next(after time: Int64) -> Int64? {
    due > time ? due : nil
  }

  /// What becomes of a request that is accepted at a moment.
  public enum Admission: Hashable, Sendable {
    /// Its time is to come.
    case pending
    /// Its time has passed, but its life has not: it fires now.
    case late
    /// Its life has passed too: refused as `past`.
    case past
  }

  /// - Parameter life: how long after its due time it may fire (`expires`); `nil`: for ever.
  public func admission(at now: Int64, life: Duration?) -> Admission {
    if due >= now { return .pending }
    return hasExpired(due: due, life: life, at: now) ? .past : .late
  }
}

/// Whether the life of an occurrence is over. It ends with its last instant, not after it.
public func hasExpired(due: Int64, life: Duration?, at now: Int64) -> Bool {
  life.map { now >= due.addingSaturated($0.milliseconds) } ?? false
}
