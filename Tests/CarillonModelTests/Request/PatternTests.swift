import CarillonModel
import Testing

@Suite struct PatternTests {
  @Test(arguments: [
    ("", "", true), ("", "a", false), ("a", "a", true), ("a", "A", false), ("a", "ab", false),
    ("*", "", true),
    ("*", "anything\nat all", true), ("**", "", true), ("***", "x", true), ("a*", "a", true),
    ("a*", "ba", false),
    ("*a", "ba", true), ("*a", "ab", false), ("a*a", "a", false), ("a*a", "aa", true), ("a*a", "aba", true),
    ("ab*ba", "aba", false), ("ab*ba", "abba", true), ("*b*", "abc", true), ("*b*", "ac", false),
    ("a*b*c", "a-b-c", true), ("a*b*c", "a-c-b", false), ("a*b*b", "ab", false), ("a*b*b", "abb", true),
    ("*ab*ab*", "aab", false), ("*ab*ab*", "abab", true), ("*aab*", "aaab", true),
    ("*ababc*", "abababc", true),
    ("a?c", "abc", false), ("a?c", "a?c", true), ("[a]", "a", false), (".*", "a", false), ("\\*", "*", false),
    ("\\*", "\\x", true), ("1*1", "1*1", true), ("K*e", "Küche", true), ("*ü*", "Küche", true),
    ("é", "e\u{301}", false),
  ])
  func aStarIsAnyRunAndTheRestItself(pattern: String, value: String, expected: Bool) {
    #expect(Pattern(pattern).matches(value) == expected)
  }

  /// A matcher that tries again at every star would take longer than the universe has.
  @Test func hostilePatternsAreJudgedAtOnce() {
    let value = String(repeating: "a", count: 65_536)
    let stars = String(repeating: "a*", count: 499)
    #expect(!Pattern(stars + "b").matches(value))
    #expect(!Pattern("*" + String(repeating: "a", count: 500) + "b*").matches(value))
    #expect(!Pattern(String(repeating: "*a", count: 400) + "*b*").matches(value))
    #expect(Pattern(stars).matches(value))
    #expect(Pattern(String(repeating: "*", count: 1000)).matches(value))
    let almost = String(repeating: String(repeating: "ab", count: 30) + "c", count: 1000)
    #expect(!Pattern("*" + String(repeating: "ab", count: 31) + "*").matches(almost))
  }

  /// Compared with the plainest definition there is, over all short patterns and values of two letters.
  @Test func itAgreesWithTheDefinition() {
    func words(_ letters: [Character], upTo length: Int) -> [[Character]] {
      var all: [[Character]] = [[]]
      var last = all
      for _ in 0..<length {
        last = last.flatMap { word in letters.map { word + [$0] } }
        all += last
      }
      return all
    }
    func fits(_ pattern: ArraySlice<Character>, _ value: ArraySlice<Character>) -> Bool {
      guard let first = pattern.first else { return value.isEmpty }
      if first == "*" {
        return fits(pattern.dropFirst(), value) || (!value.isEmpty && fits(pattern, value.dropFirst()))
      }
      return value.first == first && fits(pattern.dropFirst(), value.dropFirst())
    }
    let values = words(["a", "b"], upTo: 5)
    for pattern in words(["a", "b", "*"], upTo: 5) {
      for value in values
      where Pattern(String(pattern)).matches(String(value)) != fits(pattern[...], value[...]) {
        Issue.record("\(String(pattern)) and \(String(value))")
      }
    }
  }
}
