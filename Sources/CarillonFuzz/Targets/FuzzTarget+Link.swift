import CarillonLinks
import CarillonModel

extension FuzzTarget {
  /// Pieces of links, which every reader of links gets.
  public static let linkWords = [
    "x", "h", "https", "myapp", "javascript", ":", "://", "/", "//", "?", "#", "&", "=", "@", "[", "]", "%",
    "%2", "%2f", "%41", "%ff", "%00", "%2e", ".", "..", "ü", "。", "xn--", "-", "0x7f", "127.0.0.1", "::1",
    "8080",
    "65536", " ", "\t", "\\", "{", "}", "\u{0}", "\u{85}", "\u{200d}", "\u{ad}", "\u{202e}", "東京", "a b", "+",
    "*", "::",
    "{id}", "{due}", "{device}", "{delivery}", "%25", "%C3%BC", "xn--bcher-kva", "\u{FF0E}", "ß",
  ]

  static let link = FuzzTarget(
    "link", "links, and links with gaps to fill in", longest: Limits.link + 64,
    seeds: [
      "https://example.org/page?a=1&b=2#f", "myapp://offer/{id}?due={due}#{delivery}", "tel:+4930123",
      "x://h/%2F%252e",
      "https://bücher.example/straße?größe=ü", "https://[2001:db8::1]:8443/x", "x:///p", "https://user@host/",
      "https://127.0.0.1:65535/", "x://{device}/a", "javascript:alert(1)", "x://h/./..",
      "https://xn--bcher-kva.example/",
      "HTTPS://EXAMPLE.ORG:443/%7Euser", "https://0x7f.1/", "https://例え。テスト/", "x://h?a=b=c&&d",
      "https://a..b/",
      "https://[::ffff:1.2.3.4]/", "mailto:a@b.example", "{id}://h", "x://h/{id", "https://\u{200d}.example/",
    ], words: linkWords
  ) { input throws(Violation) in
    let text = text(input)
    let filled = try look(atTemplate: text)
    do throws(Refusal) {
      let link = try Link(parsing: text)
      try? LinkPolicy.relayDefault.check(link)
      if let problem = problem(of: link, given: text) { throw Refusal(.unavailable, problem) }
      return .taken
    } catch {
      if error.code == .unavailable { throw Violation(error.message) }
      try demandSound(error)
      return filled
    }
  }

  /// What a link is, whatever it was made of.
  static func problem(of link: Link, given text: String) -> String? {
    guard let again = try? Link(parsing: link.text), again.text.isIdentical(to: link.text), again == link
    else {
      return "\(link) is not read as itself"
    }
    guard link.text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return "\(link) holds more than ASCII"
    }
    guard !link.pathSegments.contains(where: { $0 == "." || $0 == ".." }) else {
      return "\(link) has a dot segment"
    }
    guard link.isOpaque || !(link.host ?? "").contains("@") else { return "\(link) has a user" }
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) || link.text.isIdentical(to: text) else {
      return "\(text.debugDescription) travels as \(link)"
    }
    guard link.scheme == link.scheme.lowercased() else { return "\(link) has the scheme \(link.scheme)" }
    _ = (link.query(), link.query(form: true), link.fragment)
    return nil
  }

  /// A template, once filled in, is a link that only its gaps have changed.
  private static func look(atTemplate text: String) throws(Violation) -> Verdict {
    let template: LinkTemplate
    do throws(Refusal) { template = try LinkTemplate(parsing: text) } catch {
      try demandSound(error)
      return .refused
    }
    for id in ["a", "../b?c#d", "ü{id}%2F", "//evil@host:1/"] {
      func filled(_ id: String) -> Link? {
        try? template.link(id: id, due: "2026-12-01T19:00:00+01:00", device: "kitchen", delivery: "d-1")
      }
      guard let link = filled(id) else { continue }
      let plain = filled("a")
      try demand(
        plain.map { $0.scheme == link.scheme && $0.host == link.host && $0.port == link.port } ?? true,
        "\(id.debugDescription) turns \(text.debugDescription) into \(link)")
      if let problem = problem(of: link, given: link.text) { throw Violation(problem) }
    }
    return .taken
  }
}
