/// A set of small numbers, 0 to 63: the hours, minutes, days, months of a rule.
public struct UnitSet: Hashable, Sendable {
  /// Bit n stands for n.
  var bits: UInt64

  init(bits: UInt64) { self.bits = bits }

  /// Numbers outside 0 to 63 are left out.
  public init(_ numbers: some Sequence<Int>) {
    bits = numbers.reduce(0) { (0...63).contains($1) ? $0 | 1 << UInt64($1) : $0 }
  }

  public static let zero = UnitSet(bits: 1)

  public var isEmpty: Bool { bits == 0 }
  public var count: Int { bits.nonzeroBitCount }
  /// The least; `nil` where there is none.
  public var first: Int? { bits == 0 ? nil : bits.trailingZeroBitCount }

  public func contains(_ number: Int) -> Bool {
    number >= 0 && number < 64 && bits >> UInt64(number) & 1 == 1
  }

  public mutating func insert(_ number: Int) {
    if (0...63).contains(number) { bits |= 1 << UInt64(number) }
  }

  /// The first at or after a number that is not negative.
  public func first(from number: Int) -> Int? {
    guard number < 64 else { return nil }
    return UnitSet(bits: bits & (UInt64.max << UInt64(number))).first
  }

  /// How many are less than a number that is not negative.
  public func count(before number: Int) -> Int {
    number >= 64 ? count : (bits & ~(UInt64.max << UInt64(number))).nonzeroBitCount
  }

  /// The number that has so many before it, which are not negative.
  func number(at place: Int) -> Int? {
    guard place < count else { return nil }
    var bits = bits
    for _ in 0..<place { bits &= bits - 1 }
    return bits.trailingZeroBitCount
  }

  /// Ascending.
  public var numbers: [Int] { (0...63).filter(contains) }
}
