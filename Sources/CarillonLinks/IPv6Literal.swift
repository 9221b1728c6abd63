/// An IPv6 address as it is written in links (RFC 4291 section 2.2), without a zone.
struct IPv6Literal {
  private let groups: [UInt16]

  /// `nil` where the bytes are no address.
  init?(_ bytes: ArraySlice<UInt8>) {
    let text = Array(bytes)
    guard let gap = IPv6Literal.gap(in: text) else {
      guard let all = IPv6Literal.groups(text[...]), all.count == 8 else { return nil }
      groups = all
      return
    }
    guard let head = IPv6Literal.groups(text[..<gap]), let tail = IPv6Literal.groups(text[(gap + 2)...]),
      head.count + tail.count < 8, !text[..<gap].contains(UInt8(ascii: "."))
    else { return nil }
    groups = head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
  }

  /// The canonical text: lower case, the longest run of zeros as `::` (RFC 5952 section 4).
  var text: String {
    let run = longestZeroRun
    let head = groups[..<run.lowerBound].map { String($0, radix: 16) }.joined(separator: ":")
    guard !run.isEmpty else { return head }
    let tail = groups[run.upperBound...].map { String($0, radix: 16) }.joined(separator: ":")
    return head + "::" + tail
  }

  /// Empty, at the end, where no two neighbours are zero.
  private var longestZeroRun: Range<Int> {
    var best = groups.count..<groups.count
    var start = 0
    while start < groups.count {
      let end = groups[start...].firstIndex { $0 != 0 } ?? groups.count
      if end - start > max(best.count, 1) { best = start..<end }
      start = end + 1
    }
    return best
  }

  private static func gap(in text: [UInt8]) -> Int? {
    text.indices.dropLast().first { text[$0] == UInt8(ascii: ":") && text[$0 + 1] == UInt8(ascii: ":") }
  }

  /// Groups of one to four hexadecimal digits between colons; the last may be an IPv4 address, which is two.
  private static func groups(_ text: ArraySlice<UInt8>) -> [UInt16]? {
    guard !text.isEmpty else { return [] }
    var groups: [UInt16] = []
    let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
        guard let embedded = embedded(part) else { return nil }
        groups += embedded
      } else {
        guard let group = group(part) else { return nil }
        groups.append(group)
      }
    }
    return groups
  }

  private static func group(_ part: ArraySlice<UInt8>) -> UInt16? {
    guard (1...4).contains(part.count) else { return nil }
    var value: UInt16 = 0
    for byte in part {
      guard let digit = PercentEncoding.digit(byte) else { return nil }
      value = value << 4 | UInt16(digit)
    }
    return value
  }

  private static func embedded(_ part: ArraySlice<UInt8>) -> [UInt16]? {
    let octets = part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).compactMap(octet)
    let dots = part.count { $0 == UInt8(ascii: ".") }
    guard octets.count == 4, dots == 3 else { return nil }
    return [UInt16(octets[0]) << 8 | UInt16(octets[1]), UInt16(octets[2]) << 8 | UInt16(octets[3])]
  }

  /// One decimal part of an IPv4 address, without leading zeros (RFC 3986 section 3.2.2, dec-octet).
  static func octet(_ part: ArraySlice<UInt8>) -> UInt8? {
    guard (1...3).contains(part.count), part.allSatisfy(isDigit),
      part.count == 1 || part.first != UInt8(ascii: "0")
    else { return nil }
    return UInt8(String(decoding: part, as: UTF8.self))
  }
}
