import CarillonModel
import CarillonTestSupport

@testable import CarillonTime

// What this code says of a zone, compared with what the others say.
extension ReferenceZone {
  /// 1800-01-01T00:00:00Z.
  static let year1800: Int64 = -5_364_662_400
  /// 2101-01-01T00:00:00Z.
  static let end: Int64 = 4_133_980_800

  /// Where a zone shows something else: a line for each instant, with both; at most `limit`.
  ///
  /// Each stretch is looked at in its first two seconds, its last second and its last millisecond, and at random instants
  /// between, one a year; then the zone is walked from one of its own transitions to the next, where offsets must change at
  /// the starts of the stretches and nowhere else.
  func differences(from zone: Zone, limit: Int = 3) -> [String] {
    var found: [String] = []
    func compare(at milliseconds: Int64, _ expected: Offset) {
      let time = WallTime(milliseconds: milliseconds)
      let offset = zone.offset(at: time)
      guard Offset(offset) != expected, found.count < limit else { return }
      found.append("\(name) at \(text(time.seconds)): \(text(Offset(offset))), not \(text(expected))")
    }
    compare(at: ReferenceZone.year1800 * 1000, longAgo)
    // Others in each zone, and the same in each run.
    var random = SplitMix(seed: name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
    for (place, stretch) in stretches.enumerated() where found.count < limit {
      let next = place + 1 < stretches.count ? stretches[place + 1].start : ReferenceZone.end
      let (start, end) = (stretch.start * 1000, next * 1000)
      for time in [start, start + 1000, end - 1000, end - 1] { compare(at: time, stretch.offset) }
      for _ in 0...(next - stretch.start) / ReferenceZone.year {
        compare(at: Int64.random(in: start..<end, using: &random), stretch.offset)
      }
    }
    return found.isEmpty ? walked(zone).map { [$0] } ?? [] : found
  }

  private static let year: Int64 = 365 * 86_400

  /// The first place at which the walk through a zone's transitions leaves the reference.
  private func walked(_ zone: Zone) -> String? {
    var changes = stretches.dropFirst()[...]
    var (time, current) = (Int64(0), zone.stretch(at: 0))
    while let end = current.end, end < ReferenceZone.end {
      guard end > time else { return "\(name): the transition after \(text(time)) is at \(text(end))" }
      let next = zone.stretch(at: end)
      if next.offset != current.offset {
        guard changes.popFirst()?.start == end else {
          return "\(name): a change at \(text(end)) is one too many"
        }
      }
      (time, current) = (end, next)
    }
    return changes.first.map { "\(name): the change at \(text($0.start)) is no transition" }
  }

  private func text(_ second: Int64) -> String {
    "\(timestamp(utc: WallTime(seconds: second), milliseconds: false)) (\(second))"
  }

  private func text(_ offset: Offset) -> String {
    "\(offset.seconds) s \(offset.abbreviation)\(offset.isDaylight ? " daylight" : "")"
  }
}

extension ReferenceZone.Offset {
  init(_ offset: Zone.Offset) {
    self.init(seconds: offset.seconds, abbreviation: offset.abbreviation, isDaylight: offset.isDaylight)
  }
}
