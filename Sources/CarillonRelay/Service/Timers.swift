import CarillonLoop

/// The service's timers.
struct Timers {
  /// The next release or preparation on the wall clock.
  let wall: Timer
  /// The next release or preparation on the boot clock.
  let elapsed: Timer
  /// The next try to commit a held batch.
  let hold: Timer
  /// The next try to prepare what the store would not take.
  let again: Timer
  /// The next slice of due times that are found anew.
  let recalculate: Timer
  /// The next look whether tzdata has been replaced.
  let zones: Timer
  /// Marks that may be late by 50 ms.
  let marks: Timer
  /// The end of the wait for the broker's backlog.
  let settle: Timer
  /// The next update of what late subscribers find.
  let latest: EarliestTimer
  /// The next check of a large store.
  let check: Timer
  /// The end of a relay whose store is damaged.
  let damage: Timer
  /// The next end of a focus, on the wall clock.
  let focus: Timer
  /// Once a second: what late subscribers find, the state, history.
  let tick: Timer

  init(_ service: RelayService) throws(LoopError) {
    let loop = service.loop
    wall = try loop.timer(.wall) { [unowned service] in service.wake() }
    elapsed = try loop.timer(.elapsed) { [unowned service] in service.wake() }
    hold = try loop.timer(.elapsed) { [unowned service] in service.retryHeld() }
    again = try loop.timer(.elapsed) { [unowned service] in service.wake() }
    recalculate = try loop.timer(.elapsed) { [unowned service] in service.recalculateTimerFired() }
    zones = try loop.timer(.elapsed) { [unowned service] in service.lookAtZones() }
    marks = try loop.timer(.elapsed) { [unowned service] in service.markTimerFired() }
    settle = try loop.timer(.elapsed) { [unowned service] in service.settle("the time for it is over") }
    latest = EarliestTimer(try loop.timer(.elapsed) { [unowned service] in service.latestTimerFired() })
    check = try loop.timer(.elapsed) { [unowned service] in service.beginCheck() }
    damage = try loop.timer(.elapsed) { [unowned service] in service.stop() }
    focus = try loop.timer(.wall) { [unowned service] in service.focusTimerFired() }
    tick = try loop.timer(.elapsed) { [unowned service] in service.tick() }
  }
}
