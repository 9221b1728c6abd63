/// How late deliveries went out, counted in buckets: whole numbers alone, since it is counted between a due time and the
/// wire.
struct Lateness: Hashable, Sendable {
  /// The upper ends of the buckets, in milliseconds; beyond the last is one more.
  static let ends: [Int64] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000]

  private(set) var counts = [Int64](repeating: 0, count: Lateness.ends.count + 1)
  /// Milliseconds.
  private(set) var sum: Int64 = 0

  mutating func count(_ milliseconds: Int64) {
    let late = max(0, milliseconds)
    var place = 0
    while place < Lateness.ends.count, late > Lateness.ends[place] { place += 1 }
    counts[place] += 1
    sum = sum.addingSaturated(late)
  }
}
