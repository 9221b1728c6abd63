import CSystemd
import Glibc

/// One thread that waits in one place: sockets, timers, signals and child processes, on libsystemd's sd-event.
///
/// Everything that the loop calls runs on the thread that is in `run`, one handler after another, so nothing needs a
/// lock. A loop and everything made from it belong to one thread and are not `Sendable`.
///
/// A source (`IOWatch`, `Timer`, `SignalWatch`, `ChildWatch`) lives as long as somebody holds it.
public final class EventLoop {
  let event: OpaquePointer
  private var deferred: DeferredCalls?

  /// - Throws: where the kernel gives no more descriptors.
  public init() throws(LoopError) {
    var event: OpaquePointer?
    try LoopError.check(sd_event_new(&event), "cannot create the event loop")
    guard let event else { throw LoopError("cannot create the event loop", ENOMEM) }
    self.event = event
    deferred = try DeferredCalls(event)
  }

  deinit {
    deferred = nil
    sd_event_unref(event)
  }

  /// Waits and calls handlers until `exit` is called.
  ///
  /// - Returns: the code given to `exit`.
  /// - Throws: where the kernel refuses to wait, which leaves nothing to do but to end.
  @discardableResult
  public func run() throws(LoopError) -> Int32 {
    let result = sd_event_loop(event)
    try LoopError.check(result, "the event loop failed")
    return result
  }

  /// One turn: waits at most `limit` (nil: as long as it takes) and calls the handlers of one source. For tests and
  /// for callers that wait for one thing.
  ///
  /// - Returns: false when nothing happened in that time, or the loop has ended.
  @discardableResult
  public func turn(waiting limit: Duration?) throws(LoopError) -> Bool {
    let result = sd_event_run(event, limit.map { UInt64(clamping: $0.microseconds) } ?? UInt64.max)
    if result == -ESTALE { return false }
    try LoopError.check(result, "the event loop failed")
    return result > 0
  }

  /// Ends `run` once the handler that is running has returned. What was handed to `afterTurn` before still runs.
  public func exit(_ code: Int32 = 0) {
    deferred?.runAll()
    sd_event_exit(event, code)
  }

  /// Calls `handler` once, as soon as the handler that is running has returned; in the order of the calls.
  public func afterTurn(_ handler: @escaping () -> Void) {
    deferred?.add(handler)
  }
}

/// The calls that wait for the end of the running handler, on one deferred source.
private final class DeferredCalls {
  private var source: OpaquePointer?
  private var calls: [() -> Void] = []

  init(_ event: OpaquePointer) throws(LoopError) {
    let result = sd_event_add_defer(
      event, &source,
      { _, context in
        Unmanaged<DeferredCalls>.fromOpaque(context!).takeUnretainedValue().runAll()
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
    try LoopError.check(result, "cannot add a deferred call to the event loop")
    sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF))
  }

  deinit { sd_event_source_disable_unref(source) }

  func add(_ call: @escaping () -> Void) {
    calls.append(call)
    sd_event_source_set_enabled(source, Int32(SD_EVENT_ONESHOT))
  }

  func runAll() {
    let now = calls
    calls = []
    for call in now { call() }
  }
}
