import CarillonLinks
import CarillonModel
import Testing

@Suite("A route's pattern")
struct RoutePatternTests {
  private func match(_ pattern: String, _ link: String, form: Bool = false) throws -> [String: String]? {
    try RoutePattern(parsing: pattern, form: form).match(try Link(parsing: link))
  }

  @Test(
    "matches and binds",
    arguments: [
      // Case: none in scheme and host, all of it in the path.
      ("myapp://session/open", "MYAPP://session/open", [:]),
      ("myapp://session/open", "myapp://Session/open", [:]),
      ("MyApp://Session/open", "myapp://session/open", [:]),
      ("https://example.com/a", "HTTPS://EXAMPLE.com/a", [:]),
      ("https://example.com/a", "https://example.com:443/a?x#y", [:]),
      ("https://example.com:443/a", "https://example.com/a", [:]),
      ("http://example.com/a", "http://example.com:80/a", [:]),
      ("https://[0:0::1]/a", "https://[::1]/a", [:]),
      ("https://bücher.example/straße", "https://xn--bcher-kva.example/stra%C3%9fe", [:]),
      // The query: any order, the first of repeated keys, others ignored.
      ("d://d?Genre=:g&Item=:i", "d://d?Genre=fruits&Item=apple", ["g": "fruits", "i": "apple"]),
      ("d://d?Genre=:g&Item=:i", "d://d?Item=apple&x=1&Genre=fruits", ["g": "fruits", "i": "apple"]),
      ("d://d?Genre=:g&Item=:i", "d://d/?Genre=%E9%87%8E%E8%8F%9C&Item=トマト", ["g": "野菜", "i": "トマト"]),
      ("d://d?tag=:t&Tag=:u", "d://d?tag=1&tag=2&Tag=3", ["t": "1", "u": "3"]),
      ("d://d?a=:a&b=:b&c=:c&d=:d", "d://d?a=&b&c==x&&=y&d=1=2", ["a": "", "b": "", "c": "=x", "d": "1=2"]),
      ("d://d?=:e", "d://d?=y", ["e": "y"]),
      ("d://d?%41=:a", "d://d?A=1", ["a": "1"]),
      ("d://d?A=:a", "d://d?%41=1", ["a": "1"]),
      ("d://d?mode=edit&id=:id", "d://d?id=7&mode=%65dit", ["id": "7"]),
      ("d://d?flag", "d://d?flag", [:]), ("d://d?flag", "d://d?flag=", [:]),
      ("d://d?q=:q", "d://d?q=a+b%2Bc", ["q": "a+b+c"]),
      // One trailing slash does not matter; empty segments do.
      ("myapp://offer", "myapp://offer/", [:]), ("myapp://offer/", "myapp://offer?x=1", [:]),
      ("home://a/b/", "home://a/b", [:]), ("home://a/b", "home://a/b/", [:]),
      ("home://a//b", "home://a//b/", [:]),
      ("home://a/:x/c", "home://a//c", ["x": ""]),
      // One decoding, after the split.
      ("home://a/:x/:y", "home://a/b%2Fc/%252e", ["x": "b/c", "y": "%2e"]),
      ("home://a/:x", "home://a/a+b", ["x": "a+b"]),
      ("home://a/:x", "home://a/%0A%24(touch%20pwned)", ["x": "\n$(touch pwned)"]),
      ("home://a/%3Ax", "home://a/:x", [:]),
      ("home://a/b:c", "home://a/b%3ac", [:]),
      // An empty segment at the end is bound where nothing else fits.
      ("myapp://note/:title", "myapp://note/", ["title": ""]),
      ("myapp://note/:title", "myapp://note//", ["title": ""]),
      // What remains.
      ("home://chores/*rest", "home://chores/bins", ["rest": "bins"]),
      ("home://chores/*rest", "home://chores/a/b%2Fc//d/", ["rest": "a/b/c//d"]),
      ("home://chores/*rest", "home://chores", ["rest": ""]),
      ("home://chores/x/:y/*rest", "home://chores/x/1/2/3", ["y": "1", "rest": "2/3"]),
      ("home://h/*rest?q=:q", "home://h/a/b?q=1", ["q": "1", "rest": "a/b"]),
      // Opaque links.
      ("tel::number", "tel:+49-30", ["number": "+49-30"]),
      ("mailto:*to", "MAILTO:a/b@c?subject=x", ["to": "a/b@c"]),
      ("myapp:///:x", "myapp:///1", ["x": "1"]),
    ] as [(String, String, [String: String])])
  func matches(pattern: String, link: String, parameters: [String: String]) throws {
    #expect(try match(pattern, link) == parameters)
  }

