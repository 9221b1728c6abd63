import CarillonModel
import Testing

@testable import CarillonCommands

@Suite struct JSON5Tests {
  private func read(_ text: String) throws -> JSON { try JSON5.read(Array(text.utf8)).value }

  @Test func everythingThatJSON5AddsIsRead() throws {
    let text = """
      // a comment
      { plain: 1, 'single': "it's", "double": 'a "b"', $x_1: null, /* between */ list: [1, 2,], hex: 0x1F,
        plus: +1.5, dot: .5, nested: { übung: true }, }
      """
    let value = try read(text)
    #expect(
      value == [
        "$x_1": nil, "dot": .number(0.5), "double": "a \"b\"", "hex": 31, "list": [1, 2],
        "nested": ["übung": true], "plain": 1, "plus": .number(1.5), "single": "it's",
      ])
  }

  struct Fault: Sendable, CustomTestStringConvertible {
    let text: String
    let message: String
    let line: Int
    let column: Int
    var testDescription: String { text }
  }

  static let faults = [
    Fault(text: "", message: "ends too early: a value is missing", line: 1, column: 1),
    Fault(
      text: "{\n  a: 1\n  b: 2 }", message: "\"b\" where a comma or \"}\" is missing", line: 3, column: 3),
    Fault(text: "{ a: tru }", message: "\"tru\" is no value; a text needs quotes", line: 1, column: 6),
    Fault(text: "{ a: 0x1E+8480 }", message: "\"0x1E+8480\" is no number", line: 1, column: 6),
    Fault(text: "{ a 1 }", message: "\"1\" where a colon is missing after the key \"a\"", line: 1, column: 5),
    Fault(text: "{ a: }", message: "\"}\" where a value is missing", line: 1, column: 6),
    Fault(text: "{ a: 1", message: "ends too early: a comma or \"}\" is missing", line: 1, column: 7),
    Fault(text: "{ : 1 }", message: "\":\" where a key is missing", line: 1, column: 3),
    Fault(text: "{ a: 'x }", message: "a text that begins here does not end", line: 1, column: 6),
    Fault(
      text: "{ a: 'x\n' }", message: "a text that begins here does not end on its line", line: 1, column: 6),
    Fault(text: "{ /* a: 1 }", message: "a comment that begins here does not end", line: 1, column: 3),
    Fault(text: "{} {}", message: "something follows the value", line: 1, column: 4),
    Fault(text: "{ a: 1,\n  b: 2,\n  a: 3 }", message: "the key \"a\" is there twice", line: 3, column: 3),
    Fault(text: "{ a: { b: 1, 'b': 2 } }", message: "the key \"b\" is there twice", line: 1, column: 14),
    Fault(text: "{ a: [NaN] }", message: "a[0]: not a finite number", line: 1, column: 7),
    Fault(
      text: "\u{FEFF}{}", message: "begins with a byte order mark; save it as plain UTF-8", line: 1, column: 1
    ),
    Fault(
      text: String(repeating: "[", count: 10_000), message: "nested more than 64 levels deep", line: 1,
      column: 66),
  ]

  /// What passes for a number is one for the decoder too, which would end the process at some that are none.
  @Test func everyWordOfDigitsAndSignsIsANumberOrIsRefused() {
    let letters = ["0", "1", "x", "e", "E", "+", "-", ".", "a"]
    var words = [""]
    var numbers = 0
    for _ in 1...5 {
      words = words.flatMap { word in letters.map { word + $0 } }
      for word in words where !"xeEa".contains(word.first ?? "x") {
        let value = try? read("[\(word)]")
        #expect((value != nil) == isJSON5Number(word), "\(word)")
        if value != nil { numbers += 1 }
      }
    }
    #expect(numbers > 500)
  }

  /// What lies behind a text in memory differs from one time to the next.
  @Test func aNumberThatEndsTheTextIsReadWithoutWhatLiesBehindIt() throws {
    for length in 1...18 {
      let digits = String("123456789012345678".prefix(length))
      #expect(try read(digits) == .integer(try #require(Int64(digits))))
    }
  }

  @Test(arguments: faults) func aFaultIsNamedWithItsPlace(_ fault: Fault) {
    let expected = JSON5Fault(message: fault.message, line: fault.line, column: fault.column)
    #expect(throws: expected) { try read(fault.text) }
  }

  @Test func bytesThatAreNoTextAreRefused() {
    #expect(throws: JSON5Fault(message: "not valid UTF-8", line: 0, column: 0)) {
      try JSON5.read([0x7B, 0xFF, 0x7D])
    }
  }

  @Test func placesAreThoseOfKeysAndElements() throws {
    let places = try JSON5.read(Array("{\n  links: {\n    deny: ['a',\n 'b'] } }".utf8)).places
    #expect(places["links.deny"] == JSON5Places.Place(line: 3, column: 5))
    #expect(places["links.deny[1]"] == JSON5Places.Place(line: 4, column: 2))
    #expect(places["links.schemes"] == nil)
  }
}
