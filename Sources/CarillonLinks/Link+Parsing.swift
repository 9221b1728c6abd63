import CarillonModel

extension Link {
  /// Reads a link strictly.
  ///
  /// - Throws: `invalid` for a missing scheme, a bad escape, a control character, a blank, a backslash before the
  ///   query (browsers read it as a slash), user-info, a dot segment (also as `%2e`), a host that is none, a port
  ///   beyond 65535, a web link without a host, or more than 8 KiB.
  public init(parsing text: String) throws(Refusal) {
    let given = Array(text.utf8)
    guard given.count <= Link.lengthLimit else { throw Link.tooLong(given.count) }
    if try Link.inspect(given) {
      try self.init(splitting: given, text: text)
    } else {
      let wire = try Link.encoded(given)
      guard wire.count <= Link.lengthLimit else { throw Link.tooLong(wire.count) }
      try self.init(splitting: wire, text: String(decoding: wire, as: UTF8.self))
    }
  }

  private static func tooLong(_ count: Int) -> Refusal {
    Refusal(.invalid, "a link may have \(lengthLimit) bytes, this one has \(count)")
  }

  /// Refuses what no link may hold anywhere; tells whether all of it is ASCII.
  private static func inspect(_ bytes: [UInt8]) throws(Refusal) -> Bool {
    var isASCII = true
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case UInt8(ascii: " "): throw Refusal(.invalid, "a blank at byte \(index + 1); write it as %20")
      case 0..<0x20, 0x7F: throw control(at: index)
      case UInt8(ascii: "%"):
        guard index + 2 < bytes.count, PercentEncoding.digit(bytes[index + 1]) != nil,
          PercentEncoding.digit(bytes[index + 2]) != nil
        else {
          throw Refusal(.invalid, "a bad escape at byte \(index + 1); a percent sign itself is %25")
        }
      case 0x80...: isASCII = false
      default: break
      }
      // U+0080 to U+009F, the second set of control characters.
      if byte == 0xC2, bytes[index + 1] < 0xA0 { throw control(at: index) }
    }
    return isASCII
  }

  private static func control(at index: Int) -> Refusal {
    Refusal(.invalid, "a control character at byte \(index + 1)")
  }

  /// A link with non-ASCII characters as it travels.
  private static func encoded(_ given: [UInt8]) throws(Refusal) -> [UInt8] {
    var wire: [UInt8] = []
    wire.reserveCapacity(given.count * 2)
    var rest = given[...]
    if let authority = authority(of: given), given[authority].contains(where: { $0 >= 0x80 }) {
      try refuseUserInfo(given[authority])
      // A colon cannot be part of a non-ASCII host: the last one begins the port.
      let host = given[authority].lastIndex(of: UInt8(ascii: ":")) ?? authority.upperBound
      wire += given[..<authority.lowerBound]
      wire += try HostName.aLabels(given[authority.lowerBound..<host])
      rest = given[host...]
    }
    for byte in rest {
      if byte < 0x80 { wire.append(byte) } else { PercentEncoding.escape(byte, into: &wire) }
    }
    return wire
  }

  /// The place between `//` and the path, where there is such a part (RFC 3986 section 3.2).
  static func authority(of bytes: [UInt8]) -> Range<Int>? {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let start = colon + 3
    guard start <= bytes.count, bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/")
    else { return nil }
    let end = bytes[start...].firstIndex {
      $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
    }
    return start..<(end ?? bytes.count)
  }

  private static func refuseUserInfo(_ authority: ArraySlice<UInt8>) throws(Refusal) {
    if authority.contains(UInt8(ascii: "@")) {
      throw Refusal(
        .invalid, "a user name before the host (\"…@\"); links carry none, since they hide the host")
    }
  }
}

