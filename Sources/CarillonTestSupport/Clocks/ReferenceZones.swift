import FoundationEssentials

/// What `Tests/Reference/zones.py` has written, zone by zone; the form is described there.
public struct ReferenceZones: Sendable {
  /// The release of tzdata by which it was made.
  public let release: String
  public let zones: [String: ReferenceZone]

  /// The committed file.
  public static let committed = Result {
    try ReferenceZones(String(contentsOf: scripts.appending(path: "zones.txt"), encoding: .utf8))
  }

  /// Made now, of some of the zones in a folder of compiled ones.
  public static func made(of names: [String], in directory: String) throws -> ReferenceZones {
    let script = scripts.appending(path: "zones.py").path
    let python = try Program(
      ["python3", script, "--directory", directory] + names, executable: "/usr/bin/env")
    guard try python.waitForExit(within: .seconds(120)) == .exited(0) else {
      throw TestFailure("python3 cannot say what clocks show: \(python.lines(.errors).last ?? "")")
    }
    return try ReferenceZones(python.lines().joined(separator: "\n"))
  }

  private static let scripts = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Tests/Reference")

  /// Writes compiled zones that show this, whatever is installed: references of rules hold for its release alone.
  public func install(in folder: TemporaryDirectory) throws {
    for zone in zones.values {
      let file = URL(filePath: folder.file(zone.name))
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(zone.file.bytes).write(to: file)
    }
  }

  public init(_ text: String) throws {
    let lines = text.split(separator: "\n")
    guard let head = lines.first, head.hasPrefix("# ") else { throw TestFailure("there is no reference") }
    release = String(head.dropFirst(2))
    var zones: [String: ReferenceZone] = [:]
    for line in lines.dropFirst() {
      for zone in try ReferenceLine(line, above: zones).zones { zones[zone.name] = zone }
    }
    self.zones = zones
  }
}

/// One line: the zones that have a history in common.
private struct ReferenceLine {
  private(set) var zones: [ReferenceZone] = []

  init(_ line: Substring, above: [String: ReferenceZone]) throws {
    let words = line.split(separator: " ")
    guard words.count > 2 else { throw TestFailure("no line of a reference: \(line)") }
    let offsets = try words[1].split(separator: ",").map {
      try ReferenceLine.offset($0.split(separator: "/"))
    }
    var stretches: [ReferenceZone.Stretch] = []
    for word in words.dropFirst(2) {
      for (letter, step) in try ReferenceLine.steps(word, above) {
        guard let place = letter.asciiValue.map({ Int($0) - 65 }), offsets.indices.contains(place) else {
          throw TestFailure("\(words[0]) has no offset \(letter)")
        }
        stretches.append(.init(start: (stretches.last?.start ?? 0) + step, offset: offsets[place]))
      }
    }
    zones = try words[0].split(separator: ",").map { zone in
      let parts = zone.split { $0 == "=" }
      let then = parts[parts.count - 1].split(separator: "/")
      return ReferenceZone(
        name: String(parts[0]), longAgo: try ReferenceLine.offset([then[0], "0", then[then.count - 1]]),
        stretches: stretches)
    }
  }

  /// `SECONDS/DAYLIGHT/ABBREVIATION`.
  private static func offset(_ parts: [Substring]) throws -> ReferenceZone.Offset {
    guard parts.count == 3, let seconds = Int(parts[0]), ["0", "1"].contains(parts[1]) else {
      throw TestFailure("no offset of a reference: \(parts)")
    }
    return ReferenceZone.Offset(seconds: seconds, abbreviation: String(parts[2]), isDaylight: parts[1] == "1")
  }

  /// The letters and steps of a word: one, or a whole end of another zone's line.
  private static func steps(
    _ word: Substring, _ above: [String: ReferenceZone]
  ) throws -> [(Character, Int64)] {
    let parts = word.split(separator: "*")
    guard parts.count == 3 else {
      guard let letter = word.first, let step = Int64(word.dropFirst(), radix: 36) else {
        throw TestFailure("no stretch of a reference: \(word)")
      }
      return [(letter, step)]
    }
    let turns = Array(parts[0])
    guard turns.count == 2, let count = Int(parts[1]), let model = above[String(parts[2])]?.stretches,
      count < model.count
    else { throw TestFailure("no end of another line: \(word)") }
    return (0..<count).map { place in
      let index = model.count - count + place
      return (turns[place % 2], model[index].start - model[index - 1].start)
    }
  }
}
