/// The longest delivery id that a device takes, in bytes. The relay's own are under 100; what the bound keeps out is
/// a stray publisher's novel in the place of a key.
let deliveryLimit = 512

/// The longest request id, in bytes (protocol §3).
let identifierLimit = 256

extension Fields {
  /// A text that names something: there, not empty, no control characters, at most `limit` bytes.
  func identifier(_ name: String, limit: Int) throws(Refusal) -> String {
    guard let text = try string(name) else { throw refusal(name, "is missing") }
    let count = text.utf8.count
    guard (1...limit).contains(count) else {
      throw refusal(name, "takes 1 to \(limit) bytes, not \(count)")
    }
    guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw refusal(name, "holds a control character")
    }
    return text
  }

  /// The same, where it may be left out.
  func optionalIdentifier(_ name: String, limit: Int) throws(Refusal) -> String? {
    has(name) ? try identifier(name, limit: limit) : nil
  }
}

extension JSONWriter {
  /// A member that is a text or null.
  mutating func text(_ name: String, _ value: String?) {
    self.name(name)
    if let value { string(value) } else { null() }
  }

  /// A member that is left out where there is no text.
  mutating func optional(_ name: String, _ value: String?) {
    if let value { text(name, value) }
  }
}

extension JSON {
  /// Reads a message's payload; what is not JSON is the sender's mistake.
  init(payload bytes: [UInt8]) throws(Refusal) {
    do { self = try JSON(parsing: bytes) } catch { throw Refusal(.malformed, error.message) }
  }
}
