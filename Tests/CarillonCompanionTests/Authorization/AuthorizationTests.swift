import CarillonModel
import CarillonTestSupport
import Testing

@testable import CarillonCompanion

@Suite("Who may notify")
struct AuthorizationTests {
  private func read(_ text: String) throws(Refusal) -> Authorization {
    let json: JSON
    do { json = try JSON(parsing: Array(text.utf8)) } catch { throw Refusal(.malformed, error.message) }
    return try Authorization(reading: Fields(json, at: "authorization"))
  }

  @Test("Without rules everybody may")
  func nothing() throws {
    let (standing, rule) = try read("{}").verdict(publisher: "x", thread: nil, level: nil)
    #expect(standing == .authorized)
    #expect(rule == nil)
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let publisher: String?
    let thread: String?
    let level: String?
    let standing: Authorization.Standing
    var testDescription: String { "\(publisher ?? "-") \(thread ?? "-") \(level ?? "-")" }
  }

  static let rules = """
    { "default": "ask", "rules": [
      { "publisher": "ha", "standing": "authorized" },
      { "publisher": "ha", "thread": "ads", "standing": "denied" },
      { "publisher": "ha", "thread": "ads", "level": "critical", "standing": "authorized" },
      { "level": "passive", "standing": "denied" },
      { "thread": "t", "standing": "denied" },
      { "publisher": "", "standing": "denied" },
      { "publisher": "quiet", "level": "active", "standing": "denied" } ] }
    """

  @Test(
    "The most specific rule counts, of equal ones the last",
    arguments: [
      Case(publisher: "ha", thread: nil, level: nil, standing: .authorized),
      Case(publisher: "ha", thread: "ads", level: nil, standing: .denied),
      Case(publisher: "ha", thread: "ads", level: "critical", standing: .authorized),
      Case(publisher: "ha", thread: nil, level: "passive", standing: .denied),
      Case(publisher: "ha", thread: "t", level: nil, standing: .denied),
      Case(publisher: "HA", thread: nil, level: nil, standing: .ask),
      Case(publisher: nil, thread: nil, level: nil, standing: .denied),
      Case(publisher: "quiet", thread: nil, level: nil, standing: .denied),
      Case(publisher: "quiet", thread: nil, level: "timeSensitive", standing: .ask),
      Case(publisher: "other", thread: nil, level: "active", standing: .ask),
    ])
  func verdict(_ sample: Case) throws {
    let authorization = try read(Self.rules)
    let (standing, _) = authorization.verdict(
      publisher: sample.publisher, thread: sample.thread, level: sample.level)
    #expect(standing == sample.standing)
  }

  @Test("What was decided on the device comes before the configuration, and leaves the rest of it")
  func overruled() throws {
    let configured = try read(
      #"{ "default": "denied", "rules": [{ "publisher": "a", "standing": "denied" }, "#
        + #"{ "publisher": "b", "level": "passive", "standing": "denied" }] }"#)
    var decisions = AuthorizationDecisions()
    decisions.decide(.init(publisher: "a", standing: .authorized))
    decisions.decide(.init(publisher: "b", standing: .authorized))
    let authorization = configured.overruled(by: decisions)
    #expect(authorization.verdict(publisher: "a", thread: nil, level: nil).0 == .authorized)
    #expect(authorization.verdict(publisher: "b", thread: nil, level: "passive").0 == .denied)
    #expect(authorization.verdict(publisher: "c", thread: nil, level: nil).0 == .denied)
    decisions.decide(.init(standing: .authorized))
    #expect(
      configured.overruled(by: decisions).verdict(publisher: "c", thread: nil, level: nil).0 == .authorized)
  }

  @Test("A decision takes the place of the older one for the same notifications")
  func replacing() {
    var decisions = AuthorizationDecisions()
    decisions.decide(.init(publisher: "a", standing: .denied))
    decisions.decide(.init(publisher: "a", thread: "t", standing: .denied))
    decisions.decide(.init(publisher: "a", standing: .authorized))
    #expect(decisions.rules.map(\.standing) == [.denied, .authorized])
    #expect(decisions.rules.map(\.thread) == ["t", nil])
  }

