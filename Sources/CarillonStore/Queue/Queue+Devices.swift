import CarillonModel

/// Do not disturb, as it was set for a device.
public enum StoredFocus: Hashable, Sendable {
  /// Until a time, or until it is turned off.
  case on(until: WallTime?)
  /// It was on once, which somebody may still have to be told.
  case off

  public var isOn: Bool { self != .off }

  /// When it ends by itself; `nil` for never.
  public var until: WallTime? {
    if case .on(let until) = self { until } else { nil }
  }
}

/// A device as the relay knows it.
public struct StoredDevice: Hashable, Sendable {
  public var row: Int64
  public var name: Name
  /// Whether it has ever published a status or a profile.
  public var isAnnounced: Bool
  /// Its last status; `nil` where there is none, as with a plain subscriber.
  public var isOnline: Bool?
  /// Its profile as it came: a JSON object.
  public var profile: [UInt8]?
  /// The newest notification fired for it.
  public var latest: Int64?
  /// `nil` where it has never been set.
  public var focus: StoredFocus?
}

extension Queue {
  public func devices() throws(StoreError) -> [StoredDevice] {
    try database.statement(
      """
      SELECT row, name, announced, status, profile, latest, focus, focus_until FROM device ORDER BY name
      """
    ).all([]) { row in
      StoredDevice(
        row: row.integer(0), name: Name(stored: row.text(1)), isAnnounced: row.integer(2) != 0,
        isOnline: row.integerIfAny(3).map { $0 != 0 }, profile: row.isNull(4) ? nil : row.bytes(4),
        latest: row.integerIfAny(5),
        focus: focus(row.integerIfAny(6), until: row.integerIfAny(7)))
    }
  }

  /// The row of a device, made where the name is new.
  public func deviceRow(_ name: Name) throws(StoreError) -> Int64 {
    if let known = deviceRows[name] { return known }
    try database.run("INSERT OR IGNORE INTO device(name) VALUES (?)", .text(name.text))
    let row = try database.integer("SELECT row FROM device WHERE name = ?", .text(name.text)) ?? 0
    deviceRows[name] = row
    return row
  }

  public func setStatus(_ device: Int64, isOnline: Bool?) throws(StoreError) {
    try database.run(
      "UPDATE device SET status = ?, announced = max(announced, ?) WHERE row = ?",
      Value(isOnline.map { $0 ? 1 : 0 }), .integer(isOnline == nil ? 0 : 1), .integer(device))
  }

  public func setProfile(_ device: Int64, _ profile: [UInt8]) throws(StoreError) {
    try database.run(
      "UPDATE device SET profile = ?, announced = 1 WHERE row = ?", .bytes(profile), .integer(device))
  }

  private func focus(_ isOn: Int64?, until: Int64?) -> StoredFocus? {
    isOn.map { $0 == 0 ? .off : .on(until: until.map { WallTime(milliseconds: $0) }) }
  }

  public func setFocus(_ device: Int64, _ focus: StoredFocus) throws(StoreError) {
    try database.run(
      "UPDATE device SET focus = ?, focus_until = ? WHERE row = ?", .integer(focus.isOn ? 1 : 0),
      Value(focus.until?.milliseconds), .integer(device))
  }

  public func setLatest(_ device: Int64, _ firing: Int64?) throws(StoreError) {
    try database.run("UPDATE device SET latest = ? WHERE row = ?", Value(firing), .integer(device))
  }

  /// The newest firings with the devices they went to, newest first.
  public func newestDeliveries(limit: Int) throws(StoreError) -> [(firing: Int64, device: Int64)] {
    try database.statement(
      """
      SELECT d.firing, d.device FROM delivery d JOIN firing f ON f.row = d.firing
      WHERE f.fired IS NOT NULL ORDER BY d.firing DESC LIMIT ?
      """
    ).all([.integer(Int64(limit))]) { (firing: $0.integer(0), device: $0.integer(1)) }
  }

  /// Drops a device with everything that waits for it.
  ///
  /// - Returns: whether there was one.
  public func forget(_ name: Name) throws(StoreError) -> Bool {
    let row = try database.integer("SELECT row FROM device WHERE name = ?", .text(name.text))
    guard let row else { return false }
    deviceRows[name] = nil
    try database.run("DELETE FROM delivery WHERE device = ? AND open > 0", .integer(row))
    // What it has had stays in the history under its name; a device without any is gone.
    try database.run(
      """
      UPDATE device SET announced = 0, status = NULL, profile = NULL, latest = NULL, focus = NULL,
        focus_until = NULL
      WHERE row = ?
      """,
      .integer(row))
    return true
  }
}
