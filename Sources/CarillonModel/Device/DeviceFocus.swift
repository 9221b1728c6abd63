/// Whether do not disturb is on for a device, retained under `device/<device>/focus` (protocol §1).
public enum DeviceFocus: String, Hashable, Sendable, CaseIterable {
  case on, off

  /// `nil` for anything but the two words; an emptied topic too.
  public init?(payload: [UInt8]) {
    self.init(rawValue: String(decoding: payload, as: UTF8.self))
  }

  public var encoded: [UInt8] { Array(rawValue.utf8) }
}
