import CarillonLinks
import CarillonModel
import Testing

@testable import CarillonCompanion

@Suite("A companion's configuration")
struct CompanionConfigurationTests {
  private func read(_ json: JSON) throws -> CompanionConfiguration {
    try CompanionConfiguration(reading: try Fields(json))
  }

  @Test("An empty file is the defaults")
  func defaults() throws {
    let configuration = try read([:])
    #expect(configuration.broker.description == "mqtt://localhost")
    #expect(configuration.keepAlive == .seconds(60))
    #expect(configuration.topics.prefix == "carillon")
    #expect(configuration.device == nil)
    #expect(!configuration.execute)
    #expect(configuration.logLevel == .info)
  }

  @Test("Every key is read")
  func all() throws {
    let configuration = try read([
      "broker": "mqtt://user@broker.example:1884", "username": "desk", "passwordFile": "/p",
      "keepAlive": "30s",
      "prefix": "home/bell", "device": "desk", "routes": "routes.json5", "open": "arrival", "execute": true,
      "links": ["schemes": ["tel"], "hosts": ["a.example"]], "log": "debug", "state": "/s",
    ])
    #expect(configuration.broker.port == 1884)
    #expect(configuration.username == "desk")
    #expect(configuration.passwordFile == "/p")
    #expect(configuration.keepAlive == .seconds(30))
    #expect(configuration.topics.prefix == "home/bell")
    #expect(configuration.device?.text == "desk")
    #expect(configuration.routes == "routes.json5")
    #expect(configuration.execute)
    #expect(configuration.logLevel == .debug)
    #expect(configuration.state == "/s")
    #expect(try LinkOpener(router: Router(), links: configuration.links).policy.schemes == ["tel"])
  }

  @Test("How notifications are presented is read, exceptions first")
  func presentation() throws {
    let configuration = try read([
      "open": "tap", "desktop": false, "images": ["/usr/share/icons"],
      "presentation": [
        "background": ["banner"], "locked": [],
        "rules": [
          ["thread": "kiosk", "open": "arrival"],
          ["level": "critical", "locked": ["banner", "sound"], "publisher": "ha"],
        ],
      ],
      "applications": [["schemes": ["Home"], "run": ["app", "--x"]], ["schemes": ["a", "b"]]],
      "authorization": ["default": "ask", "rules": [["publisher": "ha", "standing": "authorized"]]],
    ])
    let rules = configuration.presentation
    func presented(_ fields: String, _ state: PresentationRules.State) throws -> Presentation {
      rules.presentation(of: try parsed(fields), in: state)
    }
    #expect(try presented("", .background) == .banner)
    #expect(try presented("", .foreground) == .whole)
    #expect(try presented("", .locked) == [])
    #expect(try presented(#","level":"critical","from":"ha""#, .locked) == [.banner, .sound])
    #expect(try presented(#","level":"critical","from":"x""#, .locked) == [])
    #expect(try presented(#","level":"passive""#, .foreground) == [.list, .badge])
    #expect(rules.opening(of: try parsed("")) == .tap)
    #expect(rules.opening(of: try parsed(#","thread":"kiosk""#)) == .arrival)
    #expect(configuration.applications[0] == ApplicationSetting(schemes: ["home"], run: ["app", "--x"]))
    #expect(configuration.applications[1].run == nil)
    #expect(configuration.authorization.verdict(publisher: "b", thread: nil, level: nil).0 == .ask)
    #expect(!configuration.desktop)
  }

  private func parsed(_ fields: String) throws -> Notification {
    let text = #"{"kind":"notification","delivery":"d","id":"i","title":"t"\#(fields)}"#
    guard case .notification(let notification) = try DeviceMessage(parsing: Array(text.utf8)) else {
      throw Refusal(.invalid, "no notification")
    }
    return notification
  }

  @Test(
    "What is wrong is refused at its key",
    arguments: [
      (["open": "later"], "open"), (["presentation": ["locked": ["baner"]]], "presentation.locked"),
      (["presentation": ["unlocked": []]], "presentation.unlocked"),
      (["presentation": ["rules": [["thread": "a"]]]], "presentation.rules[0]"),
      (["authorization": ["default": "maybe"]], "authorization.default"),
      (["applications": [["run": ["x"]]]], "applications[0].schemes"),
      (["applications": [["schemes": ["x"], "run": []]]], "applications[0].run"),
      (["images": ["icons"]], "images"), (["tls": ["ca": "x"]], "tls"),
      (["broker": "mqtts://x", "tls": ["cert": "x"]], "tls.key"), (["tls": ["cafile": "x"]], "tls.cafile"),
      (["broker": "http://x"], "broker"),
      (["keepAlive": "1s"], "keepAlive"), (["keepAlive": "20h"], "keepAlive"), (["device": "a/b"], "device"),
      (["device": "all"], "device"), (["prefix": "a/#"], "prefix"), (["links": ["hosts": 1]], "links.hosts"),
      (["log": "loud"], "log"), (["execute": "yes"], "execute"), (["rutes": "x"], "rutes"),
    ] as [(JSON, String)])
  func mistakes(json: JSON, place: String) throws {
    do {
      _ = try read(json)
      Issue.record("it was taken")
    } catch let refusal as Refusal {
      #expect(refusal.path == place)
    }
  }

  @Test(
    "The host's name becomes the device's",
    arguments: [("desk", "desk"), ("desk.example.org", "desk"), ("küche", "k--che"), ("a b", "a-b")])
  func host(host: String, device: String) throws {
    #expect(try CompanionConfiguration.device(fromHost: host).text == device)
  }

  @Test("A host that gives no name is told", arguments: ["", ".local", "all"])
  func noHost(host: String) {
    #expect(throws: Refusal.self) { try CompanionConfiguration.device(fromHost: host) }
  }
}
