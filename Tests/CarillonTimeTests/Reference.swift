import CarillonModel
import CarillonTime
import FoundationEssentials
import Testing

/// What local clocks show, by another implementation: the zones of `Tests/Reference/zones.txt`, which `zones.py` writes.
struct ReferenceZone: Sendable, CustomTestStringConvertible {
  struct Stretch: Sendable {
    var start: Int64
    var seconds: Int
    var isDaylight: Bool
    var abbreviation: String
  }

  var name: String
  /// From 1970 on, ascending; the last ends with the year 2100.
  var stretches: [Stretch]

  var testDescription: String { name }

  /// 2101-01-01T00:00:00Z.
  static let end: Int64 = 4_133_980_800

  /// By walking the list, unlike the code under test.
  func stretch(at second: Int64) -> Stretch? { stretches.last { $0.start <= second } }

  /// The release of tzdata by which the file was made.
  static let release = lines[0].dropFirst(2)

  static let all: [ReferenceZone] = lines.dropFirst().map { line in
    let words = line.split(separator: " ")
    let kinds = words[1].split(separator: ",").map { $0.split(separator: "/") }
    var start: Int64 = 0
    let stretches = words.dropFirst(2).map { word in
      let kind = kinds[Int(word.utf8.first ?? 0) - 65]
      start += Int64(word.dropFirst(), radix: 36) ?? 0
      return Stretch(
        start: start, seconds: Int(kind[0]) ?? .max, isDaylight: kind[1] == "1", abbreviation: String(kind[2])
      )
    }
    return ReferenceZone(name: String(words[0]), stretches: stretches)
  }

  private static let lines: [Substring] = {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Reference/zones.txt")
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return ["# none"] }
    return text.split(separator: "\n")
  }()
}

/// The installed tzdata, of which the release is that of the reference; other releases say other things.
let isReferenceInstalled = ZoneDatabase(directory: ZoneDatabase.systemDirectory).version
  .hasPrefix(ReferenceZone.release + "-")

/// An instant by its RFC 3339 text.
func instant(_ text: String) throws -> WallTime {
  guard case .instant(let time) = try WrittenTime(parsing: text) else {
    throw Refusal(.invalid, "\(text) has no offset")
  }
  return time
}

/// A reading by its RFC 3339 text without an offset.
func reading(_ text: String) throws -> CivilTime {
  guard case .local(let time) = try WrittenTime(parsing: text) else {
    throw Refusal(.invalid, "\(text) has an offset")
  }
  return time
}

/// A zone of the installed tzdata.
func installed(_ name: String) throws -> Zone {
  try ZoneDatabase(directory: ZoneDatabase.systemDirectory).zone(named: name)
}
