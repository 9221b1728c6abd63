import CSystemd
import Glibc

/// The clock that a timer follows.
public enum TimerClock: Sendable {
  /// The wall clock (CLOCK_REALTIME), in milliseconds since 1970. A clock that is set takes the timer with it.
  case wall
  /// Time since boot, suspend included (CLOCK_BOOTTIME).
  case elapsed

  var identifier: clockid_t {
    switch self {
    case .wall: CLOCK_REALTIME
    case .elapsed: CLOCK_BOOTTIME
    }
  }
}

/// A timer that fires once each time it is armed. New timers are not armed.
public final class Timer {
  private var source: OpaquePointer?
  private let clock: TimerClock
  private let handler: () -> Void
  /// Whether it is going to fire.
  public private(set) var isArmed = false

  init(_ event: OpaquePointer, _ clock: TimerClock, _ handler: @escaping () -> Void) throws(LoopError) {
    self.clock = clock
    self.handler = handler
    let result = sd_event_add_time(
      event, &source, clock.identifier, 0, Timer.accuracy,
      { _, _, context in
        let timer = Unmanaged<Timer>.fromOpaque(context!).takeUnretainedValue()
        timer.isArmed = false
        timer.handler()
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
    try LoopError.check(result, "cannot create a timer")
    sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF))
  }

  deinit { cancel() }

  /// In microseconds. 0 would mean the library's default of a quarter of a second.
  private static let accuracy: UInt64 = 1

  /// The end of the year 9999: beyond it the kernel's own arithmetic has limits.
  private static let latest: Int64 = 253_402_300_799_000

  /// Fires at that instant of the timer's clock, at once where it has passed. Arming again moves it.
  public func arm(atMilliseconds instant: Int64) {
    arm(atMicroseconds: UInt64(min(max(instant, 0), Timer.latest)) * 1000)
  }

  /// Fires once that much time of its clock has passed, counted from now.
  public func arm(after delay: Duration) {
    let now = SystemClock.microseconds(clock.identifier)
    let (sum, overflow) = now.addingReportingOverflow(max(delay.microseconds, 0))
    arm(atMicroseconds: UInt64(overflow ? Timer.latest * 1000 : min(sum, Timer.latest * 1000)))
  }

  /// Does not fire until it is armed again.
  public func disarm() {
    isArmed = false
    sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF))
  }

  /// Stops for good.
  public func cancel() {
    isArmed = false
    source = sd_event_source_disable_unref(source)
  }

  private func arm(atMicroseconds instant: UInt64) {
    guard source != nil else { return }
    isArmed = true
    sd_event_source_set_time(source, instant)
    sd_event_source_set_enabled(source, Int32(SD_EVENT_ONESHOT))
  }
}

extension EventLoop {
  /// A timer, not armed yet. It wakes within a tenth of a millisecond on an idle machine.
  public func timer(_ clock: TimerClock, _ handler: @escaping () -> Void) throws(LoopError) -> Timer {
    try Timer(event, clock, handler)
  }
}
