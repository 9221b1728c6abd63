import CarillonModel
import CarillonSchedule
import CarillonStore
import CarillonTime

/// When a request fires: the schedule of its trigger, as the relay keeps it in the store.
struct Occurrences {
  /// Where a request begins.
  struct Start: Hashable {
    var axis: TimeAxis
    /// `nil` where only an event makes it due.
    var due: Int64?
    var anchor: Int64?
    var reached: Reached?
  }

  /// One firing that is due or missed.
  struct Due: Hashable {
    var stamp: Int64
    var late: Bool
    /// Missed occurrences that it stands for besides itself.
    var missed: Int64
  }

  /// What a request that is due does.
  struct Step: Hashable {
    var firings: [Due]
    /// The next occurrence; `nil` where there is none, or only an event brings one.
    var next: Int64?
    /// Occurrences that have come by then.
    var occurrences: Int64
    /// How far a rule of the wall clock has come by then.
    var reached: Reached?
    /// Whether nothing is to come any more.
    var isOver: Bool
  }

  let rule: Rule
  let zone: Zone
  var location: SunLocation?

  /// How long after its time a one-shot without `expires` is still taken: a command may be under way for a while.
  static let admission: Duration = missedAfter

  private func schedule(_ moment: Moment, accepted: WallTime, anchor: Int64? = nil) throws(Refusal)
    -> TriggerSchedule
  {
    try TriggerSchedule(
      rule.trigger,
      TriggerSchedule.Context(zone: zone, location: location, moment: moment, accepted: accepted),
      anchor: anchor)
  }

  private func schedule(of request: StoredRequest, _ moment: Moment) throws(Refusal) -> TriggerSchedule {
    try schedule(moment, accepted: request.accepted, anchor: request.anchor)
  }

  private func reached(_ time: WallTime) -> Reached { Reached(time, in: zone) }

  // MARK: Acceptance

  /// Where an accepted request begins; `nil` for one without a trigger, which fires at once.
  ///
  /// - Throws: `invalid` for a rule that cannot be read, `never` for one that cannot fire, `past` where nothing is left to
  ///   come.
  func start(at moment: Moment) throws(Refusal) -> Start? {
    let place = "trigger.\(rule.trigger.kind.name)"
    guard rule.trigger.kind != .now else { return nil }
    let schedule = try schedule(moment, accepted: moment.wall)
    if schedule.isOver(by: moment.wall) {
      throw Refusal(.past, at: place, "nothing is left of this rule: its UNTIL has passed")
    }
    if let reason = schedule.whyNever { throw Refusal(.never, at: place, reason) }
    if case .when(let condition) = rule.trigger.kind { return try start(of: condition, at: moment) }
    guard let first = schedule.first(from: moment.on(schedule.axis)) else {
      let field = rule.trigger.until == nil ? place : "trigger.until"
      throw Refusal(.past, at: field, "nothing is left of this trigger: it has ended already")
    }
    if case .at = rule.trigger.kind { try checkAdmission(first.due, at: moment) }
    return Start(
      axis: schedule.axis, due: first.due, anchor: schedule.anchor,
      reached: schedule.wallRule.map { _ in reached(moment.wall) })
  }

  private func checkAdmission(_ due: Int64, at moment: Moment) throws(Refusal) {
    let life = rule.expires ?? Occurrences.admission
    guard OneShot(due: due).admission(at: moment.wall.milliseconds, life: life) == .past else { return }
    throw Refusal(.past, at: "trigger.at", "\(zone.timestamp(WallTime(milliseconds: due))) has passed")
  }

  /// A silence begins at once; everything else waits for its event.
  private func start(of condition: Condition, at moment: Moment) throws(Refusal) -> Start {
    let lead = (condition.silence ?? condition.hold ?? .zero) + (condition.delay ?? .zero)
    let earliest = moment.elapsed.addingSaturated(lead.milliseconds)
    if let until = rule.trigger.until, zone.instant(of: until) < moment.wall(at: earliest) {
      throw Refusal(.past, at: "trigger.until", "nothing is left of this trigger: it ends before it can fire")
    }
    return Start(axis: .event, due: condition.isSilence ? earliest : nil)
  }

  // MARK: Firing

  /// What a pending request does that has become due.
  ///
  /// - Parameters:
  ///   - grace: how late an occurrence of a recurring request may be without having been missed.
  ///   - isLate: whether the event that made it due was seen late.
  func step(
    _ request: StoredRequest, at moment: Moment, grace: Duration = missedAfter, isLate: Bool = false
  ) throws(Refusal) -> Step {
    guard let due = request.due else {
      return Step(firings: [], next: nil, occurrences: request.occurrences, isOver: true)
    }
    let schedule = try schedule(of: request, moment)
    let now = moment.on(request.axis)
    let current = Occurrence(due: due, number: request.occurrences + 1)
    if schedule.isEvent { return step(current, isLate: isLate, at: moment, grace) }
    guard schedule.repeats else {
      let firing = Due(stamp: due, late: wasPast(request, due) || isMissed(due: due, at: now), missed: 0)
      return Step(firings: [firing], next: nil, occurrences: current.number, isOver: true)
    }
    guard isMissed(due: due, at: now, grace: grace) else {
      let next = schedule.next(after: current)?.due
      return Step(
        firings: [Due(stamp: due, late: false, missed: 0)], next: next, occurrences: current.number,
        reached: request.reached.map { _ in reached(WallTime(milliseconds: due)) }, isOver: next == nil)
    }
    let backlog = schedule.backlog(from: current, at: now, policy: rule.catchUp, grace: grace)
    let firings = backlog.firings.map { occurrence in
      Due(
        stamp: occurrence.due, late: true,
        missed: rule.catchUp == .latest ? backlog.missed - 1 : 0)
    }
    return Step(
      firings: firings, next: backlog.next?.due, occurrences: request.occurrences + backlog.missed,
      reached: request.reached.map { _ in reached(moment.wall - grace - .milliseconds(1)) },
      isOver: backlog.next == nil)
  }

