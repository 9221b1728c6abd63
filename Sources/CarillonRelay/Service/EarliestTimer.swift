import CarillonLoop

/// A timer that several wait for: it goes off for the earliest of them, and whoever is later asks again then.
final class EarliestTimer {
  private let timer: Timer
  /// When it goes off, on the boot clock in milliseconds, while it is armed.
  private var instant: Int64 = .max

  /// - Parameter timer: one that follows the boot clock and that nobody else arms.
  init(_ timer: Timer) { self.timer = timer }

  /// Sees to it that it goes off within so many milliseconds: it is brought forward, never put off.
  func arm(within milliseconds: Int64) {
    let wanted = SystemClock.elapsedMilliseconds + milliseconds
    guard !timer.isArmed || wanted < instant else { return }
    instant = wanted
    timer.arm(after: .milliseconds(milliseconds))
  }
}
