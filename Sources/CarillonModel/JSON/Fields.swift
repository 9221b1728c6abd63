import FoundationEssentials

/// Reads an object field by field, strictly: every getter says what it expects at which place, and what nobody asked
/// for is refused by name at the end. Commands, routes and configuration files are all read through it.
public struct Fields: Sendable {
  public let object: JSONObject
  /// The place of the object; empty for the outermost.
  public let path: String

  public init(_ object: JSONObject, at path: String = "") {
    self.object = object
    self.path = path
  }

  /// - Throws: `invalid` where the value is not an object.
  public init(_ value: JSON, at path: String = "") throws(Refusal) {
    guard case .object(let object) = value else {
      throw Refusal(.invalid, at: path, "expected an object, got \(value.kind)")
    }
    self.init(object, at: path)
  }

  /// The place of one field.
  public func place(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  /// The value, where the field is there and not null.
  public subscript(name: String) -> JSON? {
    switch object[name] {
    case nil, .null: nil
    case let value: value
    }
  }

  public func has(_ name: String) -> Bool { self[name] != nil }

  /// An `invalid` refusal at a field.
  public func refusal(_ name: String, _ message: String) -> Refusal {
    Refusal(.invalid, at: place(name), message)
  }

  /// - Throws: `unknown-field` that names the first field which is not among `known`.
  public func allow(only known: Set<String>) throws(Refusal) {
    for member in object.members where !known.contains(member.name) {
      let name = printable(member.name)
      let near = nearest(to: member.name, among: known).map { "; did you mean \"\($0)\"?" } ?? ""
      throw Refusal(.unknownField, at: place(name), "there is no field \"\(name)\" here\(near)")
    }
  }

  public func string(_ name: String) throws(Refusal) -> String? {
    guard let value = self[name] else { return nil }
    guard case .string(let text) = value else {
      throw refusal(name, "expected a text, got \(value.kind)")
    }
    return text
  }

  public func bool(_ name: String) throws(Refusal) -> Bool? {
    guard let value = self[name] else { return nil }
    guard case .bool(let flag) = value else {
      throw refusal(name, "expected true or false, got \(value.kind)")
    }
    return flag
  }

  /// A whole number within a range. `1e3` and `3.0` are whole numbers too.
  public func integer(_ name: String, in range: ClosedRange<Int64>) throws(Refusal) -> Int64? {
    guard let value = self[name] else { return nil }
    let whole: Int64? =
      switch value {
      case .integer(let number): number
      case .number(let number): Int64(exactly: number)
      default: nil
      }
    guard let whole else {
      let given = if case .number = value { printable(value.encodedText) } else { value.kind }
      throw refusal(name, "expected a whole number, got \(given)")
    }
    guard range.contains(whole) else {
      throw refusal(name, "\(whole) is not within \(range.lowerBound) to \(range.upperBound)")
    }
    return whole
  }

  public func number(_ name: String) throws(Refusal) -> Double? {
    switch self[name] {
    case nil: return nil
    case .integer(let number): return Double(number)
    case .number(let number): return number
    case let value?: throw refusal(name, "expected a number, got \(value.kind)")
    }
  }

  public func list(_ name: String) throws(Refusal) -> [JSON]? {
    guard let value = self[name] else { return nil }
    guard case .array(let elements) = value else {
      throw refusal(name, "expected a list, got \(value.kind)")
    }
    return elements
  }

  /// A list of texts.
  public func strings(_ name: String) throws(Refusal) -> [String]? {
    guard let elements = try list(name) else { return nil }
    var texts: [String] = []
    for (index, element) in elements.enumerated() {
      guard case .string(let text) = element else {
        throw refusal("\(name)[\(index)]", "expected a text, got \(element.kind)")
      }
      texts.append(text)
    }
    return texts
  }

  public func object(_ name: String) throws(Refusal) -> Fields? {
    guard let value = self[name] else { return nil }
    return try Fields(value, at: place(name))
  }

  /// One of the cases of an enumeration.
  public func choice<Choice>(_ name: String, _ type: Choice.Type) throws(Refusal) -> Choice?
  where Choice: RawRepresentable<String> & CaseIterable {
    guard let text = try string(name) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let all = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw refusal(name, "\"\(printable(text))\" is none of \(all)")
    }
    return choice
  }
}

/// A text cut to `limit` characters and freed of control characters, fit for a message.
public func printable(_ text: String, limit: Int = 64) -> String {
  var result = ""
  for (index, scalar) in text.unicodeScalars.enumerated() {
    if index == limit { return result + "…" }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator:
      result += "\\u{" + String(scalar.value, radix: 16) + "}"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// The known name that a mistyped one most resembles, at most two edits away and under half its length.
public func nearest(to name: String, among known: some Sequence<String>) -> String? {
  guard name.utf8.count <= 64 else { return nil }
  let typed = Array(name.lowercased().utf8)
  let scored = known.map { (name: $0, edits: edits(typed, Array($0.lowercased().utf8))) }
  let best = scored.filter { $0.edits <= 2 && $0.edits * 2 < max($0.name.utf8.count, 2) }
  return best.min { ($0.edits, $0.name) < ($1.edits, $1.name) }?.name
}

/// Levenshtein distance.
private func edits(_ left: [UInt8], _ right: [UInt8]) -> Int {
  var row = Array(0...right.count)
  for (i, a) in left.enumerated() {
    var diagonal = row[0]
    row[0] = i + 1
    for (j, b) in right.enumerated() {
      let substituted = diagonal + (a == b ? 0 : 1)
      diagonal = row[j + 1]
      row[j + 1] = min(substituted, row[j] + 1, row[j + 1] + 1)
    }
  }
  return row[right.count]
}
