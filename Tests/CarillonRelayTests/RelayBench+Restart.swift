import CarillonModel
import CarillonStore
import CarillonTime

@testable import CarillonRelay

extension RelayBench {
  /// The relay is killed and started again: what was in memory only is gone.
  ///
  /// - Parameters:
  ///   - milliseconds: how long it is off.
  ///   - defaultZone: the zone of what names none, from then on; default: the same.
  ///   - backlog: what comes from the broker before anything may fire.
  func restart(
    after milliseconds: Int64 = 0, defaultZone: Zone? = nil, backlog: () throws -> Void = {}
  ) throws {
    try begin(defaultZone: defaultZone) { pass(milliseconds) }
    try settle(backlog)
  }

  /// The machine is off for a while, and starts with whatever its wall clock then shows.
  func reboot(wall: Int64, isSynchronised: Bool) throws {
    try begin {
      boots += 1
      boot = 1000
      self.wall = wall
      self.isSynchronised = isSynchronised
    }
    try settle {}
  }

  private func settle(_ backlog: () throws -> Void) throws {
    try reconnect()
    try backlog()
    mayFire = true
    finish()
  }

  /// The relay is killed, and begins anew on its store; it has no connection yet, and nothing may fire.
  ///
  /// - Parameters:
  ///   - configuration: what it is told then; default: the same.
  ///   - defaultZone: the zone of what names none, from then on; default: the same.
  ///   - pause: lets the time pass in which it is off.
  func begin(
    _ configuration: RelayConfiguration? = nil, defaultZone: Zone? = nil, after pause: () -> Void
  ) throws {
    let record = clock.remember(now()).text
    loseConnection()
    marks = Marks(try queue.notes())
    saveMarks()
    mayFire = false
    pause()
    clock = RelayClock(RelayClock.Record(record), reading)
    relay = try Relay(
      configuration: configuration ?? relay.configuration, queue: queue, zones: relay.zones,
      defaultZone: defaultZone ?? relay.defaultZone)
    outbox = Outbox()
    let waiting = Set(try queue.devicesWithOpen())
    for device in try queue.devices() {
      outbox.begin(device.row, isOnline: device.isOnline, hasBacklog: waiting.contains(device.row))
    }
    let moment = now()
    try queue.eachUnreleased(at: moment) { delivery throws(StoreError) in
      _ = outbox.add(delivery, at: moment)
      return true
    }
    noticeChanges()
    try checkWatches()
  }
}
