extension JSON {
  /// The finite number that the value is, or that its text is: many publishers send numbers as text.
  var numeric: Double? {
    let number: Double? =
      switch self {
      case .integer(let number): Double(number)
      case .number(let number): number
      case .string(let text): numericText(text)
      default: nil
      }
    return number.flatMap { $0.isFinite ? $0 : nil }
  }

  /// Whether a value found in a message is the scalar that was asked for.
  ///
  /// Texts are compared byte for byte. A number is equal to a number of the same value, however it is written (`21`,
  /// `21.0`, `2.1e1`), and to a text that holds such a number; true and false are equal to the texts `true` and
  /// `false`; null to null only. A list or an object is equal to no scalar.
  func isSame(as other: JSON) -> Bool {
    switch (self, other) {
    case (.null, .null): return true
    case (.bool(let left), .bool(let right)): return left == right
    case (.bool(let flag), .string(let text)), (.string(let text), .bool(let flag)):
      return text.isIdentical(to: flag ? "true" : "false")
    case (.string(let left), .string(let right)): return left.isIdentical(to: right)
    case (.integer(let left), .integer(let right)): return left == right
    case (.array, _), (.object, _), (_, .array), (_, .object): return false
    default:
      guard let left = numeric, let right = other.numeric else { return false }
      return left == right
    }
  }
}
