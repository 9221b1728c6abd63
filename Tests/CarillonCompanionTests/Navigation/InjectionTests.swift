import CarillonLinks
import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Testing

@testable import CarillonCompanion

/// What links and texts from outside can do to the programs that routes name: nothing but fill their arguments.
@Suite("Injection")
struct InjectionTests {
  private static func opener(_ routes: [JSON]) throws -> LinkOpener {
    LinkOpener(router: try Router(reading: ["routes": .array(routes)]))
  }

  private static func commands(_ opener: LinkOpener, _ link: String) -> [[String]]? {
    guard let navigation = try? opener.navigation(to: link) else { return nil }
    return navigation.steps.map { $0.command ?? [] }
  }

  private static func isSame(_ one: [[String]], _ other: [[String]]) -> Bool {
    one.count == other.count
      && zip(one, other).allSatisfy {
        $0.count == $1.count && zip($0, $1).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
      }
  }

  /// Scheme and host, as anybody would cut them out of a link.
  private static func origin(_ link: String) -> String {
    let text = Substring(link)
    guard let end = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return "" }
    let rest = text[end...].dropFirst(3)
    var host = rest.utf8.prefix { !"/?#".utf8.contains($0) }
    // Without a number the port is the usual one (RFC 3986, 3.2.3).
    if host.last == UInt8(ascii: ":") { host = host.dropLast() }
    return "\(text[..<end])://\(Substring(host))".lowercased()
  }

  @Test(
    "Of 100,000 links each leads to the commands that it has to, or to none",
    arguments: [1, 2, 3, 4] as [UInt64])
  func links(seed: UInt64) throws {
    let opener = try Self.opener(JudgedRoute.all.map(\.json))
    let origins = Set(JudgedRoute.all.map { "\($0.scheme)://\($0.host)" } + ["https://ok.example:443"])
    var links = HostileLinks(seed: seed)
    var (run, refused, strange) = (0, 0, 0)
    for _ in 0..<25_000 {
      let sample = links.next()
      let found = Self.commands(opener, sample.link)
      if let found {
        let isAllowed = origins.contains(Self.origin(sample.link))
        let isSound = found.allSatisfy { command in JudgedRoute.all.contains { $0.fault(in: command) == nil }
        }
        if !isAllowed || !isSound { Issue.record("\(sample.link.debugDescription) runs \(found)") }
      }
      guard let route = sample.route else {
        if found != nil { strange += 1 }
        continue
      }
      guard let expected = sample.commands else {
        if let found { Issue.record("\(sample.link.debugDescription) runs \(found)") }
        refused += 1
        continue
      }
      run += 1
      if let found, Self.isSame(found, expected), found.allSatisfy({ route.fault(in: $0) == nil }) {
        continue
      }
      Issue.record("\(sample.link.debugDescription) runs \(found ?? []) instead of \(expected)")
    }
    // Inputs of which all are refused, or none, would show little.
    #expect(run > 4000 && refused > 4000 && strange > 100, "\(run) \(refused) \(strange)")
  }

  @Test("The judge finds a program that gets an option, another argument, or another text")
  func judge() {
    let route = JudgedRoute.all[3]
    #expect(route.fault(in: ["env", "--", "a", "-b", "c", "d"]) == nil)
    #expect(route.fault(in: ["env", "--", "a", "b", "c", "d", "e"]) != nil)
    #expect(route.fault(in: ["sh", "--", "a", "b", "c", "d"]) != nil)
    #expect(route.fault(in: ["env", "--", "a\u{0}", "b", "c", "d"]) != nil)
    #expect(JudgedRoute.all[0].commands([[0x2D], [0x61]], url: "x://h") == nil)
    #expect(
      JudgedRoute.all[3].commands([[0x2D], [], []], url: "y://other") == [["env", "--", "", "-", "", ""]])
  }

  @Test("What a notification says reaches the environment as text, under names of this program's own")
  func texts() throws {
    var values = HostileLinks(seed: 9)
    func text() -> String {
      let value = values.value() + values.value()
      return String(decoding: value, as: UTF8.self)
    }
    for _ in 0..<5000 {
      let (title, body) = (text(), text())
      let payload: JSON = [
        "delivery": "d", "id": "i", "title": .string(title), "body": .string(body),
        "userInfo": .string(text()),
      ]
      let notification = try Notification(reading: try Fields(payload))
      let variables = NavigationVariables.variables(for: notification, url: text())
      for (name, value) in variables {
        #expect(name == "CARILLON_OPEN" || name.hasPrefix("CARILLON_NOTIFICATION"))
        #expect(!value.utf8.contains(0) && !name.utf8.contains(0) && !name.contains("="))
      }
      let shown = String(
        String.UnicodeScalarView(title.unicodeScalars.map { $0.value == 0 ? "\u{FFFD}" : $0 }))
      #expect(variables["CARILLON_NOTIFICATION_TITLE"]?.utf8.elementsEqual(shown.utf8) == true)
      #expect(variables["CARILLON_OPEN"] == "1")
    }
  }

  @Test("Programs that are really started get exactly these arguments")
  func programs() throws {
    let folder = try TemporaryDirectory()
    let program = try folder.script("show", #"printf '%s\0' "$#" "$@" >>'\#(folder.path)/log'"#)
    // The same routes, but each runs a program that writes down what it is given.
    let routes = JudgedRoute.all.map { route in
      JudgedRoute(
        scheme: route.scheme, host: route.host, beginning: route.beginning, path: route.path,
        query: route.query,
        steps: route.steps, run: [[.text(program)]] + route.run)
    }
    let opener = try Self.opener(routes.map(\.json))
    let loop = try EventLoop()
    var links = HostileLinks(seed: 17)
    var (expected, started): ([UInt8], Int) = ([], 0)
    while started < 250 {
      let sample = links.next()
      guard let navigation = try? opener.navigation(to: sample.link) else {
        #expect(sample.commands == nil)
        continue
      }
      var outcome: NavigationOutcome?
      let navigator = Navigator(loop: loop, execute: true)
      navigator.run(navigation, tell: { _ in }, then: { outcome = $0 })
      while outcome == nil { try #require(try loop.turn(waiting: .seconds(20))) }
      #expect(outcome == .opened, "\(sample.link)")
      started += navigation.steps.count
      for step in navigation.steps {
        let arguments = (step.command ?? []).dropFirst()
        for text in ["\(arguments.count)"] + arguments { expected += Array(text.utf8) + [0] }
      }
      if let commands = sample.commands {
        #expect(Self.isSame(navigation.steps.map { Array(($0.command ?? []).dropFirst()) }, commands))
      }
    }
    #expect(folder.read("log").map { Array($0.utf8) } == expected)
  }
}
