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
    loseConnection()
    marks = Marks()
    mayFire = false
    pass(milliseconds)
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
    try reconnect()
    try backlog()
    mayFire = true
    finish()
  }
}
