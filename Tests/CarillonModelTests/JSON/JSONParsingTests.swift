import CarillonModel
import Testing

@Suite struct JSONParsingTests {
  @Test(arguments: [
    ("{}", "{}"), (" [1, -2.5, \"a\", true, false, null] ", "[1,-2.5,\"a\",true,false,null]"),
    ("{\"b\":1,\"a\":2}", "{\"b\":1,\"a\":2}"), ("\"\\u00e9\\n\\u0000\"", "\"é\\n\\u0000\""),
    ("9007199254740993", "9007199254740993"),
  ])
  func `A value is written as it was read`(text: String, expected: String) throws {
    #expect(try JSON(parsing: Array(text.utf8)).encodedText == expected)
  }

  @Test(arguments: [
    "", "{", "[1,]", "{\"a\":1,}", "{'a':1}", "NaN", "Infinity", "01", "1 2", "{\"a\":1} x", "tru",
    "\"\u{1}\"",
    "{\"a\":1,\"a\":2}", "\"\\ud800\"", "\"\\udc00x\"", "1e999", "{\"a\\u0000\":1}", "// x\n1", "{a:1}",
  ])
  func `What is not JSON is refused`(text: String) {
    #expect(throws: MalformedJSON.self) { try JSON(parsing: Array(text.utf8)) }
  }

  @Test(arguments: [
    ([0xEF, 0xBB, 0xBF, 0x7B, 0x7D], "byte order mark"), ([0x22, 0xFF, 0x22], "UTF-8"),
    ([0x22, 0xC0, 0xAF, 0x22], "UTF-8"), ([0x22, 0xED, 0xA0, 0x80, 0x22], "UTF-8"),
  ])
  func `Bytes that are no UTF-8 text are named`(bytes: [UInt8], word: String) {
    let error = #expect(throws: MalformedJSON.self) { try JSON(parsing: bytes) }
    #expect(error?.message.contains(word) == true)
  }

  @Test(arguments: ["{'title': 'Tea'}", "[{'title': True}]", "{\"title\": True}", "{\"a\": None}"])
  func `Python notation gets a message that says so`(text: String) {
    let error = #expect(throws: MalformedJSON.self) { try JSON(parsing: Array(text.utf8)) }
    #expect(error?.message.contains("Python") == true)
  }

  @Test func `A fault is placed by line and column`() {
    let error = #expect(throws: MalformedJSON.self) { try JSON(parsing: Array("{\n  \"a\": ?\n}".utf8)) }
    #expect(error?.line == 2)
    #expect(error?.message.contains("line 2") == true)
  }

  @Test(arguments: [(64, true), (65, false), (2000, false), (10_000, false)])
  func `Nesting ends at 64 levels`(depth: Int, isTaken: Bool) {
    let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    #expect(((try? JSON(parsing: Array(text.utf8))) != nil) == isTaken)
  }

  @Test func `Whole numbers beyond 64 bits are numbers all the same`() throws {
    #expect(try JSON(parsing: Array("100000000000000000000".utf8)) == .number(1e20))
  }

  @Test func `Names are compared byte for byte`() throws {
    // One character in two spellings: two names.
    let object = try JSON(parsing: Array("{\"\u{e9}\":1,\"e\u{301}\":2}".utf8))
    #expect(object["\u{e9}"] == 1)
    #expect(object["e\u{301}"] == 2)
  }
}
