import Testing

@testable import CarillonModel

@Suite struct ConditionMatchingTests {
  /// Whether a payload passes a test that is written as in a condition.
  private func matches(_ test: String, _ payload: [UInt8]) throws -> Bool {
    let value = try JSON(parsing: Array(#"{"topic":"t",\#(test)}"#.utf8))
    return try Condition.read(value, at: "when").matches(payload: payload)
  }

  @Test(arguments: [
    (#""equals":"home""#, "home", true), (#""equals":"home""#, "Home", false),
    (#""equals":"home""#, "home ", false),
    (#""equals":"home""#, #""home""#, false), (#""equals":"""#, "", true), (#""equals":"21""#, "21", true),
    (#""equals":"21""#, "21.0", false), (#""equals":"true""#, "true", true), (#""equals":21"#, "21", true),
    (#""equals":21"#, "21.0", true), (#""equals":21"#, " 2.1e1\n", true), (#""equals":21"#, #""21""#, true),
    (#""equals":21"#, "021", true), (#""equals":21"#, "21 °C", false), (#""equals":21"#, "", false),
    (#""equals":21"#, "[21]", false), (#""equals":21"#, "true", false), (#""equals":1"#, "true", false),
    (#""equals":true"#, "true", true), (#""equals":true"#, #""true""#, true),
    (#""equals":true"#, "True", false),
    (#""equals":true"#, "1", false), (#""equals":true"#, "on", false), (#""equals":false"#, "false", true),
    (#""equals":null"#, "null", true), (#""equals":null"#, "", false), (#""equals":null"#, "0", false),
    (#""equals":9007199254740993"#, "9007199254740993", true),
    (#""equals":9007199254740993"#, "9007199254740992", false), (#""equals":-0.0"#, "0", true),
  ])
  func thePayloadItselfIsCompared(test: String, payload: String, expected: Bool) throws {
    #expect(try matches(test, Array(payload.utf8)) == expected)
  }

  @Test(arguments: [
    (#""above":21"#, "21.1", true), (#""above":21"#, "21", false), (#""above":21"#, #""22""#, true),
    (#""above":21"#, "1e2", true), (#""above":-5"#, "-4.9", true), (#""above":0"#, "1e999", false),
    (#""above":0"#, "NaN", false), (#""above":0"#, "inf", false), (#""above":0"#, "0x10", false),
    (#""above":0"#, "true", false), (#""above":0"#, "5 °C", false), (#""above":0"#, "", false),
    (#""above":0"#, "[5]", false), (#""above":0"#, "99999999999999999999999", true),
    (#""below":21"#, "20.9", true),
    (#""below":21"#, "21", false), (#""below":21"#, "unavailable", false), (#""below":21"#, "null", false),
    (#""below":0"#, "-9223372036854775808", true), (#""below":0"#, #""-1e999""#, false),
    (#""below":21"#, "007", true),
  ])
  func numbersAreBounded(test: String, payload: String, expected: Bool) throws {
    #expect(try matches(test, Array(payload.utf8)) == expected)
  }

  @Test(arguments: [
    (#""pointer":"/state","equals":"home""#, #"{"state":"home"}"#, true),
    (#""pointer":"/state","equals":"home""#, #"{"State":"home"}"#, false),
    (#""pointer":"/state","equals":"home""#, "home", false),
    (#""pointer":"/state","equals":"home""#, "", false),
    (#""pointer":"/state","equals":null"#, "{}", false),
    (#""pointer":"/state","equals":null"#, #"{"state":null}"#, true),
    (#""pointer":"/t","equals":21"#, #"{"t":"21"}"#, true),
    (#""pointer":"/t","equals":"21""#, #"{"t":21}"#, true),
    (#""pointer":"/t","equals":"21""#, #"{"t":21.0}"#, true),
    (#""pointer":"/t","equals":"21""#, #"{"t":"21.0"}"#, false),
    (#""pointer":"/t","equals":"true""#, #"{"t":true}"#, true),
    (#""pointer":"/t","equals":true"#, #"{"t":"true"}"#, true),
    (#""pointer":"/t","equals":1"#, #"{"t":true}"#, false),
    (#""pointer":"/t","equals":"""#, #"{"t":{}}"#, false),
    (#""pointer":"/t/v","above":1"#, #"{"t":{"v":2}}"#, true),
    (#""pointer":"/t/v","above":1"#, #"{"t":2}"#, false), (#""pointer":"/1","below":5"#, "[9,3]", true),
    (#""pointer":"/01","below":5"#, "[9,3]", false), (#""pointer":"/-","below":5"#, "[9,3]", false),
    (#""pointer":"/2","below":5"#, "[9,3]", false),
    (#""pointer":"/99999999999999999999","below":5"#, "[9,3]", false),
    (#""pointer":"","equals":"home""#, #""home""#, true), (#""pointer":"","equals":"home""#, "home", false),
    (#""pointer":"/","equals":1"#, #"{"":1}"#, true), (#""pointer":"/a~1b","equals":1"#, #"{"a/b":1}"#, true),
    (#""pointer":"/~01","equals":1"#, #"{"~1":1}"#, true),
    (#""pointer":"/f","matches":"*.jpg""#, #"{"f":"a.jpg"}"#, true),
    (#""pointer":"/f","matches":"2*""#, #"{"f":21}"#, true),
    (#""pointer":"/f","matches":"t*""#, #"{"f":true}"#, true),
    (#""pointer":"/f","matches":"*""#, #"{"f":null}"#, false),
    (#""pointer":"/f","matches":"*""#, #"{"f":[]}"#, false),
    (#""pointer":"/f","matches":"*""#, "{}", false),
    (#""pointer":"/s","equals":1"#, #"{"s":1,"s":1}"#, false),
    (#""pointer":"/s","equals":1"#, "{'s': 1}", false),
  ])
  func theValueAtAPointerIsCompared(test: String, payload: String, expected: Bool) throws {
    #expect(try matches(test, Array(payload.utf8)) == expected)
  }

  @Test func whatIsNoTextMatchesNothing() throws {
    let bytes: [UInt8] = [0xFF, 0xFE, 0x00, 0xC3]
    for test in [
      #""equals":"""#, #""matches":"*""#, #""above":0"#, #""equals":null"#, #""pointer":"","equals":1"#,
    ] {
      #expect(try !matches(test, bytes))
    }
  }

  @Test func aLongPayloadMatchesNothing() throws {
    let text = [UInt8](repeating: UInt8(ascii: "a"), count: 65_536)
    #expect(try matches(#""matches":"a*""#, text))
    #expect(try !matches(#""matches":"a*""#, text + [UInt8(ascii: "a")]))
    let padded = Array(#"{"s":1}"#.utf8) + [UInt8](repeating: UInt8(ascii: " "), count: 65_536)
    #expect(try !matches(#""pointer":"/s","equals":1"#, padded))
  }

  @Test func aDeepPayloadMatchesNothing() throws {
    let deep =
      [UInt8](repeating: UInt8(ascii: "["), count: 30_000)
      + [UInt8](repeating: UInt8(ascii: "]"), count: 30_000)
    let path = String(repeating: "/0", count: 80)
    for test in [#""equals":1"#, #""above":0"#, #""pointer":"\#(path)","equals":1"#] {
      #expect(try !matches(test, deep))
      #expect(try !matches(test, Array(deep.prefix(30_000))))
    }
  }

  @Test func silenceAndDevicesHaveNoMessages() throws {
    #expect(try !matches(#""silent":"1m""#, Array("anything".utf8)))
    let device = Condition(source: .device(try Name("desk"), .status(.online)))
    #expect(!device.matches(payload: Array("online".utf8)))
  }
}
