import CarillonModel
import Testing

/// Texts as people may see them.
@Suite struct ShownTextTests {
  @Test(arguments: [
    ("plain <b>&amp;</b> äß東京", "plain <b>&amp;</b> äß東京"),
    ("a\nb\r\nc\td", "a b  c d"),
    ("a\u{0}b\u{1B}[31mc\u{7F}\u{9B}", "a\u{FFFD}b\u{FFFD}[31mc\u{FFFD}\u{FFFD}"),
    ("x\u{202E}cod.exe\u{2066}\u{200F}", "x\u{FFFD}cod.exe\u{FFFD}\u{FFFD}"),
    ("\u{1F469}\u{200D}\u{1F467}", "\u{1F469}\u{200D}\u{1F467}"),
    ("\u{2028}\u{2029}\u{FEFF}", "\u{FFFD}\u{FFFD}\u{FFFD}"),
  ])
  func nothingInALineSteersWhatShowsIt(_ text: String, _ shown: String) {
    #expect(text.shown(limit: 100) == shown)
  }

  @Test func linesCanBeKept() {
    #expect("a\nb\r\nc\rd\u{2028}e\tf\u{1B}".shown(limit: 100, keepsLines: true) == "a\nb\nc\nd\ne f\u{FFFD}")
  }

  /// They stand for no character; some libraries take them for broken UTF-8.
  @Test func noncharactersAreReplaced() {
    let text = String(String.UnicodeScalarView([0xFFFE, 0xFDD0, 0x1FFFF].compactMap(Unicode.Scalar.init)))
    #expect(text.unicodeScalars.count == 3)
    #expect(text.shown(limit: 100) == "\u{FFFD}\u{FFFD}\u{FFFD}")
  }

  @Test func whatIsTooLongIsCut() {
    #expect("abcd".shown(limit: 4) == "abcd")
    #expect("abcde".shown(limit: 4) == "abc…")
    #expect(String(repeating: "e\u{301}", count: 1000).shown(limit: 10).unicodeScalars.count == 10)
  }
}
