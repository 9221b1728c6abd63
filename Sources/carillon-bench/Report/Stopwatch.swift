import Glibc

/// Time on CLOCK_MONOTONIC, which nobody sets.
struct Stopwatch {
  private let start = Stopwatch.nanoseconds

  /// Since it was made.
  var seconds: Double { Double(Stopwatch.nanoseconds - start) / 1e9 }
  var microseconds: Double { Double(Stopwatch.nanoseconds - start) / 1e3 }

  /// How long a piece of work takes, for each of `count` calls of which it consists, in microseconds.
  static func microseconds(each count: Int, _ work: () throws -> Void) rethrows -> Double {
    let watch = Stopwatch()
    try work()
    return watch.microseconds / Double(count)
  }

  private static var nanoseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// Keeps a result from being optimised away together with the work that found it.
@inline(never)
func keep(_ value: Int64) { kept(value) }

@inline(never) @_optimize(none)
private func kept(_ value: Int64) {}
