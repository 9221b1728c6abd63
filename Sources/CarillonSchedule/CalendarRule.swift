import CarillonModel
import CarillonTime

/// `calendar`: whenever the wall clock matches every given component (protocol §3).
///
/// Units larger than the largest given are free, smaller ones that are not given are at their minimum: `{minute: 30}` is
/// every hour at :30:00, `{month: 2}` is 1 February at 00:00:00. Weekday and nth are of the size of a day.
public struct CalendarRule: WallRule, Hashable {
  let days: CivilDays
  let times: TimesOfDay
  let mode: WallMode

  public init(_ components: CalendarComponents) {
    let given = Unit.allCases.filter { $0.isGiven(in: components) }
    let largest = given.first ?? .second
    /// A unit's numbers: those given, else all where it is larger than what is given, else its least.
    func numbers(_ numbers: [Int]?, _ unit: Unit, _ all: ClosedRange<Int>) -> UnitSet {
      if let numbers { return UnitSet(numbers) }
      return unit < largest ? UnitSet(all) : UnitSet(CollectionOfOne(all.lowerBound))
    }
    var days = CivilDays()
    days.years = components.years
    days.months = numbers(components.months, .month, 1...12)
    if let weekdays = components.weekdays {
      days.weekdays = UnitSet(weekdays.map(\.rawValue))
      days.nths = UnitSet((components.nths ?? []).filter { $0 > 0 })
      days.nthsFromEnd = UnitSet((components.nths ?? []).filter { $0 < 0 }.map { -$0 })
      if let numbers = components.days { days.days = UnitSet(numbers) }
    } else {
      days.days = numbers(components.days, .day, 1...31)
    }
    self.days = days
    times = .matching(
      hours: numbers(components.hours, .hour, 0...23),
      minutes: numbers(components.minutes, .minute, 0...59),
      seconds: numbers(components.seconds, .second, 0...59))
    mode = largest >= .minute ? .throughout : .fixed
  }

  private var engine: WallEngine<DayTimes<CivilDays>> { WallEngine(DayTimes(days: days, times: times), mode) }

  public var whyNever: String? { days.whyNever }

  public func next(after time: WallTime, in zone: Zone) -> WallTime? { engine.next(after: time, in: zone) }

  public func count(after start: WallTime, through end: WallTime, in zone: Zone) -> Int64 {
    engine.count(after: start, through: end, in: zone)
  }

  /// The units of a calendar, from the largest.
  private enum Unit: Int, CaseIterable, Comparable {
    case year, month, day, hour, minute, second

    func isGiven(in components: CalendarComponents) -> Bool {
      switch self {
      case .year: components.years != nil
      case .month: components.months != nil
      case .day: components.days != nil || components.weekdays != nil
      case .hour: components.hours != nil
      case .minute: components.minutes != nil
      case .second: components.seconds != nil
      }
    }

    static func < (left: Unit, right: Unit) -> Bool { left.rawValue < right.rawValue }
  }
}
