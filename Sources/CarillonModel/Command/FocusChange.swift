/// Turns do not disturb on or off for devices (protocol §2).
public struct FocusChange: Hashable, Sendable {
  /// Devices and groups, resolved when the command is carried out.
  public var devices: Recipients
  public var isOn: Bool
  /// When it ends by itself; `nil` for never. Only where it is turned on.
  public var until: WrittenTime?

  public init(devices: Recipients, isOn: Bool, until: WrittenTime? = nil) {
    self.devices = devices
    self.isOn = isOn
    self.until = until
  }
}

extension FocusChange {
  /// - Throws: `invalid`, with the place.
  init(reading fields: Fields) throws(Refusal) {
    // Nobody means everyone by naming nobody: that many devices fall silent is said.
    guard fields.has("devices") else {
      throw fields.refusal("devices", "focus needs devices: names of devices and groups, or \"all\"")
    }
    devices = try Recipients(reading: fields, "devices")
    guard let isOn = try fields.bool("on") else {
      throw fields.refusal("on", "focus needs on: true or false")
    }
    self.isOn = isOn
    until = try fields.time("until")
    guard isOn || until == nil else {
      throw fields.refusal("until", "until ends a focus that is on; leave it out to turn it off now")
    }
  }
}
