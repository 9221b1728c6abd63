import CJansson

/// Why bytes are not JSON, and where.
public struct MalformedJSON: Error, Hashable, Sendable {
  public var message: String
  /// Line and column, counted from 1; 0 where there is no place to name.
  public var line: Int
  public var column: Int
}

extension JSON {
  /// The deepest nesting that is read; deeper input is refused as malformed (protocol §2).
  public static let nestingLimit = 64

  /// Reads one JSON text in UTF-8, strictly: no byte order mark, no duplicate names, no NaN, no lone surrogates,
  /// nothing after the value.
  ///
  /// - Throws: `MalformedJSON`, with the place.
  public init(parsing bytes: [UInt8]) throws(MalformedJSON) {
    var failure = json_error_t()
    let root = JSON.load(bytes, 0, &failure)
    guard let root else { throw MalformedJSON(failure, bytes) }
    defer { carillon_json_decref(root) }
    guard let value = JSON(root, depth: 0) else {
      throw MalformedJSON(
        message: "nested more than \(JSON.nestingLimit) levels deep", line: 0, column: 0)
    }
    self = value
  }

  /// The parser stops at whole numbers beyond 64 bits; they are read once more as floating point, since
  /// RFC 8259 allows them and the field that holds one can then say what is wrong with it.
  private static func load(
    _ bytes: [UInt8], _ more: Int, _ failure: inout json_error_t
  ) -> UnsafeMutablePointer<json_t>? {
    let flags = Int(JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY) | more
    let root = bytes.withUnsafeBytes { raw in
      json_loadb(raw.baseAddress, raw.count, flags, &failure)
    }
    if root == nil, more == 0, json_error_code(&failure) == json_error_numeric_overflow {
      return load(bytes, Int(JSON_DECODE_INT_AS_REAL), &failure)
    }
    return root
  }

  /// `nil` where the nesting is too deep.
  private init?(_ node: UnsafeMutablePointer<json_t>, depth: Int) {
    switch node.pointee.type {
    case JSON_OBJECT:
      guard depth < JSON.nestingLimit else { return nil }
      var object = JSONObject()
      object.reserveCapacity(json_object_size(node))
      var iterator = json_object_iter(node)
      while let current = iterator {
        guard let child = json_object_iter_value(current), let value = JSON(child, depth: depth + 1)
        else { return nil }
        object.append(String(cString: json_object_iter_key(current)), value)
        iterator = json_object_iter_next(node, current)
      }
      self = .object(object)
    case JSON_ARRAY:
      guard depth < JSON.nestingLimit else { return nil }
      let count = json_array_size(node)
      var elements: [JSON] = []
      elements.reserveCapacity(count)
      for index in 0..<count {
        guard let child = json_array_get(node, index), let value = JSON(child, depth: depth + 1)
        else { return nil }
        elements.append(value)
      }
      self = .array(elements)
    case JSON_STRING:
      let bytes = UnsafeRawBufferPointer(
        start: json_string_value(node), count: json_string_length(node))
      self = .string(String(decoding: bytes, as: UTF8.self))
    case JSON_INTEGER: self = .integer(json_integer_value(node))
    case JSON_REAL: self = .number(json_real_value(node))
    case JSON_TRUE: self = .bool(true)
    case JSON_FALSE: self = .bool(false)
    default: self = .null
    }
  }
}

extension MalformedJSON {
  fileprivate init(_ failure: json_error_t, _ bytes: [UInt8]) {
    var failure = failure
    let code = json_error_code(&failure)
    line = Int(failure.line)
    column = Int(failure.column)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      message = "begins with a byte order mark; send plain UTF-8"
      return
    }
    if JSON.holdsTemplate(bytes) {
      message =
        "holds a template that was not rendered; Home Assistant renders the payload of mqtt.publish, "
        + "and no template inside another"
      return
    }
    if let word = JSON.templateWord(bytes) {
      message =
        "\(word) is no JSON: it is what a Home Assistant template gives where there is nothing; "
        + "build the payload as an object and pass it through to_json"
      return
    }
    if JSON.looksLikePython(bytes) {
      message =
        "this is Python notation, not JSON: write \"title\" with double quotes, true/false/null, "
        + "or pass the value through Home Assistant's to_json filter"
      return
    }
    message =
      switch code {
      case json_error_invalid_utf8: "not valid UTF-8"
      case json_error_premature_end_of_input: "ends too early"
      case json_error_end_of_input_expected: "something follows the value"
      case json_error_duplicate_key: "one name occurs twice in an object"
      case json_error_null_byte_in_key: "a name holds a NUL character"
      case json_error_numeric_overflow: "a number is out of range"
      case json_error_stack_overflow: "nested more than \(JSON.nestingLimit) levels deep"
      default: "not valid JSON"
      }
    if line > 0, column > 0 { message += " (line \(line), column \(column))" }
  }
}

extension JSON {
  /// Whether refused bytes begin the way a printed Python dictionary does. A template that prints one instead of
  /// passing it through a JSON filter is the commonest slip of Home Assistant's users.
  static func looksLikePython(_ bytes: [UInt8]) -> Bool {
    var opened = false
    for byte in bytes {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): opened = true
      case UInt8(ascii: "'"): return opened
      default: return opened && pythonConstant(bytes)
      }
    }
    return false
  }

  /// Whether a text holds a Jinja template as it was written. In JSON neither sign can stand outside a text.
  static func holdsTemplate(_ text: some Collection<UInt8>) -> Bool {
    var last: UInt8 = 0
    var isOpen = false
    for byte in text {
      if last == UInt8(ascii: "{"), byte == last || byte == UInt8(ascii: "%") { isOpen = true }
      if isOpen, byte == UInt8(ascii: "}"), last == byte || last == UInt8(ascii: "%") { return true }
      last = byte
    }
    return false
  }

  /// The whole payload, where it is a word that a template gives for a value that is not there.
  static func templateWord(_ bytes: [UInt8]) -> String? {
    guard bytes.count <= 16 else { return nil }
    let words = String(decoding: bytes, as: UTF8.self).split { " \n\r\t".contains($0) }
    guard words.count == 1, let word = words.first.map(String.init) else { return nil }
    return ["None", "True", "False", "unknown", "unavailable", "undefined"].contains(word) ? word : nil
  }

  private static func pythonConstant(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    return [": True", ": False", ": None", ": '"].contains { text.contains($0) }
  }
}
