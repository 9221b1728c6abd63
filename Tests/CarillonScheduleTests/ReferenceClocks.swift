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

/// An error of the clocks, with which the engine finds wrong firings of its own.
extension Zone {
  /// The same clocks, which show as much later.
  func showing(_ seconds: Int) -> Zone {
    func moved(_ offset: Offset) -> Offset {
      Offset(
        seconds: offset.seconds + seconds, abbreviation: offset.abbreviation, isDaylight: offset.isDaylight)
    }
    var changed = rule
    if let rule { changed?.standard = moved(rule.standard) }
    if let daylight = rule?.daylight { changed?.daylight?.offset = moved(daylight.offset) }
    return Zone(
      name: name, transitions: transitions, kinds: kinds, offsets: offsets.map(moved), rule: changed)
  }

  /// The same clocks, which are changed as much later.
  func changing(_ seconds: Int64) -> Zone {
    var changed = rule
    changed?.daylight?.begins.time += seconds
    changed?.daylight?.ends.time += seconds
    return Zone(
      name: name, transitions: transitions.map { $0 + seconds }, kinds: kinds, offsets: offsets, rule: changed
    )
  }
}

extension ReferenceRule {
  /// Whether its firings tell when all clocks show a number of seconds too much: not where it fires so often that the same
  /// instants come out, nor at the end of a gap, which is where it is whatever clocks show there.
  func shows(_ error: Int) throws -> Bool {
    let steps = zip(firings, firings.dropFirst()).map { $1 - $0 }
    if !steps.isEmpty, steps.allSatisfy({ $0 <= abs(error) }) { return false }
    let zone = try ReferenceClocks.shared.zone(named: zone)
    return !firings.allSatisfy(zone.isAfterGap)
  }

  func hasFiringAfterGap() throws -> Bool {
    let zone = try ReferenceClocks.shared.zone(named: zone)
    return firings.contains(where: zone.isAfterGap)
  }
}
