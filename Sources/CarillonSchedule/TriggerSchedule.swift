import CarillonModel
import CarillonTime

/// When a trigger fires: its rule, in the zone of its request, on the clock that it lives on. The relay and a preview both
/// ask it, so they cannot differ.
///
/// Times are milliseconds on `axis`.
public struct TriggerSchedule: Sendable {
  /// What it is made of besides the trigger.
  public struct Context: Sendable {
    public var zone: Zone
    /// Where the sun is watched from; `nil` where nobody has said.
    public var location: SunLocation?
    /// Both clocks now, which tell wall times on the axis of elapsed time.
    public var moment: Moment
    /// When the request was accepted: where a recurrence rule starts that names no start.
    public var accepted: WallTime

    public init(zone: Zone, location: SunLocation?, moment: Moment, accepted: WallTime) {
      self.zone = zone
      self.location = location
      self.moment = moment
      self.accepted = accepted
    }
  }

  private enum Rule: Sendable {
    case once(OneShot)
    case interval(IntervalRule)
    case wall(TriggerRule)
    /// Nothing but an event makes it due.
    case event
  }

  public let axis: TimeAxis
  /// Whether more than one occurrence is possible.
  public let repeats: Bool
  private let rule: Rule
  private let zone: Zone
  private let ending: Ending

  /// - Parameter anchor: the first time of an interval, where it is known already; default: as the trigger says.
  /// - Throws: `invalid`, at a place in `trigger`, for a rule that cannot be read, or that needs a location.
  public init(_ trigger: Trigger, _ context: Context, anchor: Int64? = nil) throws(Refusal) {
    let (zone, moment) = (context.zone, context.moment)
    func place(_ time: WrittenTime, _ axis: TimeAxis) -> Int64 {
      let instant = zone.instant(of: time)
      return axis == .wall ? instant.milliseconds : moment.elapsed(at: instant)
    }
    self.zone = zone
    axis = trigger.isElapsed ? .elapsed : .wall
    repeats = trigger.repeats
    ending = Ending(
      count: repeats ? trigger.count : 1, until: trigger.until.map { [axis] in place($0, axis) })
    switch trigger.kind {
    case .now: rule = .once(OneShot(due: moment.wall.milliseconds))
    case .after(let delay):
      rule = .once(OneShot(due: anchor ?? OneShot(after: delay, from: moment.elapsed).due))
    case .at(let time): rule = .once(OneShot(at: zone.instant(of: time)))
    case .every(let interval, let from):
      let first =
        anchor ?? from.map { place($0, .elapsed) } ?? moment.elapsed.addingSaturated(interval.milliseconds)
      rule = .interval(try IntervalRule(anchor: first, interval: interval))
    case .when: rule = .event
    default: rule = .wall(try TriggerRule(trigger, context))
    }
  }

  /// The zero point of an interval, which is to be kept; `nil` for every other trigger.
  public var anchor: Int64? {
    if case .interval(let rule) = rule { rule.anchor } else { nil }
  }

  /// Whether only an event makes it due.
  public var isEvent: Bool {
    if case .event = rule { true } else { false }
  }

  /// The rule, where it is one of the wall clock.
  public var wallRule: TriggerRule? {
    if case .wall(let rule) = rule { rule } else { nil }
  }

  /// Whether it says itself that it has ended by an instant.
  public func isOver(by time: WallTime) -> Bool {
    if case .recurrence(let rule)? = wallRule { rule.isOver(by: time, in: zone) } else { false }
  }

  /// Why it can never fire; `nil` where it can.
  public var whyNever: String? { wallRule?.whyNever }

  /// The first occurrence of what is accepted at a time; `nil` where nothing is left. For a time given once, that time,
  /// although it may have passed.
  public func first(from now: Int64) -> Occurrence? {
    switch rule {
    case .once(let shot): Occurrence(due: shot.due, number: 1)
    case .interval(let rule): rule.first(from: now, ending: ending)
    case .wall(let rule): rule.first(after: now, ending: ending, in: zone)
    case .event: nil
    }
  }

  /// The occurrence after another one, always later; `nil` where it was the last.
  public func next(after occurrence: Occurrence) -> Occurrence? {
    switch rule {
    case .once(let shot):
      shot.next(after: occurrence.due).map { Occurrence(due: $0, number: occurrence.number + 1) }
    case .interval(let rule): rule.next(after: occurrence, ending: ending)
    case .wall(let rule): rule.next(after: occurrence, ending: ending, in: zone)
    case .event: nil
    }
  }

  /// What was missed between the occurrence that was due first and `now`, and what comes then.
  ///
  /// - Parameter grace: how late an occurrence may be without having been missed.
  public func backlog(
    from due: Occurrence, at now: Int64, policy: CatchUp, grace: Duration = missedAfter
  ) -> Backlog {
    switch rule {
    case .interval(let rule):
      return rule.backlog(from: due, at: now, ending: ending, policy: policy, grace: grace)
    case .wall(let rule):
      return rule.backlog(from: due, at: now, ending: ending, policy: policy, grace: grace, in: zone)
    case .once, .event:
      return isMissed(due: due.due, at: now, grace: grace)
        ? Backlog(missed: 1, firings: [due], next: nil) : Backlog(missed: 0, firings: [], next: due)
    }
  }
}
