import CarillonModel
import CarillonTestSupport

@testable import CarillonTime

/// The zones of `Tests/Reference/zones.txt`: what clocks show, 1970 to 2100, by the release of tzdata by which all files of
/// that folder were made.
///
/// Releases differ, also about the years to come, so a reference holds for its own release alone. These zones are compiled
/// from the file, so that every reference is compared on every machine, whatever is installed there.
struct ReferenceClocks: Sendable {
  static let shared = ReferenceClocks()

  /// The release of tzdata.
  let release: String
  private let zones: [String: Zone]

  /// Clocks that are a minute wrong, so that an engine which asks them is.
  static let wrong = ReferenceClocks { zone in
    zone.stretches = zone.stretches.map { stretch in
      var wrong = stretch
      wrong.offset.seconds += 60
      return wrong
    }
  }

  /// - Parameter change: an error that is put into what clocks show.
  private init(_ change: (inout ReferenceZone) -> Void = { _ in }) {
    let committed = try? ReferenceZones.committed.get()
    release = committed?.release ?? ""
    zones =
      committed?.zones.compactMapValues { zone in
        var zone = zone
        change(&zone)
        return try? Zone(name: zone.name, tzif: zone.file.bytes)
      } ?? [:]
  }

  func zone(named name: String) throws -> Zone {
    guard let zone = zones[name] else { throw Refusal(.invalid, "zones.txt has no \(name)") }
    return zone
  }
}
