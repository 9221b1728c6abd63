import CarillonModel
import CarillonStore

/// The devices as the decisions need them: few, and asked for at every firing, so they are in memory as well.
struct DeviceRegistry: Sendable {
  struct Device: Hashable, Sendable {
    var name: Name
    var isAnnounced: Bool
    /// `nil` for a device without a status: a plain subscriber.
    var isOnline: Bool?
  }

  private(set) var byRow: [Int64: Device] = [:]
  private var rows: [Name: Int64] = [:]
  /// Every device that has announced itself, by name. Kept in order, since each firing to everyone asks for it.
  private(set) var announced: [Int64] = []

  init(_ devices: [StoredDevice]) {
    for device in devices {
      byRow[device.row] = Device(
        name: device.name, isAnnounced: device.isAnnounced, isOnline: device.isOnline)
      rows[device.name] = device.row
    }
    sortAnnounced()
  }

  func row(_ name: Name) -> Int64? { rows[name] }
  subscript(row: Int64) -> Device? { byRow[row] }

  private mutating func sortAnnounced() {
    announced = byRow.filter(\.value.isAnnounced).sorted { $0.value.name < $1.value.name }.map(\.key)
  }

  mutating func set(_ row: Int64, _ device: Device) {
    let before = byRow.updateValue(device, forKey: row)
    rows[device.name] = row
    if before?.isAnnounced ?? false != device.isAnnounced || before?.name ?? device.name != device.name {
      sortAnnounced()
    }
  }
}