  @Test(
    "does not match",
    arguments: [
      ("myapp://session/open", "myapp://session/Open"), ("myapp://session/open", "myapp://session/open/x"),
      ("myapp://session/open", "myapp://session"), ("myapp://session/open", "myapp2://session/open"),
      ("myapp://session/open", "myapp://sessions/open"), ("myapp://session/open", "myapp:session/open"),
      ("https://example.jp/hogehoge", "https://example.jp/other"),
      ("https://example.jp/hogehoge", "http://example.jp/hogehoge"),
      ("https://example.jp/hogehoge", "https://example.jp.evil.example/hogehoge"),
      ("https://example.jp/hogehoge", "https://example.jp:8443/hogehoge"),
      ("https://example.jp:8443/x", "https://example.jp/x"),
      ("myapp://h/x", "myapp://h:1/x"),
      ("home://a/b", "home://a//b"), ("home://a/b", "home://a/b//"), ("home://a//b", "home://a/b"),
      ("home://a/:x", "home://a"), ("home://a/:x", "home://a/1/2"), ("home://a/x", "home://a/X"),
      ("home://a/b/c", "home://a/b%2Fc"), ("home://a/%252e", "home://a/%25252e"),
      ("home://chores/x/*rest", "home://chores/y/1"), ("home://chores/x/*rest", "home://chores"),
      ("d://d?Genre=:g", "d://d?genre=fruits"), ("d://d?Genre=:g", "d://d"),
      ("d://d?Genre=:g", "d://d#Genre=x"),
      ("d://d?mode=edit", "d://d?mode=view&mode=edit"), ("d://d?mode=edit", "d://d?mode"),
      ("d://d?flag", "d://d?flag=1"), ("d://d?q=a%20b", "d://d?q=a+b"),
    ])
  func doesNotMatch(pattern: String, link: String) throws {
    #expect(try match(pattern, link) == nil)
  }

  @Test("takes a plus for a blank in queries only where the form is asked for")
  func form() throws {
    #expect(try match("x://h/:p?q=:q", "x://h/a+b?q=a+b%2B", form: true) == ["p": "a+b", "q": "a b+"])
    #expect(try match("x://h?a+b=c+d", "x://h?a%20b=c%20d", form: true) == [:])
    #expect(try match("x://h?a+b=c+d", "x://h?a%20b=c%20d") == nil)
  }

  @Test("compares byte for byte, not by canonical equivalence")
  func bytes() throws {
    #expect(try match("x://h/\u{e9}", "x://h/e\u{301}") == nil)
    #expect(try match("x://h/\u{e9}", "x://h/\u{e9}") == [:])
    let bound = try #require(try match("x://h/:a", "x://h/e\u{301}")?["a"])
    #expect(bound.isIdentical(to: "e\u{301}"))
  }

  @Test(
    "refuses a link whose parameter is no text",
    arguments: [
      "x://h/%FF", "x://h/%C3", "x://h/%ED%A0%80", "x://h/%C0%AF", "x://h/%F5%80%80%80", "x://h/a%00b",
      "x://h/%E6%9D",
    ])
  func notText(link: String) {
    let refusal = #expect(throws: Refusal.self) { try match("x://h/:a", link) }
    #expect(refusal?.code == .invalid)
  }

