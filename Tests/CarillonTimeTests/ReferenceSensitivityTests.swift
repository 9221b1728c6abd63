import CarillonTestSupport
import Testing

@testable import CarillonTime

/// That the comparison with the reference sees the least difference, wherever it is.
struct ReferenceSensitivityTests {
  enum Change: CaseIterable {
    case second, minute, flag, abbreviation, later, earlier, missing, longAgo

    /// - Parameter place: of a stretch that is not the first.
    func apply(to zone: inout ReferenceZone, at place: Int) {
      let old = zone.stretches[place].offset
      func offset(_ seconds: Int, _ abbreviation: String, _ isDaylight: Bool) {
        zone.stretches[place].offset = .init(
          seconds: seconds, abbreviation: abbreviation, isDaylight: isDaylight)
      }
      switch self {
      case .second: offset(old.seconds + 1, old.abbreviation, old.isDaylight)
      case .minute: offset(old.seconds - 60, old.abbreviation, old.isDaylight)
      case .flag: offset(old.seconds, old.abbreviation, !old.isDaylight)
      case .abbreviation: offset(old.seconds, old.abbreviation + "S", old.isDaylight)
      case .later: zone.stretches[place].start += 1
      case .earlier: zone.stretches[place].start -= 1
      case .missing: zone.stretches.remove(at: place)
      case .longAgo:
        zone.longAgo = .init(seconds: zone.longAgo.seconds + 1, abbreviation: "LMT", isDaylight: false)
      }
    }
  }

  /// A zone that shows what a reference says, whatever is installed.
  private func zone(
    of reference: ReferenceZone, until end: Int64 = .max, then rule: PosixRule? = nil
  ) -> Zone {
    let stretches = reference.stretches.filter { $0.start < end }
    var offsets = [reference.longAgo]
    for stretch in stretches where !offsets.contains(stretch.offset) { offsets.append(stretch.offset) }
    return Zone(
      name: reference.name, transitions: [-1] + stretches.dropFirst().map(\.start),
      kinds: stretches.map { UInt8(offsets.firstIndex(of: $0.offset) ?? 0) },
      offsets: offsets.map(Zone.Offset.init), rule: rule)
  }

  @Test func `One change of one stretch is seen, in every zone`() throws {
    var random = SplitMix(seed: 11)
    var changes = 0
    for known in try ReferenceZones.committed.get().zones.values.sorted(by: { $0.name < $1.name }) {
      let zone = zone(of: known)
      #expect(known.differences(from: zone) == [])
      guard known.stretches.count > 1 else { continue }
      let change = Change.allCases[changes % Change.allCases.count]
      var changed = known
      change.apply(to: &changed, at: Int.random(in: 1..<known.stretches.count, using: &random))
      let differences = changed.differences(from: zone)
      #expect(differences.first?.hasPrefix(known.name) == true, "\(change) in \(known.name)")
      changes += 1
    }
    #expect(changes > 400)
  }

  /// 2037-01-01T00:00:00Z: the tables of many systems end with this year.
  private let lastTable: Int64 = 2_114_380_800

  @Test(arguments: [
    ("CET-1CEST,M3.5.0,M10.5.0/3", true), ("CET-1:00:01CEST-2,M3.5.0,M10.5.0/3", false),
    ("CET-1CEST-2:01,M3.5.0,M10.5.0/3", false), ("CET-1CEST,M3.5.0,M10.5.0/2:59:59", false),
    ("CET-1CEST,M3.4.0,M10.5.0/3", false), ("CET-1CEST,M3.5.0,M10.4.0/3", false),
    ("CET-1CESt,M3.5.0,M10.5.0/3", false), ("CEST-2CET-1,M10.5.0/3,M3.5.0", false), ("CET-1", false),
  ])
  func `One change of the rule for the years to come is seen`(text: String, isRight: Bool) throws {
    let known = try #require(try ReferenceZones.committed.get().zones["Europe/Berlin"])
    let rule = try #require(PosixRule(text.utf8))
    #expect(known.differences(from: zone(of: known, until: lastTable, then: rule)).isEmpty == isRight)
  }

  @Test func `What differs, where and when, is said`() throws {
    let known = try #require(try ReferenceZones.committed.get().zones["Europe/Berlin"])
    let rule = try #require(PosixRule("CET-1CEST-2:01,M3.5.0,M10.5.0/3".utf8))
    #expect(
      known.differences(from: zone(of: known, until: lastTable, then: rule), limit: 1) == [
        "Europe/Berlin at 2037-03-29T01:00:00Z (2121901200): 7260 s CEST daylight, not 7200 s CEST daylight"
      ])
  }
}

extension Zone.Offset {
  fileprivate init(_ offset: ReferenceZone.Offset) {
    self.init(seconds: offset.seconds, abbreviation: offset.abbreviation, isDaylight: offset.isDaylight)
  }
}
