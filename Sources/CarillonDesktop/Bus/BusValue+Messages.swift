import CSystemd

extension BusValue {
  /// The most values that are read from one message. Ours have a dozen; what the bound keeps out is a peer that fills
  /// the memory.
  private static let limit = 10_000

  /// Reads what a message carries, from where its reading stands.
  ///
  /// - Parameter message: an `sd_bus_message`.
  /// - Returns: `nil` for what cannot be read, and for too much of it.
  package static func read(from message: OpaquePointer) -> [BusValue]? {
    var budget = limit
    return readAll(message, &budget)
  }

  /// Reads to the end of the message or of the container that is open.
  private static func readAll(_ message: OpaquePointer, _ budget: inout Int) -> [BusValue]? {
    var values: [BusValue] = []
    while true {
      var kind: CChar = 0
      var contents: UnsafePointer<CChar>?
      let result = sd_bus_message_peek_type(message, &kind, &contents)
      guard result >= 0 else { return nil }
      if result == 0 { return values }
      budget -= 1
      guard budget > 0, let value = readOne(message, kind, contents, &budget) else { return nil }
      values.append(value)
    }
  }

  private static func readOne(
    _ message: OpaquePointer, _ kind: CChar, _ contents: UnsafePointer<CChar>?, _ budget: inout Int
  ) -> BusValue? {
    switch UInt8(bitPattern: kind) {
    case UInt8(ascii: "s"): return readText(message, kind).map { .string($0) }
    case UInt8(ascii: "o"): return readText(message, kind).map { .objectPath($0) }
    // A boolean takes an int, as the library reads it.
    case UInt8(ascii: "b"): return readNumber(message, kind, Int32(0)).map { .bool($0 != 0) }
    case UInt8(ascii: "y"): return readNumber(message, kind, UInt8(0)).map { .byte($0) }
    case UInt8(ascii: "i"): return readNumber(message, kind, Int32(0)).map { .int32($0) }
    case UInt8(ascii: "u"): return readNumber(message, kind, UInt32(0)).map { .uint32($0) }
    case UInt8(ascii: "a"), UInt8(ascii: "v"), UInt8(ascii: "r"), UInt8(ascii: "e"):
      guard let contents, sd_bus_message_enter_container(message, kind, contents) > 0 else { return nil }
      // The library's text is of the open container's; entering it may move it.
      let element = sd_bus_message_get_signature(message, 0).map { String(cString: $0) } ?? ""
      guard let values = readAll(message, &budget), sd_bus_message_exit_container(message) >= 0 else {
        return nil
      }
      return container(kind, element, values)
    default: return sd_bus_message_skip(message, nil) >= 0 ? .other : nil
    }
  }

  private static func container(_ kind: CChar, _ element: String, _ values: [BusValue]) -> BusValue? {
    switch UInt8(bitPattern: kind) {
    case UInt8(ascii: "a"): .array(of: element, values)
    case UInt8(ascii: "v"): values.first.map { .variant($0) }
    case UInt8(ascii: "e"): values.count == 2 ? .entry(values[0], values[1]) : nil
    default: .structure(values)
    }
  }

  private static func readText(_ message: OpaquePointer, _ kind: CChar) -> String? {
    var text: UnsafePointer<CChar>?
    guard sd_bus_message_read_basic(message, kind, &text) > 0, let text else { return nil }
    return String(cString: text)
  }

  private static func readNumber<Number: BitwiseCopyable>(
    _ message: OpaquePointer, _ kind: CChar, _ zero: Number
  ) -> Number? {
    var number = zero
    return sd_bus_message_read_basic(message, kind, &number) > 0 ? number : nil
  }

  /// Appends it to a message that is being written.
  ///
  /// - Returns: negative where that failed, an errno.
  package func append(to message: OpaquePointer) -> Int32 {
    switch self {
    case .string(let text): return text.withCString { appendBasic(message, "s", $0) }
    case .objectPath(let text): return text.withCString { appendBasic(message, "o", $0) }
    case .bool(let value): return appendNumber(message, "b", Int32(value ? 1 : 0))
    case .byte(let value): return appendNumber(message, "y", value)
    case .int32(let value): return appendNumber(message, "i", value)
    case .uint32(let value): return appendNumber(message, "u", value)
    case .variant(let content): return appendAll(message, "v", content.signature, [content])
    case .array(let element, let elements): return appendAll(message, "a", element, elements)
    case .entry(let key, let value):
      return appendAll(message, "e", key.signature + value.signature, [key, value])
    case .structure(let members):
      return appendAll(message, "r", members.map(\.signature).joined(), members)
    case .other: return 0
    }
  }

  private func appendBasic(_ message: OpaquePointer, _ kind: Character, _ value: UnsafeRawPointer) -> Int32 {
    sd_bus_message_append_basic(message, CChar(kind.asciiValue ?? 0), value)
  }

  private func appendNumber<Number: BitwiseCopyable>(
    _ message: OpaquePointer, _ kind: Character, _ number: Number
  ) -> Int32 {
    withUnsafePointer(to: number) { appendBasic(message, kind, $0) }
  }

  private func appendAll(
    _ message: OpaquePointer, _ kind: Character, _ contents: String, _ values: [BusValue]
  ) -> Int32 {
    var result = sd_bus_message_open_container(message, CChar(kind.asciiValue ?? 0), contents)
    for value in values where result >= 0 { result = value.append(to: message) }
    return result < 0 ? result : sd_bus_message_close_container(message)
  }
}
