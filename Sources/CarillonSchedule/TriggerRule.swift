import CarillonModel
import CarillonTime

/// The rule of a trigger that lives on the wall clock, of whichever kind.
public enum TriggerRule: WallRule, Hashable {
  case calendar(CalendarRule)
  case cron(CronRule)
  case recurrence(RecurrenceRule)
  case sun(SunRule)

  public var whyNever: String? { rule.whyNever }

  public func next(after time: WallTime, in zone: Zone) -> WallTime? { rule.next(after: time, in: zone) }

  public func count(after start: WallTime, through end: WallTime, in zone: Zone) -> Int64 {
    rule.count(after: start, through: end, in: zone)
  }

  /// Whether its readings are fixed times of day, each of which is one firing; else it runs through the day, or follows the
  /// sun, and its firings are instants.
  public var hasFixedTimes: Bool {
    switch self {
    case .calendar(let rule): rule.mode == .fixed
    case .cron(let rule): rule.mode == .fixed
    case .recurrence(let rule): rule.engine.mode == .fixed
    case .sun: false
    }
  }

  private var rule: any WallRule {
    switch self {
    case .calendar(let rule): rule
    case .cron(let rule): rule
    case .recurrence(let rule): rule
    case .sun(let rule): rule
    }
  }
}
