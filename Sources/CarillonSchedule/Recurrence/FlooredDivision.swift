extension Int {
  /// Rounded towards minus infinity, for positive divisors.
  func flooredQuotient(by divisor: Int) -> Int {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// Never negative, for positive divisors.
  func flooredRemainder(by divisor: Int) -> Int {
    let remainder = self % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }
}

extension Int64 {
  /// Rounded towards minus infinity, for positive divisors.
  func flooredQuotient(by divisor: Int64) -> Int64 { Int64(Int(self).flooredQuotient(by: Int(divisor))) }

  /// Never negative, for positive divisors.
  func flooredRemainder(by divisor: Int64) -> Int64 { Int64(Int(self).flooredRemainder(by: Int(divisor))) }
}

func greatestCommonDivisor(_ left: Int, _ right: Int) -> Int {
  var (left, right) = (left, right)
  while right != 0 { (left, right) = (right, left % right) }
  return left
}
