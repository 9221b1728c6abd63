import CarillonFuzz
import CarillonLinks
import CarillonModel
import CarillonTestSupport
import Testing

extension SplitMix {
  fileprivate mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }

  fileprivate mutating func text(_ pieces: [String], upTo count: Int) -> String {
    (0..<Int.random(in: 0...count, using: &self)).map { _ in pick(pieces) }.joined()
  }
}

@Suite("Under random input")
struct LinkFuzzTests {
  private static let values = [
    "a", "B", "/", "//", ".", "..", "-", "--", "%", "%2F", "%2e", "+", " ", "&", "=", "?", "#", ":", "*", "{",
    "}",
    "{step}", "ü", "東", "e\u{301}", "\n", "\t", "\"", "'", "$(x)", "`", "\\", "\u{7f}", "\u{85}", "\u{2028}",
    "🎉", "@",
  ]
  private static let patterns = [
    "x://h/:a/:b", "x://h/:a/*b", "x://h/*a?b=:b", "x://h?a=:a&b=:b", "x://h/p/:a/q?k=1&b=:b&flag",
    "X://H:8/:a//:b",
    "https://bücher.example/straße/:a?größe=:b", "tel::a?b=:b", "tel:*a?b=:b", "y:x/:a/:b", "z:///:a?b=:b",
    "x://h/:a//?b=:b",
  ]

  @Test("every link that a pattern writes gives back what it was made of", arguments: [false, true])
  func roundTrip(form: Bool) throws {
    var random = SplitMix(seed: form ? 7 : 11)
    for text in Self.patterns {
      let pattern = try RoutePattern(parsing: text, form: form)
      var written = 0
      for _ in 0..<400 {
        let values = ["a": random.text(Self.values, upTo: 6), "b": random.text(Self.values, upTo: 6)]
        guard let link = try? pattern.link(for: values) else {
          // Only a lone dot segment, and an opaque path that would read as a host, cannot be written.
          let isDot = values.values.contains { $0 == "." || $0 == ".." }
          let isOpaque = text.hasPrefix("tel") || text.hasPrefix("y")
          #expect(isDot || (isOpaque && values.values.contains("")), "\(text) \(values)")
          continue
        }
        written += 1
        let back = try #require(try pattern.match(link), "\(link)")
        #expect(back.count == 2)
        for (name, value) in values {
          #expect(back[name]?.isIdentical(to: value) == true, "\(text) \(link) \(values)")
        }
        #expect(try Link(parsing: link.text) == link)
        #expect(link.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
      }
      #expect(written > 300, "\(text)")
    }
  }

  private static let syntax = FuzzTarget.linkWords

