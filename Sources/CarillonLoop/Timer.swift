import CPOSIX
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
///
/// It is a descriptor of its own rather than one of the library's time sources: these are at a loss where a preloaded
/// library shows the process another time, as tests of clocks do.
public final class Timer {
  private var source: OpaquePointer?
  private let descriptor: Int32
  private let clock: TimerClock
  private let handler: () -> Void
  /// When it is to fire, in microseconds of its clock.
  private var instant: Int64 = 0
  /// Whether it is going to fire.
  public private(set) var isArmed = false

  init(_ event: OpaquePointer, _ clock: TimerClock, _ handler: @escaping () -> Void) throws(LoopError) {
    self.clock = clock
    self.handler = handler
    descriptor = carillon_timer(clock.identifier)
    try LoopError.check(descriptor < 0 ? -errno : 0, "cannot create a timer")
    let result = sd_event_add_io(
      event, &source, descriptor, EPOLLIN.rawValue,
      { _, _, _, context in
        Unmanaged<Timer>.fromOpaque(context!).takeUnretainedValue().goOff()
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
    if result < 0 { close(descriptor) }
    try LoopError.check(result, "cannot create a timer")
    sd_event_source_set_io_fd_own(source, 1)
  }

  deinit { cancel() }

  /// The end of the year 9999: beyond it the kernel's own arithmetic has limits.
  private static let latest: Int64 = 253_402_300_799_000

  /// Fires at that instant of the timer's clock, at once where it has passed. Arming again moves it.
  public func arm(atMilliseconds instant: Int64) {
    arm(atMicroseconds: min(max(instant, 0), Timer.latest) * 1000)
  }

  /// Fires once that much time of its clock has passed, counted from now.
  public func arm(after delay: Duration) {
    let now = SystemClock.microseconds(clock.identifier)
    let (sum, overflow) = now.addingReportingOverflow(max(delay.microseconds, 0))
    arm(atMicroseconds: overflow ? Timer.latest * 1000 : min(sum, Timer.latest * 1000))
  }

  /// Does not fire until it is armed again.
  public func disarm() {
    guard isArmed else { return }
    isArmed = false
    _ = carillon_timer_set(descriptor, clock.identifier, 0)
  }

  /// Stops for good.
  public func cancel() {
    isArmed = false
    source = sd_event_source_disable_unref(source)
  }

  private func arm(atMicroseconds instant: Int64) {
    guard source != nil else { return }
    isArmed = true
    // Zero would disarm it.
    self.instant = max(1, instant)
    _ = carillon_timer_set(descriptor, clock.identifier, self.instant)
  }

  /// The loop has found it readable, which may be over: it was disarmed, or moved, since. Where the clock shown is not the
  /// kernel's, it may also be too early.
  private func goOff() {
    var expirations: UInt64 = 0
    guard read(descriptor, &expirations, MemoryLayout<UInt64>.size) > 0, isArmed else { return }
    guard SystemClock.microseconds(clock.identifier) >= instant else {
      _ = carillon_timer_set(descriptor, clock.identifier, instant)
      return
    }
    isArmed = false
    handler()
  }
}

extension EventLoop {
  /// A timer, not armed yet. It wakes within a tenth of a millisecond on an idle machine.
  public func timer(_ clock: TimerClock, _ handler: @escaping () -> Void) throws(LoopError) -> Timer {
    try Timer(event, clock, handler)
  }
}
