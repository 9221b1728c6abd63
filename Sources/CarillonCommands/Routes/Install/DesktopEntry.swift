import CarillonModel

/// The entry that makes this program known to a desktop as one that opens links (Desktop Entry Specification 1.5).
enum DesktopEntry {
  /// What the desktop calls the program: its file's name.
  static let identifier = "carillon.desktop"
  static let group = "Desktop Entry"
  static let types = "MimeType"
  /// A key of our own, by which the file is known as one that this program has written.
  static let mark = "X-Carillon-Links"

  /// The MIME type that stands for a scheme.
  static func type(of scheme: String) -> String { "x-scheme-handler/\(scheme)" }

  /// The schemes that an entry says it opens, in its order.
  static func schemes(in file: KeyFile) -> [String] {
    file.list(types, in: group).filter { $0.hasPrefix(type(of: "")) }.map {
      String($0.dropFirst(type(of: "").count))
    }
  }

  /// The file's text.
  ///
  /// - Parameters:
  ///   - command: the program and its arguments; the link is added behind them.
  ///   - schemes: which links it opens.
  static func text(command: [String], schemes: [String]) -> String {
    """
    [Desktop Entry]
    Type=Application
    Name=Carillon
    Comment=Opens links as this machine's routes say
    Exec=\(command.map(argument).joined(separator: " ")) %u
    NoDisplay=true
    Terminal=false
    MimeType=\(schemes.map { type(of: $0) + ";" }.joined())
    \(mark)=true

    """
  }

  /// An argument of `Exec`. It stands in quotes only where it must: programs that read the key by themselves, such as
  /// xdg-open, take the quotes for a part of the name.
  static func argument(_ text: String) -> String {
    let doubled = text.replacing("%", with: "%%")
    guard text.isEmpty || text.utf8.contains(where: { reserved.contains($0) }) else { return doubled }
    var quoted = ""
    for character in doubled {
      switch character {
      // Once for the quotes, and what that makes once more for the value, whose backslashes are escapes themselves.
      case "\\": quoted += "\\\\\\\\"
      case "\"", "`", "$": quoted += "\\\\\(character)"
      default: quoted.append(character)
      }
    }
    return "\"\(quoted)\""
  }

  private static let reserved = Set(" \t\n\"'\\><~|&;$*?#()`".utf8)
}
