import CarillonLinks
import CarillonModel
import Testing

@Suite("A router")
struct RouterTests {
  private let example: JSON = [
    "routes": [
      [
        "link": "deeplinktest://deeplink?Genre=:genre&Item=:item",
        "navigate": ["/", "/{genre}", "/{genre}/{item}"], "run": ["kiosk-show", "{step}"], "timeout": "20s",
      ],
      [
        "link": "https://example.jp/hogehoge", "navigate": ["modal:hogehoge"], "run": ["xdg-open", "{url}"],
        "wait": false,
      ],
      ["link": "home://chores/*rest", "navigate": ["/", "/chores", "/chores/{rest}"]],
      ["link": "myapp://offer", "navigate": ["sheet:offer"]],
    ]
  ]

  private func resolve(_ text: String, _ file: JSON? = nil) throws -> Navigation? {
    try Router(reading: file ?? example).resolve(try Link(parsing: text))
  }

  @Test(
    "leads from the root to the target, step by step",
    arguments: [
      "Genre=fruits&Item=apple", "Item=apple&Genre=fruits", "Item=apple&x=y&Genre=fruits&Item=pear",
    ])
  func steps(query: String) throws {
    let navigation = try #require(try resolve("deeplinktest://deeplink?" + query))
    #expect(navigation.steps.map(\.to) == ["/", "/fruits", "/fruits/apple"])
    #expect(
      navigation.steps.map(\.command) == [
        ["kiosk-show", "/"], ["kiosk-show", "/fruits"], ["kiosk-show", "/fruits/apple"],
      ])
    #expect(navigation.timeout == .seconds(20))
    #expect(navigation.wait)
    #expect(navigation.route == "deeplinktest://deeplink?Genre=:genre&Item=:item")
    #expect(navigation.parameters == ["genre": "fruits", "item": "apple"])
    #expect(navigation.link.text == "deeplinktest://deeplink?" + query)
  }

  @Test("shows decoded parameters")
  func decoded() throws {
    let text = "deeplinktest://deeplink?Genre=%E9%87%8E%E8%8F%9C&Item=%E3%83%88%E3%83%9E%E3%83%88"
    #expect(try resolve(text)?.steps.map(\.to) == ["/", "/野菜", "/野菜/トマト"])
  }

  @Test("matches a web link by scheme, host and path")
  func webLink() throws {
    let navigation = try #require(try resolve("https://example.jp/hogehoge"))
    #expect(
      navigation.steps == [
        NavigationStep(to: "modal:hogehoge", command: ["xdg-open", "https://example.jp/hogehoge"])
      ])
    #expect(!navigation.wait)
    #expect(navigation.timeout == .seconds(900))
    #expect(try resolve("https://example.jp/other") == nil)
  }

  @Test(
    "has no way for what no route names",
    arguments: ["myapp://unknown", "other://offer", "myapp:offer", "tel:1"])
  func noRoute(text: String) throws {
    #expect(try resolve(text) == nil)
  }

  @Test("runs nothing where the route names no command")
  func noCommand() throws {
    let navigation = try #require(try resolve("myapp://offer?id=1"))
    #expect(navigation.steps == [NavigationStep(to: "sheet:offer", command: nil)])
    #expect(try resolve("home://chores/a/b")?.steps.map(\.to) == ["/", "/chores", "/chores/a/b"])
  }

  @Test("takes the first route in the order of the file")
  func order() throws {
    let file: JSON = [
      "routes": [
        ["link": "x://h/:a", "navigate": ["one"]], ["link": "x://h/b", "navigate": ["two"]],
        ["link": "x://h/:a/:b", "navigate": ["three {b}"]], ["link": "x://h/*rest", "navigate": ["four"]],
      ]
    ]
    #expect(try resolve("x://h/b", file)?.steps.first?.to == "one")
    #expect(try resolve("x://h/b/c", file)?.steps.first?.to == "three c")
    #expect(try resolve("x://h/b/c/d", file)?.steps.first?.to == "four")
  }

  @Test("goes the same way with a trailing slash as without, wherever there is a way without")
  func trailingSlash() throws {
    let file: JSON = [
      "routes": [
        ["link": "x://h/:a/:b", "navigate": ["two"]], ["link": "x://h/:a", "navigate": ["one"]],
        ["link": "note://h/:title", "navigate": ["note:{title}"]],
      ]
    ]
    #expect(try resolve("x://h/1", file)?.steps.first?.to == "one")
    #expect(try resolve("x://h/1/", file)?.steps.first?.to == "one")
    #expect(try resolve("x://h/1//", file)?.steps.first?.to == "two")
    #expect(try resolve("note://h/", file)?.steps.first?.to == "note:")
    #expect(try resolve("note://h", file) == nil)
  }

  @Test("refuses a link that its first route cannot bind, and asks no later one")
  func refusal() throws {
    let file: JSON = [
      "routes": [["link": "x://h/:a", "navigate": ["one"]], ["link": "x://h/*rest", "navigate": ["two"]]]
    ]
    let refusal = #expect(throws: Refusal.self) { try resolve("x://h/%FF", file) }
    #expect(refusal?.path == "routes[0]")
    #expect(refusal?.code == .invalid)
  }
}
