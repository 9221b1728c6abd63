/// A whole-value pattern (protocol §3): `*` stands for any run of characters, also none; everything else for itself.
///
/// There is no escape: a `*` in a value is matched by a `*` in the pattern, as anything is.
public struct Pattern: Hashable, Sendable {
  public let text: String

  public init(_ text: String) {
    self.text = text
  }

  /// Whether the whole value fits. It takes time in proportion to the value and the pattern, whatever they hold: each
  /// part between two stars is looked for once, from where the one before it ended first.
  public func matches(_ value: String) -> Bool {
    let parts = Array(text.utf8).split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
    let bytes = Array(value.utf8)
    guard let first = parts.first, let last = parts.last, parts.count > 1 else {
      return bytes.elementsEqual(text.utf8)
    }
    guard bytes.count >= first.count + last.count, bytes.starts(with: first),
      bytes.suffix(last.count).elementsEqual(last)
    else { return false }
    var rest = bytes[first.count..<bytes.count - last.count]
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let end = Pattern.end(of: Array(part), in: rest) else { return false }
      rest = rest[end...]
    }
    return true
  }

  /// Behind the first place where a part occurs (Knuth, Morris and Pratt).
  private static func end(of part: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    let borders = borders(of: part)
    var matched = 0
    for place in bytes.indices {
      while matched > 0, part[matched] != bytes[place] { matched = borders[matched - 1] }
      if part[matched] == bytes[place] { matched += 1 }
      if matched == part.count { return place + 1 }
    }
    return nil
  }

  /// For each beginning of a part: the length of its longest proper beginning that is also its end.
  private static func borders(of part: [UInt8]) -> [Int] {
    var borders = Array(repeating: 0, count: part.count)
    var length = 0
    for place in part.indices.dropFirst() {
      while length > 0, part[length] != part[place] { length = borders[length - 1] }
      if part[length] == part[place] { length += 1 }
      borders[place] = length
    }
    return borders
  }
}
