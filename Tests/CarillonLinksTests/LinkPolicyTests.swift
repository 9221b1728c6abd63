import CarillonLinks
import CarillonModel
import Testing

@Suite("A link policy")
struct LinkPolicyTests {
  private func fields(_ object: JSONObject) -> Fields { Fields(object, at: "links") }

  private func passes(_ text: String, _ policy: LinkPolicy) throws -> Bool {
    let link = try Link(parsing: text)
    do throws(Refusal) {
      try policy.check(link)
      return true
    } catch {
      #expect(error.code == .forbidden)
      return false
    }
  }

  @Test("of the relay takes any scheme but the denied ones, and nothing opaque")
  func relay() throws {
    for text in [
      "https://a.example/", "http://1.2.3.4/", "homeassistant://navigate/x", "myapp://x", "mailto://x",
    ] {
      #expect(try passes(text, .relayDefault), "\(text)")
    }
    for text in ["tel:123", "myapp:x", "myapp:/x", "javascript:x", "SMB://h/x"] {
      #expect(try !passes(text, .relayDefault), "\(text)")
    }
  }

  @Test("of the relay is read from its configuration")
  func relayConfiguration() throws {
    let links = fields(["schemes": ["HTTPS", "tel:", "ftp"], "hosts": ["Bücher.example", "[::1]"]])
    let policy = try LinkPolicy.relay(reading: links)
    #expect(policy.schemes == ["https", "tel", "ftp"])
    #expect(policy.hosts == ["xn--bcher-kva.example", "[::1]"])
    #expect(try passes("tel:123", policy))
    #expect(try passes("https://xn--bcher-kva.example/x", policy))
    #expect(try passes("https://[0:0::1]:8443/x", policy))
    #expect(try !passes("https://ok.example/", policy))
    #expect(try !passes("ftp://xn--bcher-kva.example/", policy))
    #expect(try !passes("myapp://x", policy))
    let open = try LinkPolicy.relay(reading: fields(["deny": []]))
    #expect(try passes("ftp://h/x", open))
    #expect(try LinkPolicy.relay(reading: nil) == .relayDefault)
  }

  @Test(
    "is refused where its configuration makes no sense",
    arguments: [
      (["schemes": ["ht tp"]], "links.schemes[0]"), (["schemes": "https"], "links.schemes"),
      (["deny": ["x", "://"]], "links.deny[1]"), (["hosts": ["*.example.org"]], "links.hosts[0]"),
      (["hosts": ["https://example.org"]], "links.hosts[0]"),
      (["hosts": ["example.org/x"]], "links.hosts[0]"),
      (["hosts": ["example.org:80"]], "links.hosts[0]"), (["hosts": [""]], "links.hosts[0]"),
      (["hosts": ["a@b"]], "links.hosts[0]"), (["hots": []], "links.hots"),
    ] as [(JSON, String)])
  func badConfiguration(json: JSON, path: String) throws {
    let fields = try Fields(json, at: "links")
    let refusal = #expect(throws: Refusal.self) { try LinkPolicy.relay(reading: fields) }
    #expect(refusal?.path == path)
  }

  @Test("of a companion takes the schemes and web hosts of its routes, and nothing else")
  func companion() throws {
    let router = try Router(reading: [
      "routes": [
        ["link": "https://example.jp/hogehoge", "navigate": ["modal:hogehoge"]],
        ["link": "myapp://offer", "navigate": ["sheet:offer"]],
        ["link": "tel::number", "navigate": ["call:{number}"]],
      ]
    ])
    let policy = router.policy
    for text in ["https://EXAMPLE.jp/other", "https://example.jp:8443/", "myapp://elsewhere/x", "tel:1"] {
      #expect(try passes(text, policy), "\(text)")
    }
    for text in [
      "http://example.jp/hogehoge", "https://evil.example/", "other://offer", "myapp:offer", "sms:1",
    ] {
      #expect(try !passes(text, policy), "\(text)")
    }
    let narrow = try router.policy(reading: fields(["schemes": ["https"]]))
    #expect(try passes("https://example.jp/", narrow))
    #expect(try !passes("https://evil.example/", narrow))
    #expect(try !passes("tel:1", narrow))
    let wide = try router.policy(reading: fields(["schemes": ["https", "sms"], "hosts": ["b.example"]]))
    #expect(try passes("sms:1", wide))
    #expect(try passes("https://b.example/", wide))
    #expect(try !passes("https://example.jp/", wide))
    #expect(throws: Refusal.self) { try router.policy(reading: fields(["deny": []])) }
    #expect(try !passes("myapp://x", Router().policy))
  }

  @Test func `A refusal is short, however long the scheme`() throws {
    let link = try Link(parsing: String(repeating: "s", count: 4000) + "://h/")
    let policy = LinkPolicy(schemes: ["app"], hosts: nil, deny: [])
    let refusal = #expect(throws: Refusal.self) { try policy.check(link) }
    #expect((refusal?.message.utf8.count ?? .max) < 400)
  }
}
