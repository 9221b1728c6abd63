import CPOSIX
import CSystemd
import Glibc

/// What a descriptor is ready for.
public struct IOReadiness: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// There is something to read, which may be the end.
  public static let readable = IOReadiness(rawValue: EPOLLIN.rawValue)
  /// There is room to write, or a connect has ended.
  public static let writable = IOReadiness(rawValue: EPOLLOUT.rawValue)
  /// The other side has closed its half. Told only where it was asked for.
  public static let halfClosed = IOReadiness(rawValue: EPOLLRDHUP.rawValue)
  /// Both sides have closed, or the descriptor has failed. Told always.
  public static let failed = IOReadiness(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
}

/// A descriptor that the loop waits for. Level-triggered: the handler is called again while there is more to do.
/// The descriptor is not closed by it and must stay open until `cancel` or the end of the watch.
public final class IOWatch {
  private var source: OpaquePointer?
  private let handler: (IOReadiness) -> Void
  private var interest: IOReadiness

  init(
    _ event: OpaquePointer, _ fd: Int32, _ interest: IOReadiness, _ handler: @escaping (IOReadiness) -> Void
  ) throws(LoopError) {
    self.handler = handler
    self.interest = interest
    // A descriptor of its own, closed only after the loop has let go of it. Whoever owns `fd` may close it first (a library
    // does), and if a child process then still has a copy, the kernel would go on reporting a source that is gone.
    let copy = fcntl(fd, F_DUPFD_CLOEXEC, 0)
    try LoopError.check(copy < 0 ? -errno : 0, "cannot wait for descriptor \(fd)")
    let result = sd_event_add_io(
      event, &source, copy, interest.rawValue,
      { _, _, events, context in
        let watch = Unmanaged<IOWatch>.fromOpaque(context!).takeUnretainedValue()
        watch.handler(IOReadiness(rawValue: events))
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
    if result < 0 { close(copy) }
    try LoopError.check(result, "cannot wait for descriptor \(fd)")
    sd_event_source_set_io_fd_own(source, 1)
  }

  deinit { cancel() }

  /// What to wait for. Nothing at all still tells `failed`.
  public func setInterest(reading: Bool, writing: Bool, closing: Bool = false) {
    var wanted = IOReadiness()
    if reading { wanted.insert(.readable) }
    if writing { wanted.insert(.writable) }
    if closing { wanted.insert(.halfClosed) }
    guard wanted != interest else { return }
    interest = wanted
    sd_event_source_set_io_events(source, wanted.rawValue)
  }

  /// While false the loop does not look at the descriptor. Default true.
  public var isEnabled: Bool = true {
    didSet {
      guard isEnabled != oldValue else { return }
      sd_event_source_set_enabled(source, isEnabled ? Int32(SD_EVENT_ON) : Int32(SD_EVENT_OFF))
    }
  }

  /// Stops for good. Allowed inside the handler.
  public func cancel() {
    source = sd_event_source_disable_unref(source)
  }
}

extension EventLoop {
  /// Calls `handler` whenever the descriptor is ready for what is asked.
  ///
  /// - Throws: for a regular file (EPERM), which is always ready, and for a descriptor that is not open.
  public func watch(
    _ fd: Int32, reading: Bool, writing: Bool, _ handler: @escaping (IOReadiness) -> Void
  ) throws(LoopError) -> IOWatch {
    var interest = IOReadiness()
    if reading { interest.insert(.readable) }
    if writing { interest.insert(.writable) }
    return try IOWatch(event, fd, interest, handler)
  }
}
