/// Times as people read them.
enum ShownTime {
  /// An RFC 3339 time without a fraction that says nothing: `2026-12-01T19:00:00.000+01:00` loses its zeros.
  static func short(_ text: String) -> String {
    guard let range = text.firstRange(of: ".000") else { return text }
    return text.replacingCharacters(in: range)
  }
}

extension String {
  fileprivate func replacingCharacters(in range: Range<String.Index>) -> String {
    String(self[..<range.lowerBound]) + self[range.upperBound...]
  }
}
