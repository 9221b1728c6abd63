import CarillonModel
import CarillonStore

/// The devices as the decisions need them: few, and asked for at every firing, so they are in memory as well.
struct DeviceRegistry: Sendable {
  struct Device: Hashable, Sendable {
    var name: Name
    var isAnnounced: Bool
    /// `nil` for a device without a status: a plain subscriber.
    var isOnline: Bool?
    /// What its profile says; `nil` where it has none.
    var presence: Profile.Presence?
    /// Its program's, as its profile says; `nil` where it has none.
    var version: String?
    /// `nil` where it has never been set.
    var focus: StoredFocus?

    /// Whether it must not be disturbed.
    var isFocused: Bool { focus?.isOn ?? false }
  }

  private(set) var byRow: [Int64: Device] = [:]
  private var rows: [Name: Int64] = [:]
  /// Every device that has announced itself, by name. Kept in order, since each firing to everyone asks for it.
  private(set) var announced: [Int64] = []
  /// When the next focus ends by itself. Kept, since each turn asks for it.
  private(set) var nextFocusEnd: WallTime?

  init(_ devices: [StoredDevice]) {
    for device in devices {
      byRow[device.row] = Device(
        name: device.name, isAnnounced: device.isAnnounced, isOnline: device.isOnline,
        presence: device.profile.map(DeviceRegistry.presence(in:)),
        version: device.profile.flatMap(DeviceRegistry.version(in:)), focus: device.focus)
      rows[device.name] = device.row
    }
    sortAnnounced()
    findFocusEnd()
  }

  /// What a profile says of somebody's presence, whatever else is in it.
  static func presence(in profile: [UInt8]) -> Profile.Presence {
    (try? JSON(parsing: profile))?["presence"]?.text.flatMap(Profile.Presence.init(rawValue:)) ?? .unknown
  }

  /// The version that a profile names, fit to be shown.
  static func version(in profile: [UInt8]) -> String? {
    (try? JSON(parsing: profile))?["version"]?.text.map { printable($0) }
  }

  func row(_ name: Name) -> Int64? { rows[name] }
  subscript(row: Int64) -> Device? { byRow[row] }

  private mutating func sortAnnounced() {
    announced = byRow.filter(\.value.isAnnounced).sorted { $0.value.name < $1.value.name }.map(\.key)
  }

  private mutating func findFocusEnd() {
    nextFocusEnd = byRow.values.compactMap { $0.focus?.until }.min()
  }

  mutating func set(_ row: Int64, _ device: Device) {
    let before = byRow.updateValue(device, forKey: row)
    rows[device.name] = row
    if before?.isAnnounced ?? false != device.isAnnounced || before?.name ?? device.name != device.name {
      sortAnnounced()
    }
    if before?.focus != device.focus { findFocusEnd() }
  }
}
