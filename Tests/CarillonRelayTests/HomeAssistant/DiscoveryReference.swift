import CarillonModel
import CarillonTestSupport
import Glibc

/// What Home Assistant takes by discovery, as a release of it says: `Tests/Reference/discovery.txt`.
struct DiscoveryReference {
  struct Member {
    var isRequired: Bool
    /// `text`, `boolean`, `number`, `list`, `object`, `topic`, `filter`, or words joined by `/`.
    var kind: String
  }

  /// Members by component (`sensor`, `device`, `origin`, …).
  private(set) var components: [String: [String: Member]] = [:]

  init() throws {
    let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let text = try fileText("/\(folder)/Reference/discovery.txt")
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let words = line.split(separator: " ", maxSplits: 3).map(String.init)
      guard words.count == 4 else { throw TestFailure("not a member: \(line)") }
      components[words[0], default: [:]][words[1]] = Member(
        isRequired: words[2] == "required", kind: words[3])
    }
  }

  /// What is wrong with an object as that component; empty for nothing.
  ///
  /// - Parameter unknown: members that this release does not know, and passes over.
  func faults(of object: JSONObject, as component: String, besides unknown: Set<String> = []) -> [String] {
    guard let known = components[component] else { return ["there is no \(component)"] }
    var faults: [String] = []
    for member in object.members where !unknown.contains(member.name) {
      guard let place = known[member.name] else {
        faults.append("\(component) has no \(member.name)")
        continue
      }
      if !DiscoveryReference.fits(member.value, place.kind) {
        faults.append("\(member.name) of \(component) is no \(place.kind): \(member.value.encodedText)")
      }
    }
    for (name, member) in known where member.isRequired && object[name] == nil {
      faults.append("\(component) lacks \(name)")
    }
    return faults
  }

  private static func fits(_ value: JSON, _ kind: String) -> Bool {
    switch (kind, value) {
    case ("text", .string), ("boolean", .bool), ("number", .integer), ("list", .array), ("object", .object):
      true
    case ("topic", .string(let text)), ("filter", .string(let text)):
      (try? TopicFilter(text)) != nil && (kind == "filter" || !text.contains { "+#".contains($0) })
    case (_, .string(let text)): kind.split(separator: "/").contains { $0 == text }
    default: false
    }
  }
}

private func fileText(_ path: String) throws -> String {
  guard let file = fopen(path, "r") else { throw TestFailure("there is no \(path)") }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var part = [UInt8](repeating: 0, count: 65_536)
  while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part[..<count] }
  return String(decoding: bytes, as: UTF8.self)
}
