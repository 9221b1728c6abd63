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
    let shown = visible(String(characters[start..<min(characters.count, start + width)]))
    let before = visible(String(characters[start..<place]))
    let room = max(1, shown.count - before.count)
    let marks = String(repeating: "^", count: max(1, min(length, room)))
    return ["  " + shown, "  " + String(repeating: " ", count: before.count) + marks]
  }

  /// An option as it was given, its value marked.
  static func option(_ name: String, _ value: String) -> [String] {
    lines("--\(name) \(value)", column: name.count + 4, length: max(1, value.count))
  }
}
