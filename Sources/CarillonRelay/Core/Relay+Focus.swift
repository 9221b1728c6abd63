import CarillonModel
import CarillonStore
import CarillonTime

// Do not disturb. The relay keeps it and tells it, retained, so that a device that sleeps can be set too; what it means to
// a notification is the companion's to decide.
extension Relay {
  /// `focus`: turns do not disturb on or off for devices, also for such as have never been seen.
  mutating func focus(_ change: FocusChange, at moment: Moment) throws(StoreError) -> Decision {
    let until = change.until.map { defaultZone.instant(of: $0) }
    if let until, until <= moment.wall {
      return Decision(Refusal(.past, at: "until", "\(defaultZone.timestamp(until)) has passed"))
    }
    let focus: StoredFocus = change.isOn ? .on(until: until) : .off
    let (known, unknown) = reached(by: change.devices)
    var actions: [Action] = []
    for name in known + unknown { actions += try set(focus, for: name) }
    let word = JSON.string((change.isOn ? DeviceFocus.on : .off).rawValue)
    return Decision(
      [
        "devices": .object(JSONObject((known + unknown).map { JSONObject.Member($0.text, word) })),
        "until": until.map { .string(defaultZone.timestamp($0)) } ?? .null,
        "unknown": .array(unknown.map { .string($0.text) }),
      ], actions)
  }

  private mutating func set(_ focus: StoredFocus, for name: Name) throws(StoreError) -> [Action] {
    // Nobody gets a row by being left as it is.
    if focus == .off, devices.row(name) == nil { return [] }
    return try set(focus, for: try row(name))
  }

  private mutating func set(_ focus: StoredFocus, for row: Int64) throws(StoreError) -> [Action] {
    guard var device = devices[row], device.focus ?? .off != focus else { return [] }
    device.focus = focus
    devices.set(row, device)
    try queue.setFocus(row, focus)
    return [.focus(device: row, name: device.name, isOn: focus.isOn)]
  }

  /// Ends do not disturb where its time is over.
  mutating func endFocus(at moment: Moment) throws(StoreError) -> [Action] {
    var actions: [Action] = []
    for (row, device) in devices.byRow.sorted(by: { $0.key < $1.key }) {
      guard let until = device.focus?.until, until <= moment.wall else { continue }
      actions += try set(.off, for: row)
    }
    return actions
  }
}
