/// A relay that is ended, with many pending requests in its store: cron, calendar and rrule in equal parts.
struct FilledRig {
  let rig: Rig
  /// The mean length of a request's identifier, rule and content, in bytes.
  let bytes: Double

  init(_ requests: Int) throws {
    let zones = try ReplaceableZones()
    rig = try Rig(zones: zones)
    // So that the store knows the tzdata that its due times are computed with, and the broker keeps the relay's session.
    try rig.start()
    try rig.stop()
    let mix = try PendingMix(zones)
    if requests > 0 { try StoreFilling.fill(rig.store, with: mix, count: requests) }
    bytes = Double(mix.bytes) / Double(max(1, requests))
  }
}
