import CSystemd
import Glibc

/// What the service manager is told (sd_notify). Without one (no NOTIFY_SOCKET) these calls do nothing.
extension EventLoop {
  /// The service has started; `status` is a line for people.
  public func notifyReady(status: String) { notify("READY=1\nSTATUS=\(oneLine(status))") }

  /// Replaces the line for people.
  public func notifyStatus(_ status: String) { notify("STATUS=\(oneLine(status))") }

  /// The configuration is being read anew, which began now; `notifyReloaded` follows.
  public func notifyReloading() {
    notify("RELOADING=1\nMONOTONIC_USEC=\(SystemClock.microseconds(CLOCK_MONOTONIC))")
  }

  /// The configuration has been read anew, or the old one goes on.
  public func notifyReloaded() { notify("READY=1") }

  /// The service has begun to stop.
  public func notifyStopping() { notify("STOPPING=1") }

  /// Pings the service manager's watchdog from inside the loop, where WATCHDOG_USEC asks for it: a loop that hangs is
  /// found out, which a free-running timer would hide.
  ///
  /// - Returns: whether a watchdog was asked for.
  @discardableResult
  public func enableWatchdog() throws(LoopError) -> Bool {
    let result = sd_event_set_watchdog(event, 1)
    try LoopError.check(result, "cannot set up the watchdog")
    return result > 0
  }

  private func notify(_ state: String) { sd_notify(0, state) }

  private func oneLine(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
  }
}
