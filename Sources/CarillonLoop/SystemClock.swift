import CPOSIX
import Glibc

/// The clocks of this machine. Core code never reads them; what runs on the loop does, and passes the time on.
public enum SystemClock {
  /// The wall clock, in milliseconds since 1970-01-01T00:00:00Z.
  public static var wallMilliseconds: Int64 { microseconds(CLOCK_REALTIME) / 1000 }

  /// Milliseconds since boot, suspend included: it never goes back and is not set by anybody.
  public static var elapsedMilliseconds: Int64 { microseconds(CLOCK_BOOTTIME) / 1000 }

  /// The same clock, for short times.
  public static var elapsedMicroseconds: Int64 { microseconds(CLOCK_BOOTTIME) }

  /// How far the wall clock is ahead of the boot clock, in milliseconds, rounded down: of two clocks that are each cut to
  /// milliseconds the difference would waver by one.
  public static var wallAhead: Int64 {
    let wall = microseconds(CLOCK_REALTIME)
    return (wall - microseconds(CLOCK_BOOTTIME)) / 1000
  }

  /// An identifier of this boot; another one means that `elapsedMilliseconds` began anew.
  /// Empty where the kernel does not tell.
  public static let bootID: String = readBootID()

  /// Whether the kernel says that the wall clock has been synchronised (adjtimex).
  public static var isSynchronised: Bool { carillon_clock_is_synchronised() != 0 }

  static func microseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }

  private static func readBootID() -> String {
    let fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard fd >= 0 else { return "" }
    defer { close(fd) }
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = read(fd, &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(count, 0)).prefix { $0 > 0x20 }, as: UTF8.self)
  }
}
