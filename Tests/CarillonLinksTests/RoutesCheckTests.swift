import CarillonLinks
import CarillonModel
import Testing

@Suite("Checking a routes file")
struct RoutesCheckTests {
  private static let good: JSON = ["link": "x://h/:a", "navigate": ["/{a}"]]

  @Test(
    "finds a fault, names its place and has a remedy",
    arguments: [
      ([], "", "an object", "routes: ["), ([:], "routes", "no list", "routes: ["),
      (["routes": [:]], "routes", "a list", "routes: ["),
      (["routes": [], "x": 1], "x", "no field", "routes: ["),
      (["routes": ["x"]], "routes[0]", "an object", "link:"),
      (["routes": [["navigate": ["/"]]]], "routes[0].link", "no link", "link:"),
      (["routes": [["link": 1, "navigate": ["/"]]]], "routes[0].link", "a text", "link:"),
      (["routes": [good, ["link": "x://:h/", "navigate": ["/"]]]], "routes[1].link", "host", "link:"),
      (["routes": [["link": "x://h/:a/:a", "navigate": ["/"]]]], "routes[0].link", "twice", "link:"),
      (["routes": [["link": "x://h"]]], "routes[0].navigate", "no steps", "navigate:"),
      (["routes": [["link": "x://h", "navigate": []]]], "routes[0].navigate", "no steps", "navigate:"),
      (["routes": [["link": "x://h", "navigate": "/"]]], "routes[0].navigate", "a list", "navigate:"),
      (
        ["routes": [["link": "x://h", "navigate": ["/", ""]]]], "routes[0].navigate[1]", "empty", "navigate:"
      ),
      (
        ["routes": [["link": "x://h", "navigate": ["/", 1]]]], "routes[0].navigate[1]", "a text", "navigate:"
      ),
      (
        ["routes": [["link": "x://h/:genre", "navigate": ["/", "/{gener}"]]]], "routes[0].navigate[1]",
        "{gener}",
        "did you mean {genre}?"
      ),
      (["routes": [["link": "x://h", "navigate": ["/{step}"]]]], "routes[0].navigate[0]", "{step}", ":step"),
      (["routes": [["link": "x://h", "navigate": ["/{a"]]]], "routes[0].navigate[0]", "brace", "{{"),
      (
        ["routes": [["link": "x://h", "navigate": ["/"], "run": ["x", "{stop}"]]]], "routes[0].run[1]",
        "{stop}",
        "did you mean {step}?"
      ),
      (["routes": [["link": "x://h", "navigate": ["/"], "run": []]]], "routes[0].run", "no program", "run:"),
      (
        ["routes": [["link": "x://h", "navigate": ["/"], "run": ["", "x"]]]], "routes[0].run", "no program",
        "run:"
      ),
      (
        ["routes": [["link": "x://h", "navigate": ["/"], "run": "x {step}"]]], "routes[0].run", "a list",
        "run:"
      ),
      (
        ["routes": [["link": "x://h", "navigate": ["/"], "run": ["{step}"]]]], "routes[0].run[0]", "choose",
        "name the program"
      ),
      (
        ["routes": [["link": "x://h", "navigate": ["/"], "run": ["x", "a\u{0}"]]]], "routes[0].run[1]", "NUL",
        ""
      ),
      (
        ["routes": [["link": "x://h", "navigate": ["/"], "timeout": "-1s"]]], "routes[0].timeout", "negative",
        "20s"
      ),
      (["routes": [["link": "x://h", "navigate": ["/"], "timeout": 0]]], "routes[0].timeout", "zero", "20s"),
      (
        ["routes": [["link": "x://h", "navigate": ["/"], "wait": "no"]]], "routes[0].wait", "true or false",
        "true"
      ),
      (
        ["routes": [["link": "x://h", "navigate": ["/"], "form": 1]]], "routes[0].form", "true or false",
        "true"
      ),
      (
        ["routes": [["link": "x://h", "navigat": ["/"], "navigate": ["/"]]]], "routes[0].navigat", "navigate",
        "timeout"
      ),
    ] as [(JSON, String, String, String)])
  func finds(file: JSON, path: String, message: String, remedy: String) throws {
    let report = Router.check(file)
    let fault = try #require(report.faults.first)
    #expect(report.faults.count == 1)
    #expect(fault.path == path)
    #expect(fault.message.contains(message), "\(fault.message)")
    #expect(fault.remedy.contains(remedy), "\(fault.remedy)")
    #expect(fault.isFatal)
    let refusal = #expect(throws: Refusal.self) { try Router(reading: file) }
    #expect(refusal == fault.refusal)
  }

