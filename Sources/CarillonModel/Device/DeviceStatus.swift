/// The plain words of a status topic, the relay's and a device's (protocol §1).
public enum DeviceStatus: String, Hashable, Sendable, CaseIterable {
  case online, offline

  /// `nil` for anything but the two words; an emptied topic too.
  public init?(payload: [UInt8]) {
    self.init(rawValue: String(decoding: payload, as: UTF8.self))
  }

  public var encoded: [UInt8] { Array(rawValue.utf8) }
}
