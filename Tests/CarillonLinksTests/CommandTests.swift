import CarillonLinks
import CarillonModel
import Testing

@Suite("A step's command")
struct CommandTests {
  /// The arguments for a link `myapp://note/<text>`.
  private func run(_ run: JSON, _ text: String, navigate: JSON = ["/{title}"]) throws -> [String]? {
    let router = try Router(reading: [
      "routes": [["link": "myapp://note/:title", "navigate": navigate, "run": run]]
    ])
    let pattern = try RoutePattern(parsing: "myapp://note/:title")
    return try router.resolve(try pattern.link(for: ["title": text]))?.steps.first?.command
  }

  @Test(
    "gets each value as one argument, byte for byte",
    arguments: [
      "$(touch pwned)", "`touch pwned`", "\"; touch pwned; \"", "a'b", "a\nb", "*", "a b", "", "{title}",
      "{step}",
      "{url}", "%s", "\\", "~", "$HOME", "a;b|c&d>e<f", "ü", "e\u{301}", "\u{feff}", "{{", "\u{1}\u{7f}",
      "@file",
    ])
  func oneArgument(text: String) throws {
    let arguments = try #require(try run(["say", "{title}", "end"], text))
    #expect(arguments.count == 3)
    #expect(arguments[1].isIdentical(to: text))
    #expect(try run(["say", "<{title}|{title}>"], text)?.last?.isIdentical(to: "<\(text)|\(text)>") == true)
  }

  @Test("gets a newline that came as an escape")
  func newline() throws {
    let router = try Router(reading: [
      "routes": [["link": "myapp://note/:title", "navigate": ["/"], "run": ["say", "{title}"]]]
    ])
    #expect(
      try router.resolve(try Link(parsing: "myapp://note/a%0Ab"))?.steps.first?.command == ["say", "a\nb"])
    #expect(try router.resolve(try Link(parsing: "myapp://note/"))?.steps.first?.command == ["say", ""])
  }

  @Test(
    "is refused where a value would become an option",
    arguments: ["--help", "-u", "--action=x", "-", "--", "-\u{fc}"])
  func option(text: String) throws {
    for template in ["{title}", "{title}x", "{step}"] as [JSON] {
      let refusal = #expect(throws: Refusal.self) {
        try run(["notify-send", template], text, navigate: ["{title}"])
      }
      #expect(refusal?.code == .forbidden)
      #expect(refusal?.path == "routes[0].run[1]")
    }
    // After the route's own "--" the program takes it as a value.
    #expect(try run(["notify-send", "--", "{title}"], text) == ["notify-send", "--", text])
    #expect(try run(["notify-send", "--", "x", "{title}"], text) == ["notify-send", "--", "x", text])
    // In the middle of an argument it is no option.
    #expect(try run(["notify-send", "title={title}"], text) == ["notify-send", "title=\(text)"])
    #expect(try run(["notify-send", "--title={title}"], text) == ["notify-send", "--title=\(text)"])
    #expect(try run(["notify-send", "{step}"], text) == ["notify-send", "/\(text)"])
  }

  @Test("is not refused for options of the route's own")
  func ownOption() throws {
    #expect(try run(["x", "-{title}", "{step}"], "a", navigate: ["-reset"]) == ["x", "-a", "-reset"])
    #expect(try run(["x", "{title}-"], "a", navigate: ["/"]) == ["x", "a-"])
  }

  @Test("is refused where an empty value lets what follows it become an option")
  func emptyValue() throws {
    for template in ["{title}-x", "{title}{title}-", "{step}"] as [JSON] {
      let refusal = #expect(throws: Refusal.self) {
        try run(["x", template], "", navigate: ["{title}--all"])
      }
      #expect(refusal?.code == .forbidden)
    }
    #expect(try run(["x", "--", "{title}-x"], "", navigate: ["/"]) == ["x", "--", "-x"])
    #expect(try run(["x", "-{title}"], "", navigate: ["/"]) == ["x", "-"])
  }

  @Test("ends its options only with a \"--\" that stands before")
  func laterTerminator() throws {
    #expect(throws: Refusal.self) { try run(["x", "{title}", "--"], "-u") }
    #expect(throws: Refusal.self) { try run(["x", "--{title}", "{title}"], "-u") }
    #expect(throws: Refusal.self) { try run(["x", "a--", "{title}"], "-u") }
    // Not even where a parameter completes one.
    #expect(throws: Refusal.self) { try run(["x", "-{title}", "{title}"], "-") }
  }

  @Test("of every step is judged before there is a navigation")
  func wholeWay() throws {
    #expect(throws: Refusal.self) { try run(["x", "{step}"], "-u", navigate: ["/", "{title}"]) }
  }

  @Test("gets the link as it travels")
  func url() throws {
    let router = try Router(reading: [
      "routes": [
        ["link": "myapp://note/:title", "navigate": ["/"], "run": ["xdg-open", "{url}", "{{{title}}}"]]
      ]
    ])
    let link = try Link(parsing: "MyApp://note/ü%2f?x")
    #expect(
      try router.resolve(link)?.steps.first?.command == ["xdg-open", "MyApp://note/%C3%BC%2f?x", "{ü/}"])
  }
}