  @Test("a text is a link or is refused, and a link stays what it is")
  func reading() throws {
    var random = SplitMix(seed: 3)
    var read = 0
    for round in 0..<20_000 {
      let start =
        round.isMultiple(of: 2) ? random.pick(["x://h/", "https://ok.example", "tel:", "myapp://a/b?"]) : ""
      let text = start + random.text(Self.syntax, upTo: 12)
      guard let link = try? Link(parsing: text) else { continue }
      read += 1
      #expect(try Link(parsing: link.text).text.isIdentical(to: link.text))
      #expect(link.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
      #expect(!link.pathSegments.contains { $0 == "." || $0 == ".." })
      #expect(link.isOpaque || !(link.host ?? "").contains("@"))
      if text.utf8.allSatisfy({ $0 < 0x80 }) { #expect(link.text.isIdentical(to: text)) }
      _ = link.query(form: true)
      try? LinkPolicy.relayDefault.check(link)
    }
    #expect(read > 2_000)
  }

  @Test("the number of arguments never changes, and no option appears")
  func arguments() throws {
    let run = ["show", "{a}", "-x", "{b}{a}", "q={a}", "{step}", "--", "{b}", "{url}", ""]
    let router = try Router(reading: [
      "routes": [
        ["link": "x://h/:a/*b", "navigate": ["/", "{b}"], "run": .array(run.map { .string($0) })],
        [
          "link": "x://h?a=:a&b=:b", "form": true, "navigate": ["{a}"],
          "run": .array(run.map { .string($0) }),
        ],
      ]
    ])
    var random = SplitMix(seed: 5)
    var resolved = 0
    for round in 0..<20_000 {
      let parts = [random.text(Self.syntax, upTo: 4), random.text(Self.syntax, upTo: 4)]
      let text =
        round.isMultiple(of: 2) ? "x://h/\(parts[0])/\(parts[1])" : "x://h?b=\(parts[0])&a=\(parts[1])"
      guard let link = try? Link(parsing: text), let navigation = try? router.resolve(link) else { continue }
      resolved += 1
      for step in navigation.steps {
        let command = try #require(step.command)
        #expect(command.count == run.count)
        #expect(command[0] == "show")
        for index in [1, 3, 5] { #expect(command[index].utf8.first != UInt8(ascii: "-"), "\(text)") }
        #expect(command.allSatisfy { !$0.utf8.contains(0) })
        #expect(command[8].isIdentical(to: link.text))
      }
    }
    #expect(resolved > 1_000)
  }

  @Test("a template's values cannot leave their place")
  func templates() throws {
    var random = SplitMix(seed: 9)
    let template = try LinkTemplate(parsing: "x://h/a/{id}/b?d={id}&e=1#f")
    for _ in 0..<2_000 {
      let id = random.text(Self.syntax, upTo: 5)
      guard let link = try? template.link(id: id, due: "", device: "", delivery: "") else {
        #expect(id == "." || id == "..")
        continue
      }
      #expect(link.pathSegments == ["a", id, "b"])
      #expect(link.query() == [.init("d", id), .init("e", "1")])
      #expect(link.fragment == "f")
    }
  }

  @Test("a shadowed route never gets a link")
  func shadowed() throws {
    var random = SplitMix(seed: 13)
    let segments = ["a", ":p", "b", "", ":q"]
    var found = 0
    for _ in 0..<3_000 {
      let links = (0..<2).map { _ in
        var names = ["p", "q", "r"][...]
        let path = (0..<Int.random(in: 0...3, using: &random)).map { _ in
          let segment = random.pick(segments)
          return segment.hasPrefix(":") ? ":" + (names.popFirst() ?? "z") : segment
        }
        return "x://h/" + path.joined(separator: "/")
          + random.pick(["", "/*rest", "?k=:k", "?k=1", "?k=1&l=:l"])
      }
      let file: JSON = ["routes": .array(links.map { ["link": .string($0), "navigate": [.string($0)]] })]
      let report = Router.check(file)
      guard !report.isClean, report.examples.count == 2 else { continue }
      found += 1
      let router = try Router(reading: file)
      #expect(try router.resolve(report.examples[1].link)?.steps.first?.to == links[0], "\(links)")
    }
    #expect(found > 100)
  }

  @Test("a router finds the route that a walk through its patterns finds")
  func index() throws {
    var random = SplitMix(seed: 17)
    let segments = ["a", "%61", "b", "%2561", "", ":p", "ü", "A"]
    let queries = ["", "?k=:k", "?k=1", "?k", "?%6B=1&l=:l", "?k=a+b", "?=x"]
    let linkQueries = ["", "?k=1", "?k=2&k=1", "?l=1&k=1", "?k", "?k=a+b", "?k=a%20b", "?=x&k=%31", "?K=1"]
    var found = 0
    for _ in 0..<1_000 {
      let routes: [(link: String, form: Bool)] = (0..<8).map { _ in
        let path = random.pick(["", "/" + random.pick(segments), "/" + random.pick(segments) + "/a"])
        let rest = random.pick(["", "", "/", "/*rest"])
        return ("x://h" + path + rest + random.pick(queries), Bool.random(using: &random))
      }
      let router = try Router(reading: [
        "routes": .array(
          routes.enumerated().map { index, route in
            ["link": .string(route.link), "form": .bool(route.form), "navigate": [.string("\(index)")]]
          })
      ])
      let patterns = try routes.map { try RoutePattern(parsing: $0.link, form: $0.form) }
      for _ in 0..<10 {
        let path = "/" + random.text(["a", "%61", "b", "%2561", "%C3%BC", "/", "/", "A"], upTo: 5)
        let query = random.pick(linkQueries)
        let link = try Link(parsing: "x://h" + path + query)
        // Without its trailing slash first; the pattern itself would try both.
        let bare = path.hasSuffix("/") ? String(path.dropLast()) : path
        let stripped = try Link(parsing: "x://h" + bare + (bare.hasSuffix("/") ? "/" : "") + query)
        let expected =
          try patterns.firstIndex { try $0.match(stripped) != nil }
          ?? patterns.firstIndex { try $0.match(link) != nil }
        #expect(try router.resolve(link)?.steps.first?.to == expected.map { "\($0)" }, "\(routes) \(link)")
        if expected != nil { found += 1 }
      }
    }
    #expect(found > 1_000)
  }
}
