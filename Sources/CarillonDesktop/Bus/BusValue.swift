/// A value that travels over D-Bus: the kinds of the D-Bus specification that notifications and sessions have.
package indirect enum BusValue: Hashable, Sendable {
  case string(String)
  case objectPath(String)
  case bool(Bool)
  case byte(UInt8)
  case int32(Int32)
  case uint32(UInt32)
  case variant(BusValue)
  /// The elements, all of the kind whose signature is told.
  case array(of: String, [BusValue])
  /// One entry of a dictionary, which is an array of them.
  case entry(BusValue, BusValue)
  case structure([BusValue])
  /// A kind that nothing here needs. It is only read, and passed over.
  case other

  /// An array of texts, `as`.
  package static func strings(_ texts: [String]) -> BusValue { .array(of: "s", texts.map { .string($0) }) }

  /// A dictionary of variants, `a{sv}`, in the order of its keys.
  package static func options(_ options: [String: BusValue]) -> BusValue {
    .array(
      of: "{sv}",
      options.sorted { $0.key < $1.key }.map { .entry(.string($0.key), .variant($0.value)) })
  }

  /// The signature of its kind; empty for `other`.
  var signature: String {
    switch self {
    case .string: "s"
    case .objectPath: "o"
    case .bool: "b"
    case .byte: "y"
    case .int32: "i"
    case .uint32: "u"
    case .variant: "v"
    case .array(let element, _): "a\(element)"
    case .entry(let key, let value): "{\(key.signature)\(value.signature)}"
    case .structure(let members): "(\(members.map(\.signature).joined()))"
    case .other: ""
    }
  }
}

extension BusValue {
  /// The text of a string or an object path.
  package var text: String? {
    switch self {
    case .string(let text), .objectPath(let text): text
    default: nil
    }
  }

  /// The texts of an array, without whatever else is in it; `nil` for what is no array.
  package var texts: [String]? {
    if case .array(_, let elements) = self { elements.compactMap(\.text) } else { nil }
  }

  /// The entries of a dictionary with texts as keys, variants unpacked; empty for anything else.
  package var dictionary: [String: BusValue] {
    guard case .array(_, let elements) = self else { return [:] }
    var found: [String: BusValue] = [:]
    for case .entry(let key, let value) in elements {
      guard let key = key.text else { continue }
      if case .variant(let content) = value { found[key] = content } else { found[key] = value }
    }
    return found
  }
}
