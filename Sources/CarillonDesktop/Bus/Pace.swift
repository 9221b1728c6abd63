/// How long to wait before the next attempt at something on this machine: 2, 4, 8, 16, 30 s.
struct Pace {
  /// The first wait.
  var first: Duration = .seconds(2)
  /// The longest. A bus that is back is found again within it.
  var cap: Duration = .seconds(30)

  private var failures = 0

  init(first: Duration = .seconds(2)) { self.first = first }

  /// After one more failure.
  mutating func next() -> Duration {
    defer { failures += 1 }
    return min(first * (1 << min(failures, 8)), cap)
  }

  /// All is well.
  mutating func reset() { failures = 0 }
}
