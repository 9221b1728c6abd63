/// So many random bytes, as hexadecimal digits.
func randomHexadecimal(bytes count: Int) -> String {
  let digits = Array("0123456789abcdef")
  var generator = SystemRandomNumberGenerator()
  var text = ""
  for _ in 0..<count {
    let byte = UInt8.random(in: 0...255, using: &generator)
    text.append(digits[Int(byte >> 4)])
    text.append(digits[Int(byte & 15)])
  }
  return text
}
