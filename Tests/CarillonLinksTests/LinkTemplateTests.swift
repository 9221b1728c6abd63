import CarillonLinks
import CarillonModel
import Testing

@Suite("A link template")
struct LinkTemplateTests {
  @Test(
    "is filled in with everything but unreserved characters encoded",
    arguments: [
      (
        "home://chores/bins?due={due}",
        "home://chores/bins?due=2026-12-01T19%3A00%3A00%2B01%3A00"
      ),
      ("home://x/{id}/{delivery}#{device}", "home://x/a%20b%2F%3F%25-_.~%C3%BC/d%3A1#Kitchen_1"),
      ("home://{device}:80/x", "home://Kitchen_1:80/x"),
      ("myapp://x/{id}{id}", "myapp://x/a%20b%2F%3F%25-_.~%C3%BCa%20b%2F%3F%25-_.~%C3%BC"),
      ("https://bücher.example/{device}", "https://xn--bcher-kva.example/Kitchen_1"),
      ("tel:{device}", "tel:Kitchen_1"),
      ("myapp://plain", "myapp://plain"),
    ])
  func isFilled(template: String, text: String) throws {
    let link = try LinkTemplate(parsing: template)
      .link(id: "a b/?%-_.~ü", due: "2026-12-01T19:00:00+01:00", device: "Kitchen_1", delivery: "d:1")
    #expect(link.text == text)
  }

  @Test("tells which values it needs")
  func placeholders() throws {
    #expect(try LinkTemplate(parsing: "x://h/{due}/{id}").placeholders == [.due, .id])
    #expect(try LinkTemplate(parsing: "x://h/").placeholders == [])
  }

  @Test(
    "is refused for other braces, and where it would choose who gets the link",
    arguments: [
      "x://h/{}", "x://h/{Id}", "x://h/{id", "x://h/id}", "x://h/{{id}}", "x://h/{ id }", "x://h/{id}}",
      "x://h/{dew}",
      "{id}://h/", "{id}:alert(1)", "x{device}://h/", "{id}", "https://{id}/", "https://{due}.example/",
      "x://h:{device}/", "https://ok.example@{device}/", "x://h/{id}/..", "/{id}", "https://{bad.example/",
    ])
  func isRefused(text: String) {
    let refusal = #expect(throws: Refusal.self) { try LinkTemplate(parsing: text) }
    #expect(refusal?.code == .invalid)
  }

  @Test("is checked again once it is filled")
  func isChecked() throws {
    let path = try LinkTemplate(parsing: "x://h/{id}/y")
    #expect(throws: Refusal.self) { try path.sample(id: "..") }
    #expect(try path.sample(id: "...").text.hasPrefix("x://h/.../y"))
    let long = try LinkTemplate(parsing: "x://h/" + String(repeating: "{id}", count: 100))
    #expect(throws: Refusal.self) { try long.sample(id: String(repeating: "ü", count: 20)) }
    // A host from a placeholder is still the policy's business.
    let host = try LinkTemplate(parsing: "https://{device}.example/").sample(id: "x")
    let policy = LinkPolicy(schemes: nil, hosts: ["ok.example"], deny: [])
    #expect(throws: Refusal.self) { try policy.check(host) }
  }
}
