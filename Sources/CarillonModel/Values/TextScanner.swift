/// Walks over the bytes of a short text: durations and times are ASCII, and whatever else stands there is refused.
struct TextScanner {
  let bytes: [UInt8]
  var position = 0

  init(_ text: some StringProtocol) {
    bytes = Array(text.utf8)
  }

  var isAtEnd: Bool { position == bytes.count }
  var next: UInt8? { isAtEnd ? nil : bytes[position] }

  /// Steps over one of the given ASCII characters, and says which.
  mutating func take(_ characters: Unicode.Scalar...) -> Unicode.Scalar? {
    guard let next, let found = characters.first(where: { UInt8(ascii: $0) == next }) else { return nil }
    position += 1
    return found
  }

  /// A run of digits, which may be empty.
  mutating func digits() -> ArraySlice<UInt8> {
    let start = position
    while let next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) { position += 1 }
    return bytes[start..<position]
  }

  /// A number of exactly that many digits.
  mutating func number(digits count: Int) -> Int? {
    let found = digits()
    return found.count == count ? Int(TextScanner.value(of: found, limit: .max)) : nil
  }

  /// The value of a run of digits, at most `limit`: enough to tell that a number is too large.
  static func value(of digits: ArraySlice<UInt8>, limit: Int64) -> Int64 {
    var value: Int64 = 0
    for digit in digits {
      value = value.multipliedSaturated(by: 10).addingSaturated(Int64(digit - UInt8(ascii: "0")))
    }
    return min(value, limit)
  }

  /// The leading digits of a fraction as a whole number of 10⁻ᵖˡᵃᶜᵉˢ; what follows is cut off.
  static func fraction(_ digits: ArraySlice<UInt8>, places: Int) -> Int64 {
    var kept = Array(digits.prefix(places))
    while kept.count < places { kept.append(UInt8(ascii: "0")) }
    return value(of: kept[...], limit: .max)
  }
}

/// The number that a text holds in JSON's own notation (a sign, digits, fraction, exponent; leading zeros allowed), which
/// is how templating publishers send numbers. Infinite where it is out of range; `nil` where it is no number.
func numericText(_ text: String) -> Double? {
  var scanner = TextScanner(text)
  _ = scanner.take("-")
  guard !scanner.digits().isEmpty else { return nil }
  if scanner.take(".") != nil, scanner.digits().isEmpty { return nil }
  if scanner.take("e", "E") != nil {
    _ = scanner.take("+", "-")
    if scanner.digits().isEmpty { return nil }
  }
  return scanner.isAtEnd ? Double(text) : nil
}
