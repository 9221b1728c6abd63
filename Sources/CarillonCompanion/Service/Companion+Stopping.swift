import CarillonLoop
import CarillonMQTT
import CarillonModel

// The way out, within five seconds whatever goes on.
extension Companion {
  /// For the broker to acknowledge the last word.
  private static let grace: Duration = .milliseconds(1500)
  /// For a command between TERM and KILL.
  private static let patience: Duration = .milliseconds(1500)

  /// Says `offline`, ends the command that runs with its process group, and ends the loop. A navigation that is cut
  /// short stays started in the inbox: the next run reports it as interrupted. Programs that were left to themselves
  /// (`wait: false`) go on. A second call ends the loop at once.
  ///
  /// - Parameter status: the loop's exit code.
  public func stop(status: Int32 = 0) {
    guard !isStopping else {
      loop.exit(status)
      return
    }
    storeMarks()
    isStopping = true
    loop.notifyStopping()
    for timer in [
      storeTimer, markTimer, pruneTimer, resendTimer, settledTimer, expiryTimer, statusTimer,
    ] { timer?.disarm() }
    navigator.stop(patience: Companion.patience)
    hub?.close()
    // Nobody would hear what is done with a bubble any more. What is unanswered is shown again at the next start.
    for delivery in bubbles.values { close(delivery) }
    seat?.stop()
    let last = Publication(topic: topic(.status), payload: DeviceStatus.offline.encoded, retain: true)
    session?.stop(grace: Companion.grace, last: [last]) { [weak self] in self?.leave(status) }
  }

  /// Waits for the command that was ended, if it is still there.
  private func leave(_ status: Int32) {
    desktop?.stop()
    guard navigator.isRunning else {
      loop.exit(status)
      return
    }
    navigator.whenIdle = { [loop] in loop.exit(status) }
  }
}