  /// What an event has made due: only another event brings the next.
  private func step(_ current: Occurrence, isLate: Bool, at moment: Moment, _ grace: Duration) -> Step {
    let trigger = rule.trigger
    let until = trigger.until.map { zone.instant(of: $0) }
    let isMissed = isMissed(due: current.due, at: moment.elapsed, grace: grace)
    let isLeftOut =
      isMissed && trigger.repeats && rule.catchUp == .none
      || until.map { $0 < moment.wall(at: current.due) } ?? false
    let hasEnded =
      trigger.count.map { current.number >= $0 } ?? false || until.map { $0 < moment.wall } ?? false
    return Step(
      firings: isLeftOut ? [] : [Due(stamp: current.due, late: isLate || isMissed, missed: 0)], next: nil,
      occurrences: current.number, isOver: !trigger.repeats || hasEnded)
  }

  /// Whether the time of a one-shot had passed when the command came: then it is late, by however little.
  private func wasPast(_ request: StoredRequest, _ due: Int64) -> Bool {
    if case .at = rule.trigger.kind { due < request.accepted.milliseconds } else { false }
  }

  /// The first firings to come, at most `count`.
  func upcoming(_ request: StoredRequest, count: Int, at moment: Moment) -> [Int64] {
    guard let due = request.due else { return [] }
    var found = [due]
    guard let schedule = try? schedule(of: request, moment), schedule.repeats else { return found }
    var occurrence = Occurrence(due: due, number: request.occurrences + 1)
    while found.count < count, let next = schedule.next(after: occurrence) {
      found.append(next.due)
      occurrence = next
    }
    return found
  }

  // MARK: Another clock, another calendar

  /// A request with its due time found anew, after tzdata or the wall clock has changed. Where neither concerns it, it comes
  /// out as it was.
  ///
  /// - Parameter isFired: whether an occurrence is recorded as fired; it does not come again.
  func recalculated(
    _ request: StoredRequest, at moment: Moment, isFired: (Int64) throws(StoreError) -> Bool
  ) throws(StoreError) -> Result<StoredRequest, Refusal> {
    let schedule: TriggerSchedule
    do throws(Refusal) { schedule = try self.schedule(of: request, moment) } catch { return .failure(error) }
    var request = request
    guard let rule = schedule.wallRule, let reached = request.reached else {
      if case .at = self.rule.trigger.kind {
        request.due = schedule.first(from: moment.on(schedule.axis))?.due
      }
      return .success(request)
    }
    let base = base(of: rule, reached, at: moment)
    var next = schedule.next(after: Occurrence(due: base.milliseconds, number: request.occurrences))
    var looks = 0
    while let found = next, looks < Occurrences.looks, try isFired(found.due) {
      next = schedule.next(after: Occurrence(due: found.due, number: request.occurrences))
      looks += 1
    }
    request.due = next?.due
    // Otherwise it stays what it was by the clocks of then, from which the next tzdata too finds the same due time however
    // often it is asked.
    if Occurrences.isBeyond(reached, moment) { request.reached = self.reached(base) }
    return .success(request)
  }

  /// So many recorded occurrences are passed over at once; the others when they come due.
  private static let looks = 1000

  /// Whether a rule has come further than the clock, which must have been set back since.
  static func isBeyond(_ reached: Reached?, _ moment: Moment) -> Bool {
    reached.map { $0.time > moment.wall + slack } ?? false
  }

  /// Steps back shorter than this are the preparation of firings, and the slewing of clocks.
  static let slack: Duration = .seconds(2)

  /// After which instant the next occurrence is looked for.
  private func base(of rule: TriggerRule, _ reached: Reached, at moment: Moment) -> WallTime {
    // The clock has been set back: what is between the two times may come once more.
    guard !Occurrences.isBeyond(reached, moment) else { return moment.wall }
    // What had fired by a reading of the clocks has fired, wherever a new calendar puts that reading.
    guard rule.hasFixedTimes, zone.reading(at: reached.time).utc.milliseconds != reached.reading else {
      return reached.time
    }
    return zone.instant(of: CivilTime(utc: WallTime(milliseconds: reached.reading)))
  }
}

extension Reached {
  /// How far a rule has come once all that is not after an instant is dealt with.
  init(_ time: WallTime, in zone: Zone) {
    self.init(time: time, reading: zone.reading(at: time).utc.milliseconds)
  }
}
