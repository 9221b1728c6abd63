// What templates make of values: numbers and booleans come as such or as text, and texts as numbers.
extension HomeAssistantCall {
  /// A text, or a number or truth value as text; `nil` where there is none.
  ///
  /// - Throws: `invalid` for a list or an object.
  static func text(_ name: String, of fields: Fields) throws(Refusal) -> String? {
    guard let value = fields[name] else { return nil }
    guard let text = value.scalarText else {
      throw fields.refusal(name, "expected a text, got \(value.kind)")
    }
    return text
  }

  func text(_ name: String, of fields: Fields) throws(Refusal) -> String? {
    try HomeAssistantCall.text(name, of: fields)
  }

  /// Gives the request a field, unless it has it already: what counts before was put before.
  mutating func put(_ field: String, _ value: JSON, from place: String) {
    switch request[field] {
    case nil, .null:
      request[field] = value
      origins[field] = place
    default: break
    }
  }

  /// A refusal of the request, at the place where the caller wrote what it is about.
  static func moved(_ refusal: Refusal, _ origins: [String: String]) -> Refusal {
    let head = String(refusal.path.prefix { $0 != "." && $0 != "[" })
    guard let origin = origins[head] else { return refusal }
    var tail = String(refusal.path.dropFirst(head.count))
    if head == "actions", let dot = tail.lastIndex(of: ".") {
      let words = ["id": "action", "url": "uri"]
      let word = String(tail[tail.index(after: dot)...])
      tail = String(tail[...dot]) + (words[word] ?? word)
    }
    var moved = refusal
    moved.path = origin + tail
    return moved
  }
}

extension JSON {
  /// The text of a text, a number or a truth value.
  var scalarText: String? {
    switch self {
    case .string(let text): text
    case .integer, .number, .bool: encodedText
    case .null, .array, .object: nil
    }
  }

  /// The whole number that the value is or that its text is.
  fileprivate var whole: Int64? { numeric.flatMap { Int64(exactly: $0) } }

  /// The same as a JSON value.
  var wholeNumber: JSON? { whole.map { .integer($0) } }

  /// What the value says as a truth value, in the words of templates.
  var flag: Bool? {
    switch self {
    case .bool(let flag): flag
    case .string(let word):
      switch word.lowercased() {
      case "true", "yes", "on": true
      case "false", "no", "off": false
      default: number
      }
    default: number
    }
  }

  private var number: Bool? {
    switch whole {
    case 1: true
    case 0: false
    default: nil
    }
  }
}
