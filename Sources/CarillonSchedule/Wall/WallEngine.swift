import CarillonModel
import CarillonTime

/// The one engine under every rule of wall times: it turns a set of readings into instants of a zone, with one treatment of
/// daylight saving for all kinds of rules (protocol §3).
///
/// Steps are taken from the rule's own readings, never from an adjusted instant, so a firing that a gap has moved moves
/// nothing after it. Every search is bounded.
public struct WallEngine<Readings: WallReadings>: Sendable {
  public let readings: Readings
  public let mode: WallMode

  public init(_ readings: Readings, _ mode: WallMode) {
    self.readings = readings
    self.mode = mode
  }

  /// The first firing after an instant, always later than it, on a whole second; `nil` where none is left in the years
  /// that can be written.
  public func next(after time: WallTime, in zone: Zone) -> WallTime? {
    let start = max(time.seconds, earliestSecond - 1)
    let found = mode == .fixed ? fixed(after: start, in: zone) : throughout(after: start, in: zone)
    guard let found, found > start, found <= latestSecond else { return nil }
    return WallTime(seconds: found)
  }

  /// A reading that clocks have shown, or have jumped over, has had its firing. Those that they have not reached fire in
  /// their own order, however the clocks are set meanwhile.
  private func fixed(after start: Int64, in zone: Zone) -> Int64? {
    guard let reading = first(from: zone.unreached(at: start)) else { return nil }
    return zone.instant(of: CivilTime(utc: WallTime(seconds: reading))).seconds
  }

  /// Stretch by stretch, since each shows the readings of its own. Stretches that can show none of the set are passed over.
  private func throughout(after start: Int64, in zone: Zone) -> Int64? {
    var instant = start + 1
    var limit = latestSecond
    while instant <= limit {
      let stretch = zone.stretch(at: instant)
      let offset = Int64(stretch.offset.seconds)
      let found = first(from: instant + offset)
      if let found { limit = min(limit, found + longestSearch) }
      guard let end = stretch.end else { return found.map { $0 - offset } }
      if let found, found - offset < end { return found - offset }
      // From this instant on, no clock shows a reading before the one that it shows now.
      let settled = instant + offset - Zone.offsetRange.lowerBound
      guard end > settled else {
        instant = end
        continue
      }
      guard let found else { return nil }
      instant = max(end, found - Zone.offsetRange.upperBound)
    }
    return nil
  }

  /// Nothing beyond what clocks can show at an instant that can be written.
  private func first(from reading: Int64) -> Int64? {
    readings.first(from: reading).flatMap {
      $0 <= latestSecond + Zone.offsetRange.upperBound ? $0 : nil
    }
  }
}

/// How a rule treats readings that a zone's clocks skip or show twice (protocol §3).
public enum WallMode: Hashable, Sendable {
  /// Fixed times of day. Each reading is exactly one firing: at the first instant after the gap where clocks skip it, the
  /// first time where they show it twice. Readings that come to one instant are one firing.
  case fixed
  /// It runs through the day. Every instant whose reading matches is a firing: both passes of a repeated hour, nothing
  /// in a skipped one.
  case throughout
}

/// The first and the last second that can be written.
let earliestSecond = WallTime.writable.lowerBound.seconds
let latestSecond = WallTime.writable.upperBound.seconds

/// The calendar and the rules of zones repeat after 400 years, and tables of zones end less than 400 years from now: where
/// clocks have skipped all readings of a set for 800 years, they skip the rest (800 times 365.2425 days of 86,400 seconds).
private let longestSearch: Int64 = 2 * 146_097 * 86_400

extension Zone {
  /// The least reading that clocks have neither shown nor jumped over by an instant in seconds of POSIX time: all before it
  /// are past.
  ///
  /// Clocks that are set back show readings again, so the greatest one may lie in an earlier stretch, but never further
  /// back than two offsets can differ.
  func unreached(at second: Int64) -> Int64 {
    var stretch = self.stretch(at: second - (Zone.offsetRange.upperBound - Zone.offsetRange.lowerBound))
    var least = Int64.min
    while let end = stretch.end, end <= second {
      least = max(least, end + Int64(stretch.offset.seconds))
      stretch = self.stretch(at: end)
    }
    return max(least, second + Int64(stretch.offset.seconds) + 1)
  }
}
