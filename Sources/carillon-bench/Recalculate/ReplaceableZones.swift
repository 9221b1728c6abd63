import CarillonModel
import CarillonTestSupport
import CarillonTime
import FoundationEssentials
import Glibc

/// A folder of zones of its own, in which one can be replaced as a new release of tzdata would.
final class ReplaceableZones {
  /// The zone that is replaced, and another one, as requests name them.
  static let (name, other) = ("Home", "Elsewhere")
  /// What it is like. From the one to the other, all due times become later by an hour: those that have been found anew
  /// are met again by a search in the order of due times.
  static let (before, after) = ("Europe/Berlin", "Europe/London")

  private let folder: TemporaryDirectory
  let old: Zone
  let new: Zone

  /// For TZDIR.
  var path: String { folder.path }

  init() throws {
    folder = try TemporaryDirectory()
    let system = ZoneDatabase(directory: ZoneDatabase.systemDirectory)
    old = try system.zone(named: ReplaceableZones.before)
    new = try system.zone(named: ReplaceableZones.after)
    try folder.write(ReplaceableZones.name, ReplaceableZones.content(ReplaceableZones.before))
    try folder.write(ReplaceableZones.other, ReplaceableZones.content("America/New_York"))
  }

  /// Puts the new zone in the place of the old one, in one step.
  func replace() throws {
    let file = try folder.write(".new", ReplaceableZones.content(ReplaceableZones.after))
    guard rename(file, folder.file(ReplaceableZones.name)) == 0 else {
      throw TestFailure("cannot replace a zone in \(path)")
    }
  }

  private static func content(_ zone: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: ZoneDatabase.systemDirectory).appending(path: zone)))
  }
}
