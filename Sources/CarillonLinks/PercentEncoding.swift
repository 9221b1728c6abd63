/// Percent-encoding (RFC 3986 section 2.1) on bytes. Whoever decodes has split first; nothing is decoded twice.
enum PercentEncoding {
  /// The value of a hexadecimal digit.
  static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// RFC 3986 section 2.3: the characters that never need an escape.
  static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// Appends one byte as an escape, in capitals as section 2.1 wants producers to write it.
  static func escape(_ byte: UInt8, into bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "%"))
    bytes.append(capitals[Int(byte >> 4)])
    bytes.append(capitals[Int(byte & 15)])
  }

  /// Appends a text with everything but unreserved characters escaped.
  static func encode(_ text: some Sequence<UInt8>, into bytes: inout [UInt8]) {
    for byte in text {
      if isUnreserved(byte) { bytes.append(byte) } else { escape(byte, into: &bytes) }
    }
  }

  /// The byte at `index`, decoded, and the place after it. A link's escapes have been checked when it was read,
  /// so a `%` without two digits does not occur; it would stand for itself.
  @inline(__always)
  static func next(_ bytes: [UInt8], _ index: inout Int, end: Int, plusIsBlank: Bool) -> UInt8 {
    let byte = bytes[index]
    index += 1
    if byte == UInt8(ascii: "%"), index + 1 < end, let high = digit(bytes[index]),
      let low = digit(bytes[index + 1])
    {
      index += 2
      return high << 4 | low
    }
    return plusIsBlank && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte
  }

  static func decode(_ bytes: [UInt8], _ range: Range<Int>, plusIsBlank: Bool = false) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(range.count)
    var index = range.lowerBound
    while index < range.upperBound {
      result.append(next(bytes, &index, end: range.upperBound, plusIsBlank: plusIsBlank))
    }
    return result
  }

  /// Whether a range decodes to exactly these bytes; decodes nothing into memory.
  static func decodes(_ bytes: [UInt8], _ range: Range<Int>, to literal: [UInt8], plusIsBlank: Bool = false)
    -> Bool
  {
    guard range.count >= literal.count else { return false }
    var index = range.lowerBound
    for expected in literal {
      guard index < range.upperBound else { return false }
      if next(bytes, &index, end: range.upperBound, plusIsBlank: plusIsBlank) != expected { return false }
    }
    return index == range.upperBound
  }

  private static let capitals = Array("0123456789ABCDEF".utf8)
}
