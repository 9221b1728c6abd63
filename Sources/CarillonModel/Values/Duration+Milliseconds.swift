extension Duration {
  /// Whole milliseconds, rounded down; stops at the ends of 64 bits.
  public var milliseconds: Int64 {
    let (quotient, remainder) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
    return Int64(clamping: remainder < 0 ? quotient - 1 : quotient)
  }

  /// The duration as publishers write it, in days and smaller: `1d2h`, `1h30m`, `1.5s`, `0s`. Reading it gives the same
  /// duration to the millisecond.
  public var written: String {
    let whole = milliseconds
    var rest = whole.magnitude
    if rest == 0 { return "0s" }
    var text = whole < 0 ? "-" : ""
    for (unit, letter) in [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m")] as [(UInt64, String)]
    where rest >= unit {
      text += "\(rest / unit)\(letter)"
      rest %= unit
    }
    if rest > 0 { text += Duration.writtenSeconds(rest) }
    return text
  }

  private static func writtenSeconds(_ milliseconds: UInt64) -> String {
    var text = "\(milliseconds / 1000)"
    var fraction = milliseconds % 1000
    if fraction > 0 {
      text += "."
      var place: UInt64 = 100
      while fraction > 0 {
        text += "\(fraction / place)"
        fraction %= place
        place /= 10
      }
    }
    return text + "s"
  }
}
