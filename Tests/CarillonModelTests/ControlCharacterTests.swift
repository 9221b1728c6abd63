import CarillonModel
import Testing

/// Control characters are found byte by byte, and what is plain is shown as it stands: both as Unicode's tables have it.
@Suite struct ControlCharacterTests {
  private let scalars = (0...0x10_FFFF as ClosedRange<UInt32>).lazy.compactMap { Unicode.Scalar($0) }

  @Test func `Exactly Unicode's category Cc is a control character`() {
    let found = scalars.filter { "a\(Character($0))é".holdsControl }
    let expected = scalars.filter { $0.properties.generalCategory == .control }
    #expect(Array(found) == Array(expected))
    #expect(!"".holdsControl)
  }

  @Test func `Plain text is shown as it stands, up to its limit`() {
    let plain = String(
      String.UnicodeScalarView((0x20..<0x7F as Range<UInt32>).compactMap { Unicode.Scalar($0) }))
    #expect(plain.shown(limit: 95) == plain)
    #expect(plain.shown(limit: 94) == plain.dropLast(2) + "…")
    #expect("a\u{7F}".shown(limit: 2) == "a\u{FFFD}")
  }
}
