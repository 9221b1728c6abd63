import CarillonModel
import CarillonTime
import FoundationEssentials

/// The zones of `Tests/Reference/zones.txt`: what clocks show, 1970 to 2100, by the release of tzdata by which all files of
/// that folder were made.
///
/// Releases differ, also about the years to come, so a reference holds for its own release alone. Where the installed
/// tzdata says the same of a zone, that is the one taken; else it is made from the file. So every reference is compared
/// on every machine.
struct ReferenceZones: Sendable {
  /// A time during which one offset holds, in seconds of POSIX time and seconds east of Greenwich.
  private struct Stretch: Equatable {
    var start: Int64
    var seconds: Int
  }

  static let shared = ReferenceZones()
  /// 2101-01-01T00:00:00Z.
  static let end: Int64 = 4_133_980_800

  /// The release of tzdata by which the file was made.
  let release: Substring
  /// Those of which the installed tzdata says something else.
  private(set) var differing: Set<String> = []
  private var zones: [String: Zone] = [:]

  private init() {
    let lines = (try? ReferenceFile.lines("zones.txt")) ?? []
    release = lines.first?.dropFirst(2) ?? ""
    let database = ZoneDatabase(directory: ZoneDatabase.systemDirectory)
    for line in lines.dropFirst() {
      let words = line.split(separator: " ")
      let (name, stretches) = (String(words[0]), ReferenceZones.stretches(words))
      if let zone = try? database.zone(named: name), ReferenceZones.stretches(zone) == stretches {
        zones[name] = zone
      } else {
        differing.insert(name)
        zones[name] = try? Zone(name: name, tzif: ReferenceZones.compiled(stretches))
      }
    }
  }

  /// A zone made anew from what it shows in those years.
  static func made(from zone: Zone) throws -> Zone {
    try Zone(name: zone.name, tzif: compiled(stretches(zone)))
  }

  func zone(named name: String) throws -> Zone {
    guard let zone = zones[name] else { throw Refusal(.invalid, "zones.txt has no \(name)") }
    return zone
  }

  private static func stretches(_ words: [Substring]) -> [Stretch] {
    let offsets = words[1].split(separator: ",").map {
      $0.split(separator: "/").first.flatMap { Int($0) } ?? .max
    }
    var start: Int64 = 0
    return merged(
      words.dropFirst(2).map { word in
        start += Int64(word.dropFirst(), radix: 36) ?? 0
        return Stretch(start: start, seconds: offsets[Int(word.utf8.first ?? 0) - 65])
      })
  }

  private static func stretches(_ zone: Zone) -> [Stretch] {
    var found: [Stretch] = []
    var start: Int64? = 0
    while let second = start, second < end {
      let stretch = zone.stretch(at: second)
      found.append(Stretch(start: second, seconds: stretch.offset.seconds))
      start = stretch.end
    }
    return merged(found)
  }

  /// Without the changes of an abbreviation alone.
  private static func merged(_ stretches: [Stretch]) -> [Stretch] {
    stretches.reduce(into: []) { if $0.last?.seconds != $1.seconds { $0.append($1) } }
  }

  /// As `zic` would write them (RFC 9636, version 2, with nothing in the block for version 1 and no rule in the footer).
  private static func compiled(_ stretches: [Stretch]) -> [UInt8] {
    let offsets = Array(Set(stretches.map(\.seconds))).sorted {
      $0 == stretches.first?.seconds || ($1 != stretches.first?.seconds && $0 < $1)
    }
    func header(_ transitions: Int, _ types: Int) -> [UInt8] {
      Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
        + [0, 0, 0, transitions, types, 4].flatMap { bigEndian(Int32($0)) }
    }
    let changes = stretches.dropFirst()
    var bytes = header(0, 1) + [UInt8](repeating: 0, count: 6) + Array("-00\0".utf8)
    bytes += header(changes.count, offsets.count)
    for change in changes { bytes += bigEndian(change.start) }
    for change in changes { bytes.append(UInt8(offsets.firstIndex(of: change.seconds) ?? 0)) }
    for offset in offsets { bytes += bigEndian(Int32(offset)) + [0, 0] }
    return bytes + Array("-00\0\n\n".utf8)
  }

  private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }
}
