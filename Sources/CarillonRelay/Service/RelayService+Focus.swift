import CarillonMQTT
import CarillonModel
import CarillonStore

// Do not disturb at the broker: retained, and ended when its time is over.
extension RelayService {
  /// Says, retained, whether a device may be disturbed.
  func publishFocus(_ device: Int64) {
    guard let known = relay.devices[device] else { return }
    let focus: DeviceFocus = known.isFocused ? .on : .off
    publish(
      Publication(
        topic: configuration.topics.device(known.name, .focus), payload: focus.encoded, retain: true))
  }

  /// Sets the timer for the next end of a focus. It follows the wall clock, however that is set.
  func armFocus() {
    guard clock.isSet, let end = relay.devices.nextFocusEnd else { return timers.focus.disarm() }
    timers.focus.arm(atMilliseconds: end.milliseconds)
  }

  func focusTimerFired() {
    // The tick tries again.
    guard held == nil, !isStopping else { return }
    endFocus(at: now())
    finish()
  }

  /// Ends each focus whose time is over. Called once a second too, since the store may not have taken it.
  func endFocus(at moment: Moment) {
    guard clock.isSet, let end = relay.devices.nextFocusEnd else { return }
    guard end <= moment.wall else { return armFocus() }
    var draft = relay
    do throws(StoreError) {
      let actions = try transaction { () throws(StoreError) in try draft.endFocus(at: moment) }
      relay = draft
      perform(actions, at: moment)
    } catch {
      storeFailed(error, "the end of a focus waits")
    }
  }
}