  @Test("takes no offence at bytes that it does not bind")
  func unbound() throws {
    #expect(try match("x://h/:a", "x://h/b?q=%FF") == ["a": "b"])
    #expect(try match("x://h/%FF", "x://h/%ff") == [:])
  }

  @Test(
    "is refused",
    arguments: [
      ("https://:host/x", "host"), ("https://*/x", "host"), ("https://*.example.org/x", "host"),
      ("myapp://:id", "host"), ("https://example.org:port/", "host"),
      ("x://h/:", "name"), ("x://h/:1a", "name"), ("x://h/:a-b", "name"), ("x://h/:ä", "name"),
      ("x://h/*", "name"),
      ("x://h?q=:", "name"), ("x://h/*rest/x", "*"), ("x://h?q=*q", "*"), ("x://h/:a/:a", "twice"),
      ("x://h/:a?b=:a", "twice"), ("x://h/:a/*a", "twice"), ("x://h?a=:x&a=:y", "twice"),
      ("x://h?a=:x&%61=1", "twice"), ("x://h/:step", "step"), ("x://h/:url", "url"),
      ("x://h/{title}", ":name"),
      ("x://{host}/", ":name"), ("x://h/#f", "fragment"), ("x://h/..", "dot"), ("/x", "scheme"),
      ("x://u@h/", "user"),
      ("x://h/%", "escape"), ("https:///x", "host"),
    ])
  func isRefused(pattern: String, word: String) {
    let refusal = #expect(throws: Refusal.self) { try RoutePattern(parsing: pattern) }
    #expect(refusal?.code == .invalid)
    #expect(refusal?.message.contains(word) == true, "\(refusal?.message ?? "")")
  }

  @Test(
    "writes the link that it matches",
    arguments: [
      (
        "deeplinktest://deeplink?Genre=:g&Item=:i", ["g": "野菜", "i": "a b"],
        "deeplinktest://deeplink?Genre=%E9%87%8E%E8%8F%9C&Item=a%20b"
      ),
      (
        "Home://Chores/x%2Fy/:a/*r?q=1&flag", ["a": "b/c", "r": "d/e f"],
        "Home://Chores/x%2Fy/b%2Fc/d/e%20f?q=1&flag"
      ),
      ("x://h/:a", ["a": ""], "x://h//"), ("x://h/*r", ["r": ""], "x://h"),
      ("x://h/*r", ["r": "a/"], "x://h/a//"),
      ("x://h/*r", ["r": "../a/./b"], "x://h/..%2Fa%2F.%2Fb"), ("tel:*n", ["n": "//x"], "tel:%2F/x"),
      ("tel::n", ["n": "+49 30"], "tel:%2B49%2030"), ("x://h/", [:], "x://h"),
      ("x://h/a//", [:], "x://h/a//"),
    ] as [(String, [String: String], String)])
  func prints(pattern: String, parameters: [String: String], text: String) throws {
    #expect(try RoutePattern(parsing: pattern).link(for: parameters).text == text)
  }

  @Test(
    "writes no link for parameters that it cannot carry",
    arguments: [
      ["a": "."], ["a": ".."], ["a": "x\u{0}"], [:], ["a": "1", "b": "2"], ["b": "1"],
      ["a": String(repeating: "x", count: 9000)],
    ])
  func cannotPrint(parameters: [String: String]) throws {
    let pattern = try RoutePattern(parsing: "x://h/:a")
    #expect(throws: Refusal.self) { try pattern.link(for: parameters) }
  }

  @Test(arguments: ["z://h/:#/:#", "z://h?b=:#&c=:#", "z://h?#=1&#=2", "z://h/:a-#"])
  func `A refusal is short, however long the name that it is about`(pattern: String) throws {
    let text = pattern.replacing("#", with: String(repeating: "b", count: 2000))
    let refusal = #expect(throws: Refusal.self) { try RoutePattern(parsing: text) }
    #expect((refusal?.message.utf8.count ?? .max) < 400)
  }
}
