import CarillonModel
import CarillonTestSupport
import CarillonTime
import FoundationEssentials
import Glibc

/// A folder of zones of its own, in which one can be replaced as a new release of tzdata would.
final class ReplaceableZones {
  /// The zone that is replaced, and another one, as requests name them.
  static let (name, other) = ("Home", "Elsewhere")
  /// What it is like at first, and what it becomes: all due times become later by an hour, or earlier.
  static let (before, later, earlier) = ("Europe/Berlin", "Europe/London", "Europe/Helsinki")

  private let folder: TemporaryDirectory
  let old: Zone

  /// For TZDIR.
  var path: String { folder.path }

  init() throws {
    folder = try TemporaryDirectory()
    let system = ZoneDatabase(directory: ZoneDatabase.systemDirectory)
    old = try system.zone(named: ReplaceableZones.before)
    try folder.write(ReplaceableZones.name, ReplaceableZones.content(ReplaceableZones.before))
    try folder.write(ReplaceableZones.other, ReplaceableZones.content("America/New_York"))
  }

  /// Puts another zone in the place of the one that is replaced, in one step.
  ///
  /// - Returns: the other zone.
  func replace(with zone: String) throws -> Zone {
    let file = try folder.write(".new", ReplaceableZones.content(zone))
    guard rename(file, folder.file(ReplaceableZones.name)) == 0 else {
      throw TestFailure("cannot replace a zone in \(path)")
    }
    return try ZoneDatabase(directory: ZoneDatabase.systemDirectory).zone(named: zone)
  }

  private static func content(_ zone: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: ZoneDatabase.systemDirectory).appending(path: zone)))
  }
}
