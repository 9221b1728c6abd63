/// A file of groups and keys as desktops keep them (`mimeapps.list`, `.desktop`), line by line: what is not changed stays
/// as it is to the byte, comments, blank lines and strange ones too.
struct KeyFile {
  private(set) var lines: [[UInt8]]
  /// Whether the last line has an end.
  private var isEnded: Bool

  init(_ bytes: [UInt8] = []) {
    lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) }
    isEnded = lines.last?.isEmpty ?? true
    if isEnded, !lines.isEmpty { lines.removeLast() }
  }

  var bytes: [UInt8] {
    var bytes = Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    if isEnded, !lines.isEmpty { bytes.append(UInt8(ascii: "\n")) }
    return bytes
  }

  // MARK: Looking

  /// The value of a key as a text. Where a key stands more than once, the last one counts, as with GLib.
  func value(_ key: String, in group: String) -> String? {
    places(of: key, in: group).last.map {
      String(decoding: trimmed(lines[$0.line][$0.value...]), as: UTF8.self)
    }
  }

  /// A value that is a list, its ends being semicolons.
  func list(_ key: String, in group: String) -> [String] {
    (value(key, in: group) ?? "").utf8.split(separator: UInt8(ascii: ";"))
      .map { String(decoding: trimmed(Array($0)[...]), as: UTF8.self) }.filter { !$0.isEmpty }
  }

  /// Where a key's lines are, and where in them the value begins.
  private func places(of key: String, in group: String) -> [(line: Int, value: Int)] {
    var found: [(line: Int, value: Int)] = []
    var isInside = false
    for (index, line) in lines.enumerated() {
      if let name = KeyFile.group(line) {
        isInside = name.elementsEqual(group.utf8)
      } else if isInside, line.first != UInt8(ascii: "#"), let sign = line.firstIndex(of: UInt8(ascii: "=")),
        trimmed(line[..<sign]).elementsEqual(key.utf8)
      {
        let value = line[(sign + 1)...].firstIndex { !isBlank($0) } ?? line.count
        found.append((line: index, value: value))
      }
    }
    return found
  }

  /// The name in a group's headline; `nil` for any other line.
  private static func group(_ line: [UInt8]) -> ArraySlice<UInt8>? {
    let text = trimmed(line[...])
    guard text.first == UInt8(ascii: "["), text.last == UInt8(ascii: "]") else { return nil }
    return text.dropFirst().dropLast()
  }

  // MARK: Changing

  /// Puts an element at the front of a list, in front of whatever is there. Where there is no such key, it is added to the
  /// group's end; where there is no group, both are added to the file's.
  mutating func prepend(_ element: String, to key: String, in group: String) {
    let places = places(of: key, in: group)
    for (line, value) in places {
      let isEmpty = trimmed(lines[line][value...]).isEmpty
      lines[line].insert(contentsOf: Array(element.utf8) + (isEmpty ? [] : [UInt8(ascii: ";")]), at: value)
    }
    if places.isEmpty { add("\(key)=\(element)", to: group) }
  }

  private mutating func add(_ line: String, to group: String) {
    let heads = lines.indices.filter { KeyFile.group(lines[$0])?.elementsEqual(group.utf8) == true }
    guard let head = heads.last else {
      if let last = lines.last, !trimmed(last[...]).isEmpty { lines.append([]) }
      lines += [Array("[\(group)]".utf8), Array(line.utf8)]
      isEnded = true
      return
    }
    let next = lines[(head + 1)...].firstIndex { KeyFile.group($0) != nil } ?? lines.count
    // Blank lines between two groups stay between them.
    let last = lines[..<next].lastIndex { !trimmed($0[...]).isEmpty } ?? head
    if last == lines.count - 1 { isEnded = true }
    lines.insert(Array(line.utf8), at: last + 1)
  }

  /// Takes an element out of a list; the line goes with its last element.
  mutating func remove(_ element: String, from key: String, in group: String) {
    for (line, value) in places(of: key, in: group).reversed() {
      var elements = lines[line][value...].split(
        separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      let count = elements.count
      elements.removeAll { trimmed($0).elementsEqual(element.utf8) }
      guard elements.count < count else { continue }
      let rest = Array(elements.joined(separator: [UInt8(ascii: ";")]))
      if trimmed(rest[...]).allSatisfy({ $0 == UInt8(ascii: ";") }) {
        lines.remove(at: line)
      } else {
        lines[line] = Array(lines[line][..<value]) + rest
      }
    }
  }
}

private func isBlank(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
}

/// Without blanks at either end.
private func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  var rest = bytes.drop(while: isBlank)
  while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
  return rest
}
