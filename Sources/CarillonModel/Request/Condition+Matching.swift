extension Condition {
  /// Whether a message passes the test.
  ///
  /// With a pointer the payload must be JSON, and the value at the pointer is tested; where there is none, nothing
  /// matches. Without a pointer the payload itself is the value: its text for `matches` and for a text in `equals`;
  /// for everything else what it is as JSON, or its text where it is no JSON. A number may also come as text.
  /// A payload over 64 KiB never matches. Nothing passes `silent`, which hears every message whatever it holds, and a
  /// device has no messages.
  public func matches(payload: [UInt8]) -> Bool {
    var message = WatchedMessage(payload)
    return matches(&message)
  }

  /// The same for one of many conditions that a message is compared with.
  public func matches(_ message: inout WatchedMessage) -> Bool {
    guard !message.isTooLarge else { return false }
    switch test {
    case .equals(let wanted):
      return value(of: &message, asText: wanted.text != nil)?.isSame(as: wanted) ?? false
    case .above(let bound): return value(of: &message)?.numeric.map { $0 > bound } ?? false
    case .below(let bound): return value(of: &message)?.numeric.map { $0 < bound } ?? false
    case .matches(let pattern):
      return value(of: &message, asText: true)?.shown.map(pattern.matches) ?? false
    case .silent, nil: return false
    }
  }

  /// - Parameter asText: what a payload without a pointer is: its text, or JSON where it can be read so.
  private func value(of message: inout WatchedMessage, asText: Bool = false) -> JSON? {
    guard let pointer else {
      if !asText, let value = message.json { return value }
      return message.text.map { .string($0) }
    }
    return message.json?.value(at: pointer)
  }
}

extension JSON {
  /// A scalar as a pattern sees it: a text as it is, a number in its shortest form, true or false as a word. `nil` for
  /// what has no such form.
  fileprivate var shown: String? {
    switch self {
    case .string(let text): text
    case .integer, .number, .bool: encodedText
    case .null, .array, .object: nil
    }
  }
}
