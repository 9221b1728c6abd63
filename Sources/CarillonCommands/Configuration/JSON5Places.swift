import CarillonModel

/// Where in a JSON5 text each value stands, so that a message can point at it; and whether the text is JSON5
/// at all.
///
/// Paths are written as refusals write them: `links.deny[2]`. A key's place is that of the key, an element's
/// that of its value.
struct JSON5Places: Sendable {
  struct Place: Sendable, Hashable {
    /// Counted from 1.
    let line: Int
    let column: Int
  }

  private var places: [String: Place] = [:]
  private var characters: [Unicode.Scalar]
  private var position = 0
  private var line = 1
  private var lineStart = 0

  subscript(path: String) -> Place? { places[path] }

  /// - Throws: `JSON5Fault` at the first character that JSON5 does not allow there, and at a key's second occurrence.
  init(_ text: String) throws(JSON5Fault) {
    characters = Array(text.unicodeScalars)
    if characters.first == "\u{FEFF}" { throw fault("begins with a byte order mark; save it as plain UTF-8") }
    try skipBlanks()
    try value(at: "", depth: 0)
    try skipBlanks()
    if position < characters.count { throw fault("something follows the value") }
    characters = []
  }

  private var current: Unicode.Scalar? { position < characters.count ? characters[position] : nil }

  private var place: Place { Place(line: line, column: position - lineStart + 1) }

  private func fault(_ message: String, at place: Place? = nil) -> JSON5Fault {
    let place = place ?? self.place
    return JSON5Fault(message: message, line: place.line, column: place.column)
  }

  private func unexpected(_ wanted: String) -> JSON5Fault {
    guard let current else { return fault("ends too early: \(wanted)") }
    return fault("\"\(printable(String(Character(current))))\" where \(wanted)")
  }

  private mutating func step() {
    if current == "\n" {
      line += 1
      lineStart = position + 1
    }
    position += 1
  }

  private mutating func value(at path: String, depth: Int) throws(JSON5Fault) {
    guard depth <= JSON.nestingLimit else {
      throw fault("nested more than \(JSON.nestingLimit) levels deep")
    }
    switch current {
    case "{": try object(at: path, depth: depth)
    case "[": try list(at: path, depth: depth)
    case "\"", "'": _ = try quoted()
    default: try word()
    }
  }

  private mutating func object(at path: String, depth: Int) throws(JSON5Fault) {
    step()
    var names: Set<String> = []
    while true {
      try skipBlanks()
      if current == "}" { break }
      let start = place
      let name = try key()
      let below = path.isEmpty ? name : "\(path).\(name)"
      guard names.insert(name).inserted else {
        throw fault("the key \"\(printable(name))\" is there twice", at: start)
      }
      places[below] = start
      try skipBlanks()
      guard current == ":" else {
        throw unexpected("a colon is missing after the key \"\(printable(name))\"")
      }
      step()
      try skipBlanks()
      try value(at: below, depth: depth + 1)
      guard try comma(or: "}") else { break }
    }
    step()
  }

  private mutating func list(at path: String, depth: Int) throws(JSON5Fault) {
    step()
    var index = 0
    while true {
      try skipBlanks()
      if current == "]" { break }
      let below = "\(path)[\(index)]"
      places[below] = place
      try value(at: below, depth: depth + 1)
      index += 1
      guard try comma(or: "]") else { break }
    }
    step()
  }

  /// Whether another element may follow.
  private mutating func comma(or end: Unicode.Scalar) throws(JSON5Fault) -> Bool {
    try skipBlanks()
    if current == end { return false }
    guard current == "," else { throw unexpected("a comma or \"\(end)\" is missing") }
    step()
    return true
  }

  private mutating func key() throws(JSON5Fault) -> String {
    if current == "\"" || current == "'" { return try quoted() }
    let name = run { $0.properties.isXIDContinue || $0 == "$" || $0 == "\\" }
    guard !name.isEmpty else { throw unexpected("a key is missing") }
    return name
  }

  /// A quoted text, its escapes left as they are.
  private mutating func quoted() throws(JSON5Fault) -> String {
    let mark = current
    let start = place
    var text = ""
    step()
    while let character = current, character != mark {
      if character == "\n" { throw fault("a text that begins here does not end on its line", at: start) }
      text.unicodeScalars.append(character)
      step()
      if character == "\\", let escaped = current {
        text.unicodeScalars.append(escaped)
        step()
      }
    }
    guard current == mark else { throw fault("a text that begins here does not end", at: start) }
    step()
    return text
  }

  /// A number or a literal; what it is worth, the decoder says.
  private mutating func word() throws(JSON5Fault) {
    let start = place
    let text = run { $0.properties.isXIDContinue || "+-.$".unicodeScalars.contains($0) }
    guard let first = text.unicodeScalars.first else { throw unexpected("a value is missing") }
    if "+-.0123456789".unicodeScalars.contains(first) {
      guard isJSON5Number(text) else { throw fault("\"\(printable(text))\" is no number", at: start) }
      return
    }
    guard ["true", "false", "null", "Infinity", "NaN"].contains(text) else {
      throw fault("\"\(printable(text))\" is no value; a text needs quotes", at: start)
    }
  }

  private mutating func run(while isPart: (Unicode.Scalar) -> Bool) -> String {
    var text = ""
    while let character = current, isPart(character) {
      text.unicodeScalars.append(character)
      step()
    }
    return text
  }

  /// Goes past blanks and comments.
  private mutating func skipBlanks() throws(JSON5Fault) {
    while let character = current {
      if character.properties.isWhitespace || character == "\u{FEFF}" {
        step()
      } else if character == "/", position + 1 < characters.count, characters[position + 1] == "/" {
        while let character = current, character != "\n" { step() }
      } else if character == "/", position + 1 < characters.count, characters[position + 1] == "*" {
        try skipComment()
      } else {
        return
      }
    }
  }

  private mutating func skipComment() throws(JSON5Fault) {
    let start = place
    step()
    step()
    while current != "*" || position + 1 >= characters.count || characters[position + 1] != "/" {
      guard current != nil else { throw fault("a comment that begins here does not end", at: start) }
      step()
    }
    step()
    step()
  }
}
