/// How much is where.
extension Outbox {
  /// The deliveries in memory: held until their release, waiting for a slot, with the broker, and taken by it without an
  /// answer of the device.
  var depth: [OutboxDepth] {
    let unreceived = lanes.values.reduce(0) { $0 + $1.outstanding.count }
    return [
      OutboxDepth(state: "prepared", count: preparedCount), OutboxDepth(state: "queued", count: waitingCount),
      OutboxDepth(state: "sent", count: inFlightCount), OutboxDepth(state: "unreceived", count: unreceived),
    ]
  }
}
