/// How long to wait before the next attempt: 1, 2, 4 … 60 s, each shortened at random by up to a fifth so that many
/// clients of one broker do not come back together.
struct Backoff {
  /// The longest wait. A broker that is back is found again within it.
  static let cap: Duration = .seconds(60)
  /// A connection that lasted as long has shown that all is well; a shorter one counts as one more failure, or two
  /// programs with one client id would throw each other out several times a second.
  static let proof: Duration = .seconds(60)

  private var failures = 0

  /// - Parameter chance: from 0 to 1.
  mutating func attemptFailed(chance: Double) -> Duration {
    let nominal = min(.seconds(1 << min(failures, 6)), Backoff.cap)
    failures += 1
    return nominal * (1 - 0.2 * chance)
  }

  /// After a long-lived connection the first attempt is made at once, but for a moment by which many clients differ.
  mutating func connectionLost(after lasted: Duration, chance: Double) -> Duration {
    guard lasted >= Backoff.proof else { return attemptFailed(chance: chance) }
    failures = 0
    return .milliseconds(100) + .milliseconds(400) * chance
  }
}
