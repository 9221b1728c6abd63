/// Whether a word is a number as JSON5 writes it: `-1.5e3`, `.5`, `5.`, `+0x1F`, `Infinity`, `NaN`.
///
/// Checked before the decoder sees it: FoundationEssentials' ends the process at a sign inside a hexadecimal number.
func isJSON5Number(_ word: String) -> Bool {
  var rest = Substring(word)
  if rest.first == "+" || rest.first == "-" { rest.removeFirst() }
  if rest == "Infinity" || rest == "NaN" { return true }
  if rest.hasPrefix("0x") || rest.hasPrefix("0X") {
    let digits = rest.dropFirst(2).utf8
    return !digits.isEmpty && digits.allSatisfy(isHexadecimal)
  }
  let whole = rest.takeDigits()
  guard whole.count <= 1 || whole.first != "0" else { return false }
  var fraction: Substring = ""
  if rest.first == "." {
    rest.removeFirst()
    fraction = rest.takeDigits()
  }
  guard !whole.isEmpty || !fraction.isEmpty else { return false }
  guard let mark = rest.first else { return true }
  guard mark == "e" || mark == "E" else { return false }
  rest.removeFirst()
  if rest.first == "+" || rest.first == "-" { rest.removeFirst() }
  return !rest.takeDigits().isEmpty && rest.isEmpty
}

private func isHexadecimal(_ byte: UInt8) -> Bool {
  (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
}

extension Substring {
  /// Takes the decimal digits at the beginning.
  fileprivate mutating func takeDigits() -> Substring {
    let digits = prefix { ("0"..."9").contains($0) && $0.utf8.count == 1 }
    self = self[digits.endIndex...]
    return digits
  }
}
