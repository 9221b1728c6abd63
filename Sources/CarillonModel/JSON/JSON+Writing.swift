/// Writes JSON text in UTF-8, compact, members in the order in which they are given.
public struct JSONWriter: Sendable {
  public private(set) var bytes: [UInt8] = []
  private var needsComma = false

  public init(reserving capacity: Int = 256) {
    bytes.reserveCapacity(capacity)
  }

  public mutating func beginObject() { open(UInt8(ascii: "{")) }
  public mutating func endObject() { close(UInt8(ascii: "}")) }
  public mutating func beginArray() { open(UInt8(ascii: "[")) }
  public mutating func endArray() { close(UInt8(ascii: "]")) }

  /// A member's name; its value must follow.
  public mutating func name(_ name: String) {
    separate()
    quote(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  public mutating func string(_ value: String) {
    separate()
    quote(value)
    needsComma = true
  }

  public mutating func integer(_ value: Int64) {
    separate()
    bytes.append(contentsOf: String(value).utf8)
    needsComma = true
  }

  public mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }
  public mutating func null() { literal("null") }

  /// A value that is JSON text already.
  public mutating func raw(_ text: some Sequence<UInt8>) {
    separate()
    bytes.append(contentsOf: text)
    needsComma = true
  }

  /// Members that are JSON text already (`"a":1,"b":2`); nothing where there are none.
  public mutating func rawMembers(_ text: some Collection<UInt8>) {
    if !text.isEmpty { raw(text) }
  }

  public mutating func value(_ value: JSON) {
    switch value {
    case .null: null()
    case .bool(let value): bool(value)
    case .integer(let value): integer(value)
    case .number(let value): literal(value.isFinite ? "\(value)" : "null")
    case .string(let value): string(value)
    case .array(let elements):
      beginArray()
      for element in elements { self.value(element) }
      endArray()
    case .object(let object):
      beginObject()
      members(object)
      endObject()
    }
  }

  public mutating func members(_ object: JSONObject) {
    for member in object.members {
      name(member.name)
      value(member.value)
    }
  }

  private mutating func literal(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
    needsComma = true
  }

  private mutating func open(_ byte: UInt8) {
    separate()
    bytes.append(byte)
    needsComma = false
  }

  private mutating func close(_ byte: UInt8) {
    bytes.append(byte)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  private mutating func quote(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { append(quoting: $0) }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Nearly all text is plain, and copied as it stands, a run at a time.
  private mutating func append(quoting text: UnsafeBufferPointer<UInt8>) {
    var start = 0
    for (index, byte) in text.enumerated() where JSONWriter.isEscaped(byte) {
      bytes.append(contentsOf: text[start..<index])
      append(escaping: byte)
      start = index + 1
    }
    bytes.append(contentsOf: text[start...])
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
  }

  private mutating func append(escaping byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    default:
      bytes.append(contentsOf: "u00".utf8)
      bytes.append(JSONWriter.hexadecimal[Int(byte >> 4)])
      bytes.append(JSONWriter.hexadecimal[Int(byte & 15)])
    }
  }

  private static let hexadecimal = Array("0123456789abcdef".utf8)
}

extension JSON {
  /// The value as compact JSON text in UTF-8.
  public var encoded: [UInt8] {
    var writer = JSONWriter()
    writer.value(self)
    return writer.bytes
  }

  /// The value as compact JSON text.
  public var encodedText: String { String(decoding: encoded, as: UTF8.self) }
}
