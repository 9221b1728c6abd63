import CSystemd
import Glibc

/// How a child process ended.
public enum ChildExit: Hashable, Sendable {
  /// By itself, with this status; 0 is success.
  case exited(Int32)
  /// By this signal.
  case signaled(Int32)
}

/// A child process whose end is an event of the loop. The loop also reaps it, so no zombie stays.
public final class ChildWatch {
  private var source: OpaquePointer?
  private let handler: (ChildExit) -> Void

  init(_ event: OpaquePointer, _ pid: pid_t, _ handler: @escaping (ChildExit) -> Void) throws(LoopError) {
    self.handler = handler
    try blockSignal(SIGCHLD)
    let result = sd_event_add_child(
      event, &source, pid, WEXITED,
      { _, information, context in
        let watch = Unmanaged<ChildWatch>.fromOpaque(context!).takeUnretainedValue()
        if let information { watch.handler(ChildExit(information.pointee)) }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
    try LoopError.check(result, "cannot wait for process \(pid)")
  }

  deinit { cancel() }

  /// Stops watching; the process goes on, and nobody reaps it.
  public func cancel() {
    source = sd_event_source_disable_unref(source)
  }
}

extension ChildExit {
  init(_ information: siginfo_t) {
    let status = information._sifields._sigchld.si_status
    self = information.si_code == CLD_EXITED ? .exited(status) : .signaled(status)
  }
}

extension EventLoop {
  /// Calls `handler` once, when the child has ended, also where it has ended already. Uses a pidfd, so another
  /// process with a reused number is never meant.
  ///
  /// - Throws: where the process is not a child of this one.
  public func child(_ pid: pid_t, _ handler: @escaping (ChildExit) -> Void) throws(LoopError) -> ChildWatch {
    try ChildWatch(event, pid, handler)
  }
}
