import CarillonTestSupport

/// A relay that is ended, with many pending requests in its store: cron, calendar and rrule in equal parts.
enum FilledRig {
  static func make(_ requests: Int) throws -> Rig {
    let zones = try ReplaceableZones()
    let rig = try Rig(zones: zones)
    // So that the store knows the tzdata that its due times are computed with, and the broker keeps the relay's session.
    try rig.start()
    try rig.stop()
    if requests > 0 { try StoreFilling.fill(rig.store, with: try PendingMix(zones), count: requests) }
    return rig
  }
}
