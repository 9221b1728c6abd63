import CarillonLoop
import CarillonModel
import CarillonStore

// Due times on the wall clock are found anew when tzdata or the clock has changed, in slices so short that nothing that is
// due meanwhile has to wait for them.
extension RelayService {
  /// How long a slice may take, in microseconds: the most that a command waits for it.
  private static let sliceTime: Int64 = 3000
  private static let sliceLimits = 16...1000
  /// The rest after a slice. Who computes without rest waits longest for a processor that others want too, and with it
  /// what is due.
  private static let rest: Duration = .milliseconds(1)
  /// So long before something goes out no slice begins, in milliseconds.
  private static let distance: Int64 = 8
  /// But however much goes out, one begins so often, in microseconds.
  private static let longestPause: Int64 = 250_000
  /// Rows that are settled at a time so that the next due time is right.
  private static let heads = 100
  /// How often tzdata is looked at.
  static let lookPeriod: Duration = .seconds(5)
  /// But a look is put off no more often than this, a millisecond at a time.
  private static let mostDelays = 250

  /// Begins to find due times anew where tzdata or the clock is not as it was, at the start or since.
  func noticeChanges() {
    guard clock.isSet, held == nil else { return }
    var draft = relay
    do throws(StoreError) {
      let wasSetBack = clock.wasSetBack
      let isNeeded = try transaction { () throws(StoreError) in
        try draft.beginRecalculation(clockWasSetBack: wasSetBack, at: now())
      }
      relay = draft
      if wasSetBack { tellRecalculation("the clock has been set back") }
      clock.noticeStep()
      if isNeeded { timers.recalculate.arm(after: .zero) }
    } catch {
      storeFailed(error, "due times wait")
      timers.recalculate.arm(after: .milliseconds(500))
    }
  }

  private func tellRecalculation(_ reason: String) {
    log.info("\(reason); due times are found anew")
    recalculating.isTold = true
  }

  /// Looks now and then whether tzdata has been replaced: where something is about to go out, after that, but soon.
  func lookAtZones() {
    guard !isStopping, held == nil else { return timers.zones.arm(after: .milliseconds(100)) }
    if isBusySoon(within: RelayService.distance, at: now()), recalculating.delays < RelayService.mostDelays {
      recalculating.delays += 1
      return timers.zones.arm(after: .milliseconds(1))
    }
    recalculating.delays = 0
    timers.zones.arm(after: RelayService.lookPeriod)
    guard relay.zones.refresh() else { return }
    writtenAhead = WrittenAhead()
    tellRecalculation("tzdata is now \(relay.zones.version)")
    relay.zonesHaveChanged(at: now())
    noticeChanges()
  }

  /// One slice, then the next as soon as the loop has seen to everything else.
  func recalculateTimerFired() {
    guard !isStopping, held == nil, clock.isSet else {
      return timers.recalculate.arm(after: .milliseconds(100))
    }
    guard relay.recalculation != nil else { return noticeChanges() }
    let moment = now()
    let start = SystemClock.elapsedMicroseconds
    let isOverdue = start - recalculating.last >= RelayService.longestPause
    guard isOverdue || !isBusySoon(within: RelayService.distance, at: moment) else {
      return timers.recalculate.arm(after: .milliseconds(1))
    }
    recalculate(at: moment)
    recalculating.last = SystemClock.elapsedMicroseconds
    recalculating.adapt(
      took: recalculating.last - start, aim: RelayService.sliceTime, in: RelayService.sliceLimits)
  }

  private func recalculate(at moment: Moment) {
    var draft = relay
    do throws(StoreError) {
      let limit = recalculating.limit
      let actions = try transaction(isDurable: false) { () throws(StoreError) in
        try draft.recalculate(limit: limit, at: moment)
      }
      relay = draft
      isNextDueKnown = false
      retained.isStateDirty = true
      perform(actions, at: moment)
      if relay.recalculation == nil {
        if recalculating.isTold { log.info("all due times are as the clock and tzdata have them now") }
        recalculating.isTold = false
      } else {
        timers.recalculate.arm(after: RelayService.rest)
      }
      finish()
    } catch {
      storeFailed(error, "due times wait")
      timers.recalculate.arm(after: .milliseconds(500))
    }
  }

  /// Settles what falls due next, for `relay/state`.
  func settleHead(at moment: Moment) {
    do throws(StoreError) {
      guard try relay.isHeadUnsettled(at: moment) else { return }
      let actions = try transaction(isDurable: false) { () throws(StoreError) in
        try relay.settleHead(limit: RelayService.heads, at: moment)
      }
      isNextDueKnown = false
      readNextDue()
      perform(actions, at: moment)
    } catch {
      storeFailed(error, "due times wait")
    }
  }

  /// Whether something goes out within so many milliseconds, or could have by now.
  func isBusySoon(within milliseconds: Int64, at moment: Moment) -> Bool {
    for axis in [TimeAxis.wall, .elapsed] {
      if let time = outbox.nextRelease(on: axis), time <= moment.on(axis).addingSaturated(milliseconds) {
        return true
      }
    }
    return false
  }
}

/// What the service remembers of finding due times anew.
struct RecalculatingState {
  /// Requests in a slice.
  var limit = 64
  /// When the last slice ended, on the boot clock in microseconds.
  var last: Int64 = 0
  /// Whether the log says that it has begun.
  var isTold = false
  /// How often the look at tzdata that is due was put off.
  var delays = 0

  /// Makes slices as large as takes the time aimed at.
  mutating func adapt(took: Int64, aim: Int64, in limits: ClosedRange<Int>) {
    if took > aim { limit = max(limits.lowerBound, limit / 2) }
    if took < aim * 2 / 3 { limit = min(limits.upperBound, limit + limit / 4) }
  }
}
