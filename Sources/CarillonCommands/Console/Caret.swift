import CarillonModel

/// Lines that show a text and point into it.
enum Caret {
  /// The longest line that is shown; a longer one is cut around the place.
  private static let width = 76

  /// `line` with `^` under `column` (from 1), repeated for `length` characters.
  static func lines(_ line: String, column: Int, length: Int = 1) -> [String] {
    let characters = Array(line)
    let place = min(max(column, 1), characters.count + 1) - 1
    let start = max(0, min(place - width / 2, characters.count - width))
    let end = min(characters.count, start + width)
    let before = visible(String(characters[start..<place]))
    // Characters that are shown as escapes are wider than one.
    let marked = visible(String(characters[place..<max(place, min(place + length, end))]))
    return [
      "  " + visible(String(characters[start..<end])),
      "  " + String(repeating: " ", count: before.count)
        + String(repeating: "^", count: max(1, marked.count)),
    ]
  }

  /// An option as it was given, its value marked, or the part of it that is at fault.
  ///
  /// - Parameter span: the part, in bytes of the value; empty where something is missing there. Default: all of it.
  static func option(_ name: String, _ value: String, span: Range<Int>? = nil) -> [String] {
    let span = span ?? 0..<value.utf8.count
    let before = value.utf8.prefix(span.lowerBound)
    let marked = value.utf8.dropFirst(before.count).prefix(span.count)
    return lines(
      "--\(name) \(value)", column: name.count + 4 + characters(before), length: characters(marked))
  }

  /// A switch.
  static func option(_ name: String) -> [String] { lines("--\(name)", column: 1, length: name.count + 2) }

  private static func characters(_ bytes: Substring.UTF8View) -> Int { Substring(bytes).count }
}
