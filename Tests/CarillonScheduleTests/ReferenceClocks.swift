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

  private init() {
    let committed = try? ReferenceZones.committed.get()
    release = committed?.release ?? ""
    zones = committed?.zones.compactMapValues { try? Zone(name: $0.name, tzif: $0.file.bytes) } ?? [:]
  }

  func zone(named name: String) throws -> Zone {
    guard let zone = zones[name] else { throw Refusal(.invalid, "zones.txt has no \(name)") }
    return zone
  }
}
