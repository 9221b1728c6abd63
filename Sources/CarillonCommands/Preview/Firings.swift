import CarillonModel
import CarillonTime

/// The firings of a trigger accepted at `start`, those after it, in order.
struct Firings: Sequence, IteratorProtocol {
  private var upcoming: Int64?
  /// Milliseconds between two; nil where there is only one.
  private let interval: Int64?
  private var remaining: Int64
  private let last: Int64

  init(of trigger: Trigger, after start: WallTime, in zone: Zone) {
    let start = start.milliseconds
    remaining = trigger.count ?? .max
    last = trigger.until.map { zone.instant(of: $0).milliseconds } ?? .max
    switch trigger.kind {
    case .now:
      (upcoming, interval) = (start, nil)
    case .after(let delay):
      (upcoming, interval) = (start.addingSaturated(delay.milliseconds), nil)
    case .at(let written):
      let time = zone.instant(of: written).milliseconds
      (upcoming, interval) = (time > start ? time : nil, nil)
    case .every(let step, let from):
      let step = step.milliseconds
      let first = from.map { zone.instant(of: $0).milliseconds } ?? start.addingSaturated(step)
      (upcoming, interval) = (Firings.first(from: first, every: step, after: start), step)
    }
  }

  /// The first of `from`, `from` + `step`, … that is later than `start`.
  private static func first(from: Int64, every step: Int64, after start: Int64) -> Int64 {
    guard from <= start else { return from }
    let steps = start.subtractingSaturated(from) / step + 1
    return from.addingSaturated(steps.multipliedSaturated(by: step))
  }

  mutating func next() -> WallTime? {
    guard let time = upcoming, remaining > 0, time <= last, time <= WallTime.writable.upperBound.milliseconds
    else {
      return nil
    }
    remaining -= 1
    upcoming = interval.map { time.addingSaturated($0) }
    return WallTime(milliseconds: time)
  }
}
