/// A link cut at its separators, for matching: places in its bytes, nothing decoded yet. Made once a link, however
/// many routes look at it.
struct SplitLink {
  struct Pair {
    let name: Range<Int>
    /// `nil` where there is no `=`.
    let value: Range<Int>?
  }

  let bytes: [UInt8]
  /// The path between its slashes; one trailing slash is left out, since it does not matter.
  let segments: [Range<Int>]
  /// The empty segment after the trailing slash that was left out.
  let trailing: Range<Int>?
  /// The query between its `&`, in the order given; empty pairs are left out.
  let pairs: [Pair]

  init(_ link: Link) {
    bytes = link.bytes
    var segments = SplitLink.segments(link)
    trailing = segments.last?.isEmpty == true ? segments.removeLast() : nil
    self.segments = segments
    pairs = SplitLink.pairs(link)
  }

  /// All segments, the empty one after a trailing slash included.
  static func segments(_ link: Link) -> [Range<Int>] {
    guard !link.pathRange.isEmpty else { return [] }
    // Beside a host the path begins with a slash, which opens the first segment.
    let start = link.pathRange.lowerBound + (link.isOpaque ? 0 : 1)
    return pieces(link.bytes, start..<link.pathRange.upperBound, at: UInt8(ascii: "/"))
  }

  static func pairs(_ link: Link) -> [Pair] {
    guard let query = link.queryRange else { return [] }
    return pieces(link.bytes, query, at: UInt8(ascii: "&")).compactMap { piece in
      if piece.isEmpty { return nil }
      guard let equals = link.bytes[piece].firstIndex(of: UInt8(ascii: "=")) else {
        return Pair(name: piece, value: nil)
      }
      return Pair(name: piece.lowerBound..<equals, value: equals + 1..<piece.upperBound)
    }
  }

  /// The first pair of that decoded name: of a repeated key the first counts.
  func first(_ name: [UInt8], plusIsBlank: Bool) -> Pair? {
    for pair in pairs
    where PercentEncoding.decodes(bytes, pair.name, to: name, plusIsBlank: plusIsBlank) {
      return pair
    }
    return nil
  }

  private static func pieces(_ bytes: [UInt8], _ range: Range<Int>, at separator: UInt8) -> [Range<Int>] {
    var pieces: [Range<Int>] = []
    var start = range.lowerBound
    for index in range where bytes[index] == separator {
      pieces.append(start..<index)
      start = index + 1
    }
    pieces.append(start..<range.upperBound)
    return pieces
  }
}
