import CMosquitto
import Glibc

/// A plain publisher that is fast enough not to be what is measured. It works on the thread of whoever calls it.
public final class LoadPublisher {
  private let handle: OpaquePointer
  private let clock: clockid_t
  private var isConnected = false
  private var sent = 0
  /// How many of all that were published the broker has acknowledged.
  public private(set) var acknowledged = 0

  /// - Parameters:
  ///   - inflight: how many messages may be under way to the broker without PUBACK; 20 is the library's default.
  ///   - clock: what publishing is timed with.
  /// - Throws: `TestFailure` where the broker does not take it.
  public init(port: UInt16, inflight: Int32 = 20, clock: clockid_t = CLOCK_MONOTONIC) throws {
    mosquitto_lib_init()
    guard let handle = mosquitto_new(nil, true, nil) else { throw TestFailure("no client") }
    self.handle = handle
    self.clock = clock
    mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
    mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1)
    mosquitto_int_option(handle, MOSQ_OPT_SEND_MAXIMUM, inflight)
    mosquitto_connect_callback_set(handle) { _, context, result in
      LoadPublisher.from(context)?.isConnected = result == 0
    }
    mosquitto_publish_callback_set(handle) { _, context, _ in LoadPublisher.from(context)?.acknowledged += 1 }
    // Nothing is sent to keep it alive between calls.
    try check(mosquitto_connect(handle, "127.0.0.1", Int32(port), 3600))
    try eventually("CONNACK") {
      try turn(waiting: 1)
      return isConnected
    }
  }

  deinit { mosquitto_destroy(handle) }

  private static func from(_ context: UnsafeMutableRawPointer?) -> LoadPublisher? {
    context.map { Unmanaged<LoadPublisher>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Publishes at QoS 1, and does not wait for the acknowledgements.
  ///
  /// - Parameters:
  ///   - interval: nanoseconds from one to the next; 0: as fast as there is room.
  ///   - hasRoom: whether another one may go, given how many have gone.
  /// - Returns: when each was handed to the library, in nanoseconds of the clock.
  public func publish(
    _ topic: String, _ payloads: [[UInt8]], every interval: Int64 = 0, while hasRoom: (Int) throws -> Bool
  ) throws -> [Int64] {
    var times: [Int64] = []
    times.reserveCapacity(payloads.count)
    let start = now
    for payload in payloads {
      while try !hasRoom(times.count) { try turn(waiting: 1) }
      if interval > 0 { try wait(until: start + interval * Int64(times.count)) }
      times.append(now)
      try check(mosquitto_publish(handle, nil, topic, Int32(payload.count), payload, 1, false))
      sent += 1
      if times.count % 16 == 0 || mosquitto_want_write(handle) { try turn(waiting: 0) }
    }
    return times
  }

  /// Publishes one, and returns once the broker has acknowledged everything.
  public func publish(_ topic: String, _ payload: [UInt8]) throws {
    _ = try publish(topic, [payload]) { _ in true }
    try settle()
  }

  /// Waits until the broker has acknowledged everything.
  public func settle(within limit: Duration = .seconds(60)) throws {
    let deadline = Deadline(after: limit)
    while acknowledged < sent {
      guard !deadline.hasPassed else { throw TestFailure("\(sent - acknowledged) PUBACKs are missing") }
      try turn(waiting: 5)
    }
  }

  /// Reads and writes what there is, waiting for it for so many milliseconds.
  public func turn(waiting milliseconds: Int32) throws { try check(mosquitto_loop(handle, milliseconds, 1)) }

  private func wait(until time: Int64) throws {
    try turn(waiting: 0)
    guard time > now else { return }
    var end = timespec(tv_sec: Int(time / 1_000_000_000), tv_nsec: Int(time % 1_000_000_000))
    while clock_nanosleep(clock, TIMER_ABSTIME, &end, nil) == EINTR {}
  }

  private var now: Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private func check(_ result: Int32) throws {
    guard result == 0 else {
      throw TestFailure("the publisher: \(String(cString: mosquitto_strerror(result)))")
    }
  }
}
