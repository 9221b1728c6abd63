import CarillonModel
import CarillonTime

extension WallEngine {
  /// How many firings there are after one instant and not after another. It costs as much as the zone has transitions in
  /// between, however many firings there are; over a time in which it has many, and the set few readings, it costs a walk
  /// over those.
  public func count(after start: WallTime, through end: WallTime, in zone: Zone) -> Int64 {
    let first = max(start.seconds, earliestSecond - 1)
    let last = min(end.seconds, latestSecond)
    guard first < last else { return 0 }
    return mode == .fixed
      ? countFixed(after: first, through: last, in: zone)
      : countThroughout(after: first, through: last, in: zone)
  }

  /// The readings that clocks reach in that time, less those that come to an instant of another one: in each gap, and at
  /// its end.
  private func countFixed(after first: Int64, through last: Int64, in zone: Zone) -> Int64 {
    var reached = zone.unreached(at: first)
    let all = readings.count(in: reached..<max(reached, zone.unreached(at: last)))
    if isSparse(all, over: last - first) { return walk(after: first, through: last, in: zone) }
    var merged: Int64 = 0
    var stretch = zone.stretch(at: first)
    while let end = stretch.end, end <= last {
      reached = max(reached, end + Int64(stretch.offset.seconds))
      stretch = zone.stretch(at: end)
      let shown = end + Int64(stretch.offset.seconds)
      if shown > reached {
        merged += max(0, readings.count(in: reached..<shown + 1) - 1)
        reached = shown + 1
      }
    }
    return all - merged
  }

  /// The readings from the first to the last, less those that are skipped in between, and those that are shown twice once
  /// more.
  private func countThroughout(after first: Int64, through last: Int64, in zone: Zone) -> Int64 {
    var stretch = zone.stretch(at: first + 1)
    var count = signedCount(
      from: first + 1 + Int64(stretch.offset.seconds),
      to: last + 1 + Int64(zone.stretch(at: last).offset.seconds))
    if isSparse(count, over: last - first) { return walk(after: first, through: last, in: zone) }
    while let end = stretch.end, end <= last {
      let before = end + Int64(stretch.offset.seconds)
      stretch = zone.stretch(at: end)
      count -= signedCount(from: before, to: end + Int64(stretch.offset.seconds))
    }
    return count
  }

  /// Whether it costs less to walk over so many readings than over the transitions of a zone, which are two a year.
  private func isSparse(_ count: Int64, over seconds: Int64) -> Bool {
    let years = seconds / 86_400 / 365
    return years > 32 && count <= years / 16
  }

  private func walk(after first: Int64, through last: Int64, in zone: Zone) -> Int64 {
    var count: Int64 = 0
    var time = WallTime(seconds: first)
    while let next = next(after: time, in: zone), next.seconds <= last {
      count += 1
      time = next
    }
    return count
  }

  /// Negative where the end comes first.
  private func signedCount(from start: Int64, to end: Int64) -> Int64 {
    if start == end { return 0 }
    return start < end ? readings.count(in: start..<end) : -readings.count(in: end..<start)
  }
}
