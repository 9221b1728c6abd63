extension String {
  /// Whether a control character stands in the text: Unicode's category Cc, which is U+0000 to U+001F and U+007F to U+009F.
  public var holdsControl: Bool {
    var before: UInt8 = 0
    for byte in utf8 {
      // From U+0080 on there are two bytes, of which 0xC2 is the first up to U+00BF.
      if byte < 0x20 || byte == 0x7F || (before == 0xC2 && byte < 0xA0) { return true }
      before = byte
    }
    return false
  }
}
