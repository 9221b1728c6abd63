import CarillonModel
import CarillonTime

/// A rule that lives on the wall clock: what the relay asks of a calendar, a cron expression and their kin.
///
/// Rules are values. They read no clock, and every answer is found within a bounded number of steps.
public protocol WallRule: Sendable {
  /// Why it can never fire, as a sentence for the publisher; `nil` where it can. It speaks of the calendar alone: a rule
  /// of years that have passed can fire, but has no next firing.
  var whyNever: String? { get }

  /// The first firing after an instant, always later than it; `nil` where none is left.
  func next(after time: WallTime, in zone: Zone) -> WallTime?

  /// How many firings there are after one instant and not after another, without walking over them.
  func count(after start: WallTime, through end: WallTime, in zone: Zone) -> Int64
}

extension WallRule {
  public var isSatisfiable: Bool { whyNever == nil }

  /// The first occurrence of a request that is accepted at `now`; `nil` where the rule has ended by then.
  public func first(after now: Int64, ending: Ending = .never, in zone: Zone) -> Occurrence? {
    next(after: Occurrence(due: now, number: 0), ending: ending, in: zone)
  }

  /// The occurrence after another one; `nil` where the rule has ended.
  public func next(after occurrence: Occurrence, ending: Ending = .never, in zone: Zone) -> Occurrence? {
    next(after: WallTime(milliseconds: occurrence.due), in: zone)
      .map { Occurrence(due: $0.milliseconds, number: occurrence.number.addingSaturated(1)) }
      .flatMap { ending.allows($0) ? $0 : nil }
  }

  /// The first occurrences after an instant, at most `count`, for replies and previews.
  public func upcoming(_ count: Int, after now: Int64, ending: Ending = .never, in zone: Zone) -> [Occurrence]
  {
    upcoming(count, after: Occurrence(due: now, number: 0), ending: ending, in: zone)
  }

  /// The occurrences that follow another one, at most `count`.
  public func upcoming(_ count: Int, after occurrence: Occurrence, ending: Ending = .never, in zone: Zone)
    -> [Occurrence]
  {
    var found: [Occurrence] = []
    var last = occurrence
    while found.count < count, let next = next(after: last, ending: ending, in: zone) {
      found.append(next)
      last = next
    }
    return found
  }
}