extension Link {
  /// Splits ASCII bytes that `inspect` has passed.
  private init(splitting bytes: [UInt8], text: String) throws(Refusal) {
    let scheme = try Link.scheme(of: bytes)
    let authority = Link.authority(of: bytes)
    var host: String?
    var port: UInt16?
    if let authority {
      (host, port) = try Link.hostAndPort(bytes[authority], isWeb: Link.isWeb(scheme: scheme))
    }
    if Link.isWeb(scheme: scheme), (host ?? "").isEmpty {
      throw Refusal(.invalid, "a web link names its host: \(scheme)://host/…")
    }
    let start = authority?.upperBound ?? scheme.utf8.count + 1
    let hash = bytes[start...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
    let mark = bytes[start..<hash].firstIndex(of: UInt8(ascii: "?")) ?? hash
    try Link.inspectPath(bytes, start..<mark)
    self.init(
      text: text, bytes: bytes, scheme: scheme, host: host, port: port, path: start..<mark,
      query: mark < hash ? mark + 1..<hash : nil,
      fragment: hash < bytes.count ? hash + 1..<bytes.count : nil)
  }

  /// RFC 3986 section 3.1.
  private static func scheme(of bytes: [UInt8]) throws(Refusal) -> String {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), isScheme(bytes[..<colon]) else {
      throw Refusal(.invalid, "no scheme; a link is absolute, like https://example.org/page or myapp://page")
    }
    return String(decoding: bytes[..<colon].map(lowercased), as: UTF8.self)
  }

  /// A scheme named by itself, in lower case; `nil` where the text is none.
  public static func scheme(named text: String) -> String? {
    let bytes = text.utf8.map(lowercased)
    return isScheme(bytes) ? String(decoding: bytes, as: UTF8.self) : nil
  }

  static func isScheme(_ bytes: some Collection<UInt8>) -> Bool {
    guard let first = bytes.first, isLetter(first) else { return false }
    return bytes.allSatisfy {
      isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
        || $0 == UInt8(ascii: ".")
    }
  }

  /// RFC 3986 sections 3.2.2 and 3.2.3.
  private static func hostAndPort(
    _ authority: ArraySlice<UInt8>, isWeb: Bool
  ) throws(Refusal) -> (String, UInt16?) {
    try refuseUserInfo(authority)
    var host = authority
    var digits: ArraySlice<UInt8> = []
    let afterLiteral = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
    if let colon = authority[afterLiteral...].lastIndex(of: UInt8(ascii: ":")) {
      host = authority[..<colon]
      digits = authority[(colon + 1)...]
    }
    guard !digits.isEmpty else { return (try HostName.canonical(host, isWeb: isWeb), nil) }
    guard digits.allSatisfy(isDigit), let port = UInt16(String(decoding: digits, as: UTF8.self)) else {
      throw Refusal(.invalid, "what follows the host's colon is no port (0 to 65535)")
    }
    return (try HostName.canonical(host, isWeb: isWeb), port)
  }

  private static func inspectPath(_ bytes: [UInt8], _ path: Range<Int>) throws(Refusal) {
    if bytes[path].contains(UInt8(ascii: "\\")) {
      throw Refusal(.invalid, "a backslash; browsers read it as a slash, so write %5C where one is meant")
    }
    for segment in bytes[path].split(separator: UInt8(ascii: "/")) where isDotSegment(segment) {
      throw Refusal(.invalid, "a dot segment (\".\" or \"..\", plain or as %2e); write the path it leads to")
    }
  }

  /// Whether a segment is `.` or `..` (RFC 3986 section 3.3) in any mixture of plain dots and escapes.
  private static func isDotSegment(_ segment: ArraySlice<UInt8>) -> Bool {
    var dots = 0
    var rest = segment
    while let byte = rest.first {
      if byte == UInt8(ascii: ".") {
        rest = rest.dropFirst()
      } else if byte == UInt8(ascii: "%"), rest.count >= 3, rest[rest.startIndex + 1] == UInt8(ascii: "2"),
        rest[rest.startIndex + 2] | 0x20 == UInt8(ascii: "e")
      {
        rest = rest.dropFirst(3)
      } else {
        return false
      }
      dots += 1
      if dots > 2 { return false }
    }
    return dots > 0
  }
}

func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

func isLetter(_ byte: UInt8) -> Bool {
  let lower = byte | 0x20
  return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
}

/// ASCII lower case; other bytes stay.
func lowercased(_ byte: UInt8) -> UInt8 {
  byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
}
