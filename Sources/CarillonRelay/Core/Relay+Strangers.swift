import CarillonModel

// Whoever may publish under the prefix can announce any number of devices. Each of them gets a row in the store, retained
// messages at the broker, and every notification to everyone.
extension Relay {
  /// Whether a device may announce itself: it has done so before, the configuration lists it, or there are not too many
  /// others yet.
  func mayAnnounce(_ name: Name) -> Bool {
    if let row = devices.row(name), devices[row]?.isAnnounced == true { return true }
    let listed = Set(configuration.devices ?? [])
    return listed.contains(name) || strangers(besides: listed) < Limits.strangers
  }

  private func strangers(besides listed: Set<Name>) -> Int {
    devices.announced.count { row in devices[row].map { !listed.contains($0.name) } ?? false }
  }
}