  @Test("So many decisions are kept, the newest")
  func limit() {
    let rules = (0..<AuthorizationDecisions.limit).map {
      Authorization.Rule(publisher: "p\($0)", standing: .denied)
    }
    var decisions = AuthorizationDecisions(rules: rules)
    decisions.decide(.init(publisher: "new", standing: .denied))
    #expect(decisions.rules.count == AuthorizationDecisions.limit)
    #expect(decisions.rules.last?.publisher == "new")
  }

  @Test(
    "A rule that cannot be meant is refused, with its place",
    arguments: [
      (#"{ "default": "yes" }"#, "authorization.default"),
      (#"{ "defualt": "ask" }"#, "authorization.defualt"),
      (#"{ "rules": [{ "standing": "denied" }] }"#, "authorization.rules[0]"),
      (#"{ "rules": [{ "publisher": "x" }] }"#, "authorization.rules[0].standing"),
      (#"{ "rules": [{ "publisher": "x", "allow": true }] }"#, "authorization.rules[0].allow"),
      (#"{ "rules": [{ "publisher": "a b", "standing": "ask" }] }"#, "authorization.rules[0].publisher"),
      (#"{ "rules": [{ "level": "loud", "standing": "ask" }] }"#, "authorization.rules[0].level"),
      (#"{ "rules": [{ "thread": "a\u0007", "standing": "ask" }] }"#, "authorization.rules[0].thread"),
      (#"{ "rules": {} }"#, "authorization.rules"),
    ])
  func refused(_ text: String, _ path: String) {
    let refusal = #expect(throws: Refusal.self) { try read(text) }
    #expect(refusal?.path == path)
  }

  @Test("Who is denied is told the command that changes it")
  func remedy() throws {
    let authorization = Authorization(standard: .ask)
    let device = try Name("desk")
    #expect(
      authorization.remedy(for: .init(publisher: "x", standing: .denied), from: "x")
        == #"denied for the publisher "x"; carillon device authorize --publisher x"#)
    #expect(
      authorization.remedy(
        for: .init(thread: "it's", level: "passive", standing: .denied), from: "x", on: device)
        == "denied for the thread \"it's\", the level passive; "
        + #"carillon device authorize --device desk --thread 'it'\''s' --level passive"#)
    #expect(
      authorization.remedy(for: nil, from: nil)
        == "not decided yet by default; carillon device authorize --publisher ''")
  }
}

@Suite("The file of decisions")
struct AuthorizationFileTests {
  private let folder: TemporaryDirectory
  private let file: AuthorizationFile

  init() throws {
    folder = try TemporaryDirectory()
    file = AuthorizationFile(in: folder.path)
  }

  @Test("What was decided is read again as the same, and nobody else can read it")
  func again() throws {
    #expect(try file.load() == AuthorizationDecisions())
    try file.decide(.init(publisher: "x", standing: .denied))
    try file.decide(.init(publisher: "", thread: "ü \"q\"", level: "critical", standing: .ask))
    let decisions = try file.decide(.init(standing: .denied))
    #expect(decisions.rules.count == 2)
    #expect(decisions.standard == .denied)
    #expect(try file.load() == decisions)
    try file.save(AuthorizationDecisions())
    #expect(try file.load() == AuthorizationDecisions())
  }

  @Test("A damaged file is named, and kept", arguments: ["", "{", #"{"default":"maybe"}"#, "[1]"])
  func damaged(_ text: String) throws {
    try folder.write("authorization.json", text)
    let fault = #expect(throws: AuthorizationFault.self) { try file.load() }
    #expect(fault?.description.hasPrefix("\(file.path): ") == true)
    #expect(throws: AuthorizationFault.self) { try file.decide(.init(standing: .denied)) }
    #expect(folder.read("authorization.json") == text)
  }

  @Test("A folder that is not there is an error")
  func nowhere() {
    let file = AuthorizationFile("/nonexistent/authorization.json")
    #expect(throws: AuthorizationFault.self) { try file.decide(.init(standing: .denied)) }
  }
}
