import CarillonLinks
import CarillonModel
import Testing

@Suite("A link")
struct LinkTests {
  @Test(
    "travels byte for byte",
    arguments: [
      "home://chores/bins?due=2026-12-01T19%3A00%3A00%2B01%3A00",
      "myapp://login?email=test%2B2%40example.com&t=a%20b&h=ab%2Bcd%3D%3D",
      "myapp://x/a+b?q=a+b",
      "https://example.com/?name=[%D1%82&x=1%262",
      "https://example.com/?a=jules%26jim",
      "myapp://p/100%25",
      "MYAPP://Session/open",
      "HTTPS://EXAMPLE.com:0443/a",
      "https://[::1]:8080/x",
      "https://example.com:/a",
      "myapp:///path",
      "tel:+49-30-123",
      "myapp://s?tag=1&tag=2&Tag=3&a=&b&c==x&&=y&d=1=2",
      "home://chores//x/",
      "x://h/%2f%252e%00%0a",
      "x://h/a{b}|^`\"<>#frag[ment]?/#",
    ])
  func isKept(text: String) throws {
    let link = try Link(parsing: text)
    #expect(link.text.isIdentical(to: text))
  }

  @Test("has its parts named")
  func parts() throws {
    let link = try Link(parsing: "MyApp+x://Some.Host:8080/A/b%2Fc//?q=1#End")
    #expect(link.scheme == "myapp+x")
    #expect(link.host == "some.host")
    #expect(link.port == 8080)
    #expect(link.rawPath == "/A/b%2Fc//")
    #expect(link.pathSegments == ["A", "b/c", "", ""])
    #expect(link.rawQuery == "q=1")
    #expect(link.fragment == "End")
    #expect(!link.isOpaque)
    #expect(try Link(parsing: "tel:123").isOpaque)
    #expect(try Link(parsing: "x:").rawPath == "")
    #expect(try Link(parsing: "https://example.org").effectivePort == 443)
    #expect(try Link(parsing: "https://example.org?").rawQuery == "")
  }

  @Test("decodes once, after the split")
  func decodesOnce() throws {
    let login = try Link(parsing: "myapp://login?email=test%2B2%40example.com&t=a%20b&h=ab%2Bcd%3D%3D")
    #expect(
      login.query() == [.init("email", "test+2@example.com"), .init("t", "a b"), .init("h", "ab+cd==")])
    let bracket = try Link(parsing: "https://example.com/?name=[%D1%82&x=1%262")
    #expect(bracket.query() == [.init("name", "[т"), .init("x", "1&2")])
    #expect(try Link(parsing: "https://example.com/?a=jules%26jim").query() == [.init("a", "jules&jim")])
    #expect(try Link(parsing: "myapp://p/100%25").pathSegments == ["100%"])
    #expect(try Link(parsing: "myapp://p/%252e%252e").pathSegments == ["%2e%2e"])
  }

  @Test("leaves a plus a plus, unless a form is asked for")
  func plus() throws {
    let link = try Link(parsing: "myapp://x/a+b?q=a+b&r=a%2Bb")
    #expect(link.pathSegments == ["a+b"])
    #expect(link.query() == [.init("q", "a+b"), .init("r", "a+b")])
    #expect(link.query(form: true) == [.init("q", "a b"), .init("r", "a+b")])
  }

  @Test("keeps its query as an ordered list")
  func query() throws {
    let link = try Link(parsing: "myapp://s?tag=1&tag=2&Tag=3&a=&b&c==x&&=y&d=1=2")
    #expect(
      link.query() == [
        .init("tag", "1"), .init("tag", "2"), .init("Tag", "3"), .init("a", ""), .init("b", nil),
        .init("c", "=x"),
        .init("", "y"), .init("d", "1=2"),
      ])
  }

  @Test("has non-ASCII percent-encoded, and its host as an A-label")
  func nonASCII() throws {
    let link = try Link(parsing: "https://b\u{fc}cher.example/stra\u{df}e/\u{6771}\u{4eac}?q=gr\u{f6}\u{df}e")
    #expect(link.text == "https://xn--bcher-kva.example/stra%C3%9Fe/%E6%9D%B1%E4%BA%AC?q=gr%C3%B6%C3%9Fe")
    #expect(link.host == "xn--bcher-kva.example")
    #expect(link.pathSegments == ["straße", "東京"])
    #expect(link.query() == [.init("q", "größe")])
  }

  @Test(
    "has its host in the form of UTS 46",
    arguments: [
      ("https://\u{430}\u{440}\u{440}\u{4cf}\u{435}.example/", "xn--80ak6aa92e.example"),
      ("https://stra\u{df}e.example/", "xn--strae-oqa.example"),
      ("https://B\u{dc}CHER.Example:8080/", "xn--bcher-kva.example"),
      ("https://xn--bcher-kva.example/", "xn--bcher-kva.example"),
      ("https://XN--BCHER-KVA.example/", "xn--bcher-kva.example"),
      ("https://\u{ff4f}\u{ff4b}\u{ff0e}example/", "ok.example"),
      ("https://ok\u{3002}example/", "ok.example"),
      ("https://\u{ff11}27.0.0.1/", "127.0.0.1"),
      ("https://127.0.0.1/", "127.0.0.1"),
      ("https://[2001:DB8:0:0:0:0:0:1]/", "[2001:db8::1]"),
      ("https://[::FFFF:192.0.2.1]/", "[::ffff:c000:201]"),
      ("https://[::]/", "[::]"),
      ("https://[1:2:3:4:5:6:7::]/", "[1:2:3:4:5:6:7:0]"),
      ("https://home_assistant:8123/", "home_assistant"),
      ("myapp://a!b$c/", "a!b$c"),
    ])
  func hosts(text: String, host: String) throws {
    #expect(try Link(parsing: text).host == host)
  }

  @Test("may have 8 KiB as it travels, and no byte more")
  func length() throws {
    let full = "https://example.org/" + String(repeating: "x", count: 8192 - 20)
    #expect(try Link(parsing: full).text.utf8.count == 8192)
    #expect(throws: Refusal.self) { try Link(parsing: full + "x") }
    // One character of two bytes travels as six.
    let wide = "https://example.org/" + String(repeating: "x", count: 8192 - 26)
    #expect(try Link(parsing: wide + "ü").text.utf8.count == 8192)
    #expect(throws: Refusal.self) { try Link(parsing: wide + "xü") }
  }
}
