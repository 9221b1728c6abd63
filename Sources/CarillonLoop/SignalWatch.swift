import CSystemd
import Glibc

/// A signal that arrives as an event of the loop instead of interrupting it.
public final class SignalWatch {
  private var source: OpaquePointer?
  private let handler: () -> Void

  init(_ event: OpaquePointer, _ number: Int32, _ handler: @escaping () -> Void) throws(LoopError) {
    self.handler = handler
    try blockSignal(number)
    let result = sd_event_add_signal(
      event, &source, number,
      { _, _, context in
        Unmanaged<SignalWatch>.fromOpaque(context!).takeUnretainedValue().handler()
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
    try LoopError.check(result, "cannot wait for signal \(number)")
  }

  deinit { cancel() }

  /// Stops for good. The signal stays blocked.
  public func cancel() {
    source = sd_event_source_disable_unref(source)
  }
}

/// sd-event reads signals from a descriptor, which works only while they are blocked.
func blockSignal(_ number: Int32) throws(LoopError) {
  var set = sigset_t()
  sigemptyset(&set)
  sigaddset(&set, number)
  let result = pthread_sigmask(SIG_BLOCK, &set, nil)
  if result != 0 { throw LoopError("cannot block signal \(number)", result) }
}

extension EventLoop {
  /// Calls `handler` for each arrival of the signal, which is blocked in the calling thread from now on; call it
  /// before other threads are started, since they take the signal where it is not blocked.
  public func signal(_ number: Int32, _ handler: @escaping () -> Void) throws(LoopError) -> SignalWatch {
    try SignalWatch(event, number, handler)
  }
}
