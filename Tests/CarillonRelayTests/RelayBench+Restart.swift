import CarillonModel
import CarillonStore

@testable import CarillonRelay

extension RelayBench {
  /// The relay is killed and started again: what was in memory only is gone.
  ///
  /// - Parameters:
  ///   - milliseconds: how long it is off.
  ///   - backlog: what comes from the broker before anything may fire.
  func restart(after milliseconds: Int64 = 0, backlog: () throws -> Void = {}) throws {
    try restart(backlog) { pass(milliseconds) }
  }

  /// The machine is off for a while, and starts with whatever its wall clock then shows.
  func reboot(wall: Int64, isSynchronised: Bool) throws {
    try restart({}) {
      boots += 1
      boot = 1000
      self.wall = wall
      self.isSynchronised = isSynchronised
    }
  }

  private func restart(_ backlog: () throws -> Void, _ pause: () -> Void) throws {
    let record = clock.remember(now()).text
    loseConnection()
    marks = Marks()
    mayFire = false
    pause()
    clock = RelayClock(RelayClock.Record(record), reading)
    relay = try Relay(
      configuration: relay.configuration, queue: queue, zones: relay.zones, defaultZone: relay.defaultZone)
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
    try reconnect()
    try backlog()
    mayFire = true
    finish()
  }
}
