/// How a notification that nobody answers comes again (protocol §3).
public struct Nag: Hashable, Sendable {
  /// The time between two firings of a series.
  public var every: Duration
  /// Repetitions after the first firing.
  public var times: Int
  /// Who gets the same series one `every` after its last repetition; nobody without.
  public var then: Recipients?

  public init(every: Duration, times: Int, then: Recipients? = nil) {
    self.every = every
    self.times = times
    self.then = then
  }
}

extension Nag {
  /// The shortest time between two firings of a series.
  public static let shortestPause: Duration = .seconds(1)
  public static let timesLimit: Int64 = 1000

  /// Reads the `nag` field of a request.
  ///
  /// - Throws: `invalid` or `unknown-field`, with the place.
  public static func read(_ value: JSON, at path: String) throws(Refusal) -> Nag {
    let fields = try Fields(value, at: path)
    try fields.allow(only: ["every", "times", "then"])
    guard let every = try fields.duration("every") else {
      throw fields.refusal("every", "a nag needs every: the time between two firings, such as \"5m\"")
    }
    guard every >= shortestPause else { throw fields.refusal("every", "a nag comes at most once in 1s") }
    guard let times = try fields.integer("times", in: 1...timesLimit) else {
      throw fields.refusal("times", "a nag needs times: how often it comes after the first firing")
    }
    return Nag(
      every: every, times: Int(times),
      then: fields.has("then") ? try Recipients(reading: fields, "then") : nil)
  }
}
