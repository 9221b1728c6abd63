import CMosquitto
import Glibc
import Synchronization

/// A plain subscriber that notes when each numbered message comes, on a thread of its own: fast enough not to be what is
/// measured. It ends with this object.
///
/// A message's number stands between two tildes in its payload: `~17~`. What has none is passed over.
public final class LoadSubscriber {
  /// A message, and when it came, in nanoseconds of the clock.
  public struct Arrival: Sendable {
    public var number: Int
    public var time: Int64
  }

  private let handle: OpaquePointer
  private let record: LoadRecord

  /// Returns once the broker has acknowledged the subscription.
  ///
  /// - Parameters:
  ///   - numbers: how many different messages are waited for; they are numbered from 0.
  ///   - clock: what arrivals are timed with.
  /// - Throws: `TestFailure` where the broker does not take it.
  public init(port: UInt16, filter: String, numbers: Int, clock: clockid_t = CLOCK_MONOTONIC) throws {
    mosquitto_lib_init()
    guard let handle = mosquitto_new(nil, true, nil) else { throw TestFailure("no client") }
    self.handle = handle
    record = LoadRecord(numbers: numbers, clock: clock)
    mosquitto_user_data_set(handle, Unmanaged.passUnretained(record).toOpaque())
    mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1)
    mosquitto_subscribe_callback_set(handle) { _, context, _, _, _ in
      LoadRecord.from(context)?.isSubscribed.store(true, ordering: .releasing)
    }
    mosquitto_message_callback_set(handle) { _, context, message in
      guard let message = message?.pointee else { return }
      LoadRecord.from(context)?.add(
        UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen)))
    }
    let result = mosquitto_connect(handle, "127.0.0.1", Int32(port), 60)
    guard result == 0, mosquitto_loop_start(handle) == 0 else {
      throw TestFailure("cannot connect to port \(port): \(String(cString: mosquitto_strerror(result)))")
    }
    mosquitto_subscribe(handle, nil, filter, 1)
    let record = record
    try eventually("SUBACK") { record.isSubscribed.load(ordering: .acquiring) }
  }

  deinit {
    mosquitto_disconnect(handle)
    mosquitto_loop_stop(handle, true)
    mosquitto_destroy(handle)
  }

  /// How many different messages of those that are waited for have come.
  public var distinct: Int { record.distinct.load(ordering: .acquiring) }

  /// The greatest number that has come; -1 before the first.
  public var greatest: Int { record.greatest.load(ordering: .acquiring) }

  /// How many messages have come, repeats included.
  public var count: Int { record.count.load(ordering: .acquiring) }

  /// What has come so far, in order; of repeats as many as there are numbers, and a thousand.
  public var arrivals: [Arrival] { record.arrivals }
}

/// What the subscriber's thread writes and another reads: behind `count`, which is stored last, nothing changes any more.
private final class LoadRecord {
  let isSubscribed = Atomic(false)
  let distinct = Atomic(0)
  let greatest = Atomic(-1)
  let count = Atomic(0)
  private let noted: UnsafeMutableBufferPointer<LoadSubscriber.Arrival>
  private let seen: UnsafeMutableBufferPointer<Bool>
  private let clock: clockid_t

  init(numbers: Int, clock: clockid_t) {
    self.clock = clock
    seen = .allocate(capacity: numbers)
    seen.initialize(repeating: false)
    // With room for everything to come twice.
    noted = .allocate(capacity: 2 * numbers + 1000)
    noted.initialize(repeating: LoadSubscriber.Arrival(number: 0, time: 0))
  }

  deinit {
    seen.deallocate()
    noted.deallocate()
  }

  static func from(_ context: UnsafeMutableRawPointer?) -> LoadRecord? {
    context.map { Unmanaged<LoadRecord>.fromOpaque($0).takeUnretainedValue() }
  }

  var arrivals: [LoadSubscriber.Arrival] { Array(noted.prefix(count.load(ordering: .acquiring))) }

  func add(_ payload: UnsafeRawBufferPointer) {
    var time = timespec()
    clock_gettime(clock, &time)
    guard let number = LoadRecord.number(in: payload) else { return }
    let place = count.load(ordering: .relaxed)
    if place < noted.count {
      noted[place] = LoadSubscriber.Arrival(
        number: number, time: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
    if number < seen.count, !seen[number] {
      seen[number] = true
      distinct.add(1, ordering: .relaxed)
    }
    count.store(place + 1, ordering: .releasing)
    if number > greatest.load(ordering: .relaxed) { greatest.store(number, ordering: .releasing) }
  }

  private static func number(in payload: UnsafeRawBufferPointer) -> Int? {
    guard let start = payload.firstIndex(of: UInt8(ascii: "~")) else { return nil }
    let digits = payload[(start + 1)...].prefix { $0 != UInt8(ascii: "~") }
    guard digits.endIndex < payload.endIndex, (1...12).contains(digits.count) else { return nil }
    var number = 0
    for byte in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      number = number * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return number
  }
}
