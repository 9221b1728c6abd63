/// JSON Pointer (RFC 6901): where a value stands in a document.
enum JSONPointer {
  /// The reference tokens of a pointer, unescaped; none for the empty pointer, which is the whole document.
  ///
  /// - Throws: `invalid` where it does not begin with `/`, has a `~` that is neither `~0` nor `~1`, or is too long.
  static func tokens(_ text: String, at path: String) throws(Refusal) -> [String] {
    guard !text.isEmpty else { return [] }
    guard text.utf8.count <= Limits.expression else {
      throw Refusal(.invalid, at: path, "\(text.utf8.count) bytes; at most \(Limits.expression) are taken")
    }
    guard text.utf8.first == UInt8(ascii: "/") else {
      throw Refusal(
        .invalid, at: path, "a pointer begins with \"/\", as in \"/state\"; \"\" is the whole payload")
    }
    var tokens: [String] = []
    for token in text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      guard let unescaped = unescaped(token) else {
        throw Refusal(.invalid, at: path, "in a pointer \"~\" is written ~0 and \"/\" inside a name ~1")
      }
      tokens.append(unescaped)
    }
    return tokens
  }

  /// `nil` where a `~` stands alone.
  private static func unescaped(_ token: Substring.UTF8View) -> String? {
    var bytes: [UInt8] = []
    var isEscape = false
    for byte in token {
      if isEscape {
        switch byte {
        case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
        case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
        default: return nil
        }
      } else if byte != UInt8(ascii: "~") {
        bytes.append(byte)
      }
      isEscape = !isEscape && byte == UInt8(ascii: "~")
    }
    return isEscape ? nil : String(decoding: bytes, as: UTF8.self)
  }
}

extension JSON {
  /// The value at the reference tokens of a pointer; `nil` where there is none. An element of a list is named by its
  /// number from 0, without leading zeros.
  func value(at tokens: [String]) -> JSON? {
    var value = self
    for token in tokens {
      let next: JSON?
      switch value {
      case .object(let object): next = object[token]
      case .array(let elements):
        next = JSON.index(token).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
      default: next = nil
      }
      guard let next else { return nil }
      value = next
    }
    return value
  }

  private static func index(_ token: String) -> Int? {
    let isNumber =
      !token.isEmpty && token.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isNumber, token.utf8.count == 1 || token.utf8.first != UInt8(ascii: "0") else { return nil }
    return Int(token)
  }
}
