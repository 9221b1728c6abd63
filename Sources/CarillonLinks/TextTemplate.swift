import CarillonModel

/// A text of a route with places to fill: `/{genre}/{item}`. A doubled brace stands for itself, as in Swift's and
/// Python's kin; a single one that opens no name is refused, so that a slip of the pen is not shown to users as text.
struct TextTemplate: Hashable, Sendable {
  enum Part: Hashable, Sendable {
    case text(String)
    case value(String)
  }

  /// As it was written.
  let text: String
  let parts: [Part]

  /// - Throws: `invalid` for a brace that belongs to no name, and for NUL, which no argument can hold.
  init(parsing text: String) throws(Refusal) {
    self.text = text
    let bytes = Array(text.utf8)
    if bytes.contains(0) { throw Refusal(.invalid, "a NUL character") }
    var parts: [Part] = []
    var literal: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      let isDoubled = index + 1 < bytes.count && bytes[index + 1] == byte
      if byte != UInt8(ascii: "{"), byte != UInt8(ascii: "}") {
        literal.append(byte)
        index += 1
      } else if isDoubled {
        literal.append(byte)
        index += 2
      } else {
        let name = try TextTemplate.name(bytes, openedAt: index)
        if !literal.isEmpty { parts.append(.text(String(decoding: literal, as: UTF8.self))) }
        literal = []
        parts.append(.value(String(decoding: name, as: UTF8.self)))
        index += name.count + 2
      }
    }
    if !literal.isEmpty { parts.append(.text(String(decoding: literal, as: UTF8.self))) }
    self.parts = parts
  }

  private static func name(_ bytes: [UInt8], openedAt index: Int) throws(Refusal) -> ArraySlice<UInt8> {
    guard bytes[index] == UInt8(ascii: "{"), let close = bytes[index...].firstIndex(of: UInt8(ascii: "}")),
      isParameterName(bytes[(index + 1)..<close])
    else {
      throw Refusal(
        .invalid, "a brace that opens no parameter; write {name}, or {{ and }} for the braces themselves")
    }
    return bytes[(index + 1)..<close]
  }

  /// The names in it.
  var names: [String] {
    parts.compactMap { part in
      if case .value(let name) = part { name } else { nil }
    }
  }

  /// The text with its places filled.
  func fill(_ value: (String) -> FilledText) -> FilledText {
    var result = FilledText(text: "", isLedByParameter: false)
    for (index, part) in parts.enumerated() {
      let next =
        switch part {
        case .text(let text): FilledText(text: text, isLedByParameter: false)
        case .value(let name): value(name)
        }
      // Also where that is empty: it lets what follows lead.
      if index == 0 { result.isLedByParameter = next.isLedByParameter }
      result.text += next.text
    }
    return result
  }
}

/// A text of which one knows whether a link has its first place: what stands there came from the link, or does so because
/// the link has nothing there.
struct FilledText: Hashable, Sendable {
  var text: String
  var isLedByParameter: Bool

  static func parameter(_ text: String) -> FilledText { FilledText(text: text, isLedByParameter: true) }

  /// Whether a program would take it as an option only because of what the link holds.
  var isInjectedOption: Bool { isLedByParameter && text.utf8.first == UInt8(ascii: "-") }
}