  @Test("finds every fault at once")
  func all() {
    let report = Router.check([
      "routes": [
        [
          "link": "x://h/:a", "navigate": ["/{b}"], "run": ["x", "{c}"], "colour": 1, "size": 2,
          "timeout": "x",
        ],
        Self.good,
        ["navigate": ["/{any}"]],
      ]
    ])
    #expect(
      report.faults.map(\.path) == [
        "routes[0].colour", "routes[0].size", "routes[0].timeout", "routes[0].navigate[0]",
        "routes[0].run[1]",
        "routes[2].link",
      ])
    #expect(report.examples.map(\.path) == ["routes[1]"])
  }

  @Test(
    "finds a route that an earlier one shadows",
    arguments: [
      ("x://h/:a", "x://h/b", true), ("x://h/b", "x://h/:a", false), ("x://h/*r", "x://h/a/:b", true),
      ("x://h/*r", "x://h", true), ("x://h/:a", "x://h/*r", false), ("x://h/a", "X://H/%61/", true),
      ("x://h/a", "x://h/A", false), ("x://h", "x://h?q=:q", true), ("x://h?q=:q", "x://h", false),
      ("x://h?q=:q", "x://h?p=1&q=2", true), ("x://h?q=1", "x://h?q=:q", false),
      ("x://h?q=1", "x://h?q=1", true),
      ("https://h/:a", "https://h:443/b", true), ("https://h/:a", "https://h:444/b", false),
      ("x://h/:a/:b", "x://h/:a", false),
    ])
  func shadowed(first: String, second: String, isShadowed: Bool) throws {
    let file: JSON = [
      "routes": [["link": .string(first), "navigate": ["/"]], ["link": .string(second), "navigate": ["/"]]]
    ]
    let report = Router.check(file)
    #expect(report.isClean == !isShadowed)
    #expect(
      report.faults.allSatisfy {
        $0.path == "routes[1].link" && !$0.isFatal && $0.message.contains("routes[0]")
      })
    // It does no harm, so it does not keep a companion from starting.
    #expect(try Router(reading: file).routes.count == 2)
  }

  @Test("does not call a route shadowed that takes a plus for a blank")
  func shadowedForm() {
    let report = Router.check([
      "routes": [
        ["link": "x://h?q=a%20b", "navigate": ["/"]],
        ["link": "x://h?q=a%20b", "form": true, "navigate": ["/"]],
      ]
    ])
    #expect(report.isClean)
  }

  @Test("warns of a shell that would run what the link says")
  func shell() {
    func faults(_ run: JSON) -> [RouteFault] {
      Router.check(["routes": [["link": "x://h/:a", "navigate": ["/"], "run": run]]]).faults
    }
    #expect(faults(["sh", "-c", "echo {a}"]).map(\.path) == ["routes[0].run"])
    #expect(faults(["/bin/bash", "-e", "-uc", "echo {step}"]).count == 1)
    #expect(faults(["sh", "-c", "echo \"$1\"", "sh", "{a}"]).isEmpty)
    #expect(faults(["sh", "script", "{a}"]).isEmpty)
  }

  @Test("gives an example for each route, which the route takes")
  func examples() throws {
    let file: JSON = [
      "routes": [
        ["link": "deeplinktest://deeplink?Genre=:genre&Item=:item", "navigate": ["/{genre}/{item}"]],
        ["link": "home://chores/*rest", "navigate": ["/"]], ["link": "myapp://offer", "navigate": ["/"]],
      ]
    ]
    let report = Router.check(file)
    #expect(report.isClean)
    #expect(
      report.examples.map(\.link.text) == [
        "deeplinktest://deeplink?Genre=genre&Item=item", "home://chores/rest", "myapp://offer",
      ])
    let router = try Router(reading: file)
    for example in report.examples {
      #expect(try router.resolve(example.link)?.route == example.route)
    }
  }

  @Test("asks about each program that a route runs, and about none that a link would choose")
  func programs() throws {
    let file: JSON = [
      "routes": [
        ["link": "x://h/:a", "navigate": ["/"], "run": ["a{{b", "{a}"]],
        ["link": "x://h", "navigate": ["/"]],
        ["link": "x://i", "navigate": ["/"], "run": ["gone"]],
      ]
    ]
    let report = Router.check(file) {
      $0 == "gone" ? ProgramFault("\($0) is gone", remedy: "bring it back") : nil
    }
    #expect(report.faults.map(\.path) == ["routes[2].run[0]"])
    #expect(report.faults.map(\.isFatal) == [false])
    #expect(report.faults.map(\.remedy) == ["bring it back"])
    #expect(report.examples.count == 3)
    #expect(Router.check(file).isClean)
    #expect(
      Router.check(["routes": [["link": "x://:p", "navigate": ["/"], "run": ["{p}"]]]]) { _ in
        ProgramFault("is asked", remedy: "")
      }.faults.allSatisfy { $0.isFatal })
  }

  @Test("takes a file without routes, and one that the manual shows")
  func clean() {
    #expect(Router.check(["routes": []]).isClean)
    #expect(
      Router.check(["routes": [["link": "x://h", "navigate": ["/"], "run": nil, "timeout": nil]]]).isClean)
  }
}
