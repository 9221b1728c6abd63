import Glibc

/// CLOCK_REALTIME, which due times are on.
enum WallClock {
  static var nanoseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  static var milliseconds: Int64 { nanoseconds / 1_000_000 }
}
