import CarillonModel
import CarillonSchedule
import CarillonTestSupport
import CarillonTime
import Glibc
import Testing

/// What is found by arithmetic of rows that move slowly through the week, compared with stepping through them.
struct SteppedRowTests {
  /// `CARILLON_ROUNDS` multiplies them.
  private static let rounds = 40 * (getenv("CARILLON_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 1)

  @Test func `A row fires when stepping through it says, however slowly it moves through the week`() throws {
    var random = SplitMix(seed: 19)
    let zone = Zone.utc
    var (first, distant) = (WallTime(milliseconds: .min), 0)
    for _ in 0..<Self.rounds {
      let row = SteppedRow(&random)
      let (found, last) = row.firings(of: 200_000)
      let rule = try recurrence(row.text, from: row.start.description)
      first = WallTime(milliseconds: .min)
      if let time = found.first, time - row.start.utc.seconds > 100 * 365 * 86_400 { distant += 1 }
      for time in found.prefix(3) {
        let next = rule.next(after: first, in: zone)
        try #require(next == WallTime(seconds: time), "\(row.text) from \(row.start) after \(first)")
        first = WallTime(seconds: time)
      }
      if found.count < 3, let next = rule.next(after: first, in: zone) {
        try #require(next.seconds > last, "\(row.text) from \(row.start) at \(next)")
      }
      for _ in 0..<4 {
        let range = (0..<2).map { _ in Int64.random(in: row.start.utc.seconds...last, using: &random) }
        let (low, high) = (range.min() ?? 0, range.max() ?? 0)
        try #require(
          rule.count(after: WallTime(seconds: low), through: WallTime(seconds: high), in: zone)
            == found.count { $0 > low && $0 <= high }, "\(row.text) from \(row.start), \(low) to \(high)")
      }
      guard let place = found.indices.randomElement(using: &random) else { continue }
      let ended = try recurrence("\(row.text);COUNT=\(place + 1)", from: row.start.description)
      let time = WallTime(seconds: found[place])
      try #require(
        ended.next(after: WallTime(seconds: time.seconds - 1), in: zone) == time
          && ended.next(after: time, in: zone) == nil, "\(row.text);COUNT=\(place + 1) from \(row.start)")
    }
    #expect(distant > Self.rounds / 40)
  }
}
