import CarillonCommands
import CarillonCompanion
import CarillonLinks
import CarillonModel
import CarillonRelay

extension FuzzTarget {
  /// One file, read as each of those that there are.
  static let configuration = FuzzTarget(
    "configuration", "JSON5 files of relay, companion, clients and routes", form: .json, longest: 16 * 1024,
    seeds: [
      """
      // The relay's.
      {
        broker: 'mqtt://localhost:1883', username: null, passwordFile: "/etc/p", keepAlive: "60s", prefix: "carillon",
        store: "sqlite:/var/lib/r.db", timezone: "Europe/Berlin", location: { latitude: 52.5, longitude: +13.4 },
        groups: { family: ["anna", "ben",], }, devices: ["anna"], when: { topics: ["zigbee/#", "a/+/b"] },
        links: { schemes: null, hosts: ["example.org"], deny: ["javascript"] }, limits: { pending: 0x1E8480 },
        history: "30d", log: "info", /* the end */
      }
      """,
      """
      { broker: "mqtt://user@[::1]:1884", keepAlive: 3.0e1, device: "kitchen", routes: "routes.json5", open: "arrival",
        execute: true, links: { schemes: ["https", "myapp:"], hosts: ["bücher.example"] }, state: '/var/lib/c', log: 'debug' }
      """,
      """
      { routes: [ { link: "home://chores/:chore?due=:due", navigate: ["/", "/chores/{chore}"], run: ["show", "{step}"],
          timeout: "20s", wait: true, form: false, },
        { link: "https://example.jp/*rest", navigate: ["modal:{rest}"], run: ["xdg-open", "{url}"], wait: false },
        { link: 'myapp://offer', navigate: ["sheet:offer"] }, ], }
      """,
      #"{ broker: "mqtt://localhost", prefix: "p", title: "x", to: "kitchen", json: true, location: "52.5,13.4" }"#,
      "{a:.5,b:5.,c:+Infinity,d:NaN,e:-0x10,'f':'\\x41\\\n\\u0042',\\u0067:1,$_:null}", "{\"a\":1,a:2}", "[]",
      "{", "\u{FEFF}{}",
    ],
    words: [
      "broker", "username", "passwordFile", "keepAlive", "prefix", "store", "timezone", "location",
      "latitude", "longitude",
      "groups", "devices", "when", "topics", "links", "schemes", "hosts", "deny", "limits", "pending",
      "history", "log",
      "device", "routes", "open", "execute", "state", "link", "navigate", "run", "timeout", "wait", "form",
      "mqtt://",
      "sqlite:", "//", "/*", "*/", "\n", "'", "\"", "\\", "\\u0000", "\\x41", "\\\n", "Infinity", "-NaN",
      "0x", "+", ".", "{step}",
      "{url}", ":a", "*rest", "#", "\u{2028}", "\u{FEFF}", "\u{a0}", "true", "null",
    ]
  ) { input throws(Violation) in
    let file: ConfigurationFile
    do throws(Failure) { file = try ConfigurationFile(path: "x.json5", bytes: input) } catch {
      try demandPrintable(error)
      return .refused
    }
    let json = JSON.object(file.object)
    var verdict = Verdict.refused
    for reader in Reader.allCases {
      do throws(Refusal) {
        try reader.read(file.object)
        verdict = .taken
      } catch {
        try demandSound(error, in: json)
        try demandPrintable(file.failure(error))
      }
    }
    do { _ = try Configuration(files: [file]).forClient(options: ["to", "title", "when", "json"]) } catch {
      if let failure = error as? Failure { try demandPrintable(failure) }
    }
    for fault in Router.check(json).faults { try demandSound(fault.refusal) }
    return verdict
  }

  /// What a person is shown: no control character comes through, whatever the file holds.
  private static func demandPrintable(_ failure: Failure) throws(Violation) {
    try demand(failure.status == .configuration, "status \(failure.status)")
    for line in [failure.message] + failure.details {
      try demand(
        !line.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\t" },
        "a control character in \(line.debugDescription)")
    }
  }
}

/// Those who read a file.
private enum Reader: CaseIterable {
  case relay, companion, router

  func read(_ object: JSONObject) throws(Refusal) {
    switch self {
    case .relay: _ = try RelayConfiguration(reading: Fields(object))
    case .companion: _ = try CompanionConfiguration(reading: Fields(object))
    case .router: _ = try Router(reading: .object(object)).policy
    }
  }
}
