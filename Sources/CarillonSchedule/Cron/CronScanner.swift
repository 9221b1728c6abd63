/// Walks over the bytes of one field of a cron expression.
struct CronScanner {
  let bytes: [UInt8]
  var position: Int
  let end: Int

  /// Steps over one ASCII character, if it is the next.
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard position < end, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// A run of anything but the characters that cron gives a meaning; it may be empty.
  mutating func word() -> Range<Int> {
    let start = position
    while position < end, !",-/*".utf8.contains(bytes[position]) { position += 1 }
    return start..<position
  }

  /// What stands where a term has ended, up to the next comma; `nil` where there is nothing.
  var unexpected: Range<Int>? {
    guard position < end, bytes[position] != UInt8(ascii: ",") else { return nil }
    return position..<(bytes[position..<end].firstIndex(of: UInt8(ascii: ",")) ?? end)
  }

  func text(_ span: Range<Int>) -> String { String(decoding: bytes[span], as: UTF8.self) }

  /// A run of ASCII digits; numbers too large for any field come out as the largest.
  static func number(_ text: String) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      return nil
    }
    return Int(text) ?? .max
  }
}
