import Testing

@testable import CarillonModel

private func condition(_ text: String) throws -> Condition {
  try Condition.read(try JSON(parsing: Array(text.utf8)), at: "when")
}

@Suite struct ConditionReadingTests {
  @Test func everyTestIsRead() throws {
    func test(_ text: String) throws -> Condition.Test? { try condition(#"{"topic":"a",\#(text)}"#).test }
    #expect(try test(#""equals":"home""#) == .equals("home"))
    #expect(try test(#""equals":"""#) == .equals(""))
    #expect(try test(#""equals":21.5"#) == .equals(.number(21.5)))
    #expect(try test(#""equals":false"#) == .equals(false))
    #expect(try test(#""equals":null"#) == .equals(.null))
    #expect(try test(#""above":21"#) == .above(21))
    #expect(try test(#""above":"21.5""#) == .above(21.5))
    #expect(try test(#""below":-1e3"#) == .below(-1000))
    #expect(try test(#""matches":"*.jpg""#) == .matches(Pattern("*.jpg")))
    #expect(try test(#""silent":"15m""#) == .silent(.seconds(900)))
    #expect(
      try test(#""above":5,"equals":null"#) == .above(5), "null beside another test is a field left out")
  }

  @Test func everythingElseIsRead() throws {
    #expect(
      try condition(#"{"topic":"home/phone","pointer":"/a~1b/m~0n/0","equals":"x","for":"10m"}"#)
        == Condition(
          source: .topic("home/phone"), pointer: ["a/b", "m~n", "0"], test: .equals("x"), hold: .seconds(600))
    )
    #expect(
      try condition(#"{"topic":"a","silent":60,"delay":"30m"}"#)
        == Condition(source: .topic("a"), test: .silent(.seconds(60)), delay: .seconds(1800)))
    #expect(
      try condition(#"{"topic":"a","above":1,"for":"1m","delay":"30m"}"#)
        == Condition(
          source: .topic("a"), test: .above(1), hold: .seconds(60), delay: .seconds(1800)))
    #expect(
      try condition(#"{"device":"desk","status":"online"}"#)
        == Condition(source: .device(try Name("desk"), .status(.online))))
    #expect(
      try condition(#"{"device":"desk","status":"offline","for":"5m"}"#)
        == Condition(source: .device(try Name("desk"), .status(.offline)), hold: .seconds(300)))
    #expect(
      try condition(#"{"device":"desk","presence":"active","delay":"1m"}"#)
        == Condition(source: .device(try Name("desk"), .presence(.active)), delay: .seconds(60)))
    #expect(
      try condition(#"{"device":"desk","status":null,"presence":"locked"}"#)
        == Condition(source: .device(try Name("desk"), .presence(.locked))))
  }

  @Test(arguments: ["a", "/", "a//b", "/a", "a/", "home/Küche 1", "a$b", "a/$SYS", "日本"])
  func aTopicIsTakenAsItIs(topic: String) throws {
    let read = try Condition.read(["topic": .string(topic), "equals": 1], at: "when")
    #expect(read.source == .topic(topic))
  }

  @Test(arguments: [
    ("", "must not be empty"), ("a/+/b", "without the wildcards"), ("a/#", "without the wildcards"),
    ("a+b", "without the wildcards"), ("$SYS/x", "belong to the broker"),
    ("$share/g/t", "belong to the broker"),
    ("a\u{0}b", "control characters"), ("a\nb", "control characters"), ("a\u{7F}", "control characters"),
    ("a\u{85}", "control characters"), ("a\u{FFFE}", "control characters"),
    (String(repeating: "t", count: 65_536), "at most 65535"),
  ])
  func aTopicThatCannotBeWatchedIsRefused(topic: String, says: String) {
    let refusal = #expect(throws: Refusal.self) {
      try Condition.read(["topic": .string(topic), "equals": 1], at: "when")
    }
    #expect(refusal?.path == "when.topic")
    #expect(refusal?.message.contains(says) == true)
  }

  @Test func aTopicHasAtMost65535Bytes() throws {
    let topic = String(repeating: "t", count: 65_535)
    #expect(try Condition.read(["topic": .string(topic), "equals": 1], at: "when").source == .topic(topic))
  }

  /// What follows the topic, the place, and a part of the message.
  static let bad: [(String, String, String)] = [
    (#""pointer":"/a""#, "", "a topic needs a test, one of equals, above, below, matches, silent"),
    (#""above":null"#, "", "a topic needs a test"),
    (#""above":1,"below":5"#, "", "exactly one test of a topic, not above and below"),
    (#""equals":1,"matches":"a""#, "", "exactly one test of a topic, not equals and matches"),
    (#""equals":[1]"#, ".equals", "expected a text, a number, true, false or null, got a list"),
    (#""equals":{}"#, ".equals", "got an object"),
    (#""above":"warm""#, ".above", "expected a number, got \"warm\""),
    (#""above":"NaN""#, ".above", "expected a number"), (#""above":"inf""#, ".above", "expected a number"),
    (#""above":"1e999""#, ".above", "expected a number"), (#""above":"0x10""#, ".above", "expected a number"),
    (#""below":true"#, ".below", "expected a number, got true or false"),
    (#""below":[]"#, ".below", "expected a number, got a list"),
    (#""below":"a\u0007""#, ".below", "got \"a\\u{7}\""),
    (#""matches":7"#, ".matches", "expected a text, got a number"), (#""matches":"""#, ".matches", "empty"),
    (#""matches":"\#(String(repeating: "*", count: 1001))""#, ".matches", "at most 1000"),
    (#""silent":0"#, ".silent", "longer than zero"), (#""silent":-5"#, ".silent", "negative"),
    (#""silent":"101y""#, ".silent", "is not a duration"),
    (#""silent":1e18"#, ".silent", "longer than 100 years"),
    (#""silent":5,"pointer":"/a""#, ".pointer", "leave pointer out"),
    (#""silent":5,"for":"1m""#, ".for", "leave for out"),
    (#""equals":1,"for":0"#, ".for", "longer than zero"),
    (#""equals":1,"delay":"now""#, ".delay", "duration"),
    (#""equals":1,"pointer":"state""#, ".pointer", "a pointer begins with \"/\""),
    (#""equals":1,"pointer":"/a~""#, ".pointer", "written ~0"),
    (#""equals":1,"pointer":"/~2""#, ".pointer", "written ~0"),
    (#""equals":1,"pointer":5"#, ".pointer", "expected a text"),
    (#""equals":1,"pointer":"/\#(String(repeating: "a", count: 1000))""#, ".pointer", "at most 1000"),
    (#""equals":1,"status":"online""#, ".status", "status belongs to device"),
    (#""equals":1,"device":"desk""#, "", "a condition is about topic or device, not both"),
    (#""equals":1,"presence":"active""#, ".presence", "presence belongs to device"),
  ]

  @Test(arguments: bad) func aBadTestOfATopicIsRefused(rest: String, path: String, says: String) throws {
    let value = try JSON(parsing: Array(#"{"topic":"a",\#(rest)}"#.utf8))
    let refusal = #expect(throws: Refusal.self) { try Condition.read(value, at: "when") }
    #expect(refusal?.code == .invalid)
    #expect(refusal?.path == "when" + path)
    #expect(refusal?.message.contains(says) == true, "\(refusal?.message ?? "")")
  }

  @Test(arguments: [
    ("[]", RefusalCode.invalid, "", "expected an object, got a list"),
    ("{}", .invalid, "", "a condition needs topic or device"),
    (#"{"topic":7,"equals":1}"#, .invalid, ".topic", "expected a text"),
    (#"{"device":"desk"}"#, .invalid, ".status", "a device needs status: online or offline"),
    (#"{"device":"desk","status":"away"}"#, .invalid, ".status", "none of online, offline"),
    (#"{"device":"a/b","status":"online"}"#, .invalid, ".device", "is not a name"),
    (#"{"device":"all","status":"online"}"#, .invalid, ".device", "reserved"),
    (#"{"device":"desk","presence":"here"}"#, .invalid, ".presence", "none of active, idle, locked"),
    (#"{"device":"desk","presence":"unknown"}"#, .invalid, ".presence", "active, idle or locked"),
    (#"{"device":"desk","presence":"idle","status":"online"}"#, .invalid, "", "not both"),
    (#"{"device":"all","presence":"idle"}"#, .invalid, ".device", "reserved"),
    (#"{"device":"desk","status":"online","equals":1}"#, .invalid, ".equals", "equals belongs to topic"),
    (#"{"device":"desk","status":"online","silent":1}"#, .invalid, ".silent", "silent belongs to topic"),
    (#"{"device":"desk","status":"online","pointer":""}"#, .invalid, ".pointer", "pointer belongs to topic"),
    (#"{"topic":"a","equal":1}"#, .unknownField, ".equal", "did you mean \"equals\"?"),
    (#"{"topic":"a","equals":1,"repeats":true}"#, .unknownField, ".repeats", "stands beside when"),
    (#"{"topic":"a","equals":1,"holdoff":5}"#, .unknownField, ".holdoff", "stands beside when"),
  ])
  func aBadConditionIsRefused(text: String, code: RefusalCode, path: String, says: String) throws {
    let value = try JSON(parsing: Array(text.utf8))
    let refusal = #expect(throws: Refusal.self) { try Condition.read(value, at: "when") }
    #expect(refusal?.code == code)
    #expect(refusal?.path == "when" + path)
    #expect(refusal?.message.contains(says) == true, "\(refusal?.message ?? "")")
  }
}
