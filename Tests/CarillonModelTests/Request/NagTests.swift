import CarillonModel
import Testing

private func request(_ members: String) throws -> Request {
  try Request(reading: try Fields(try JSON(parsing: Array(#"{"title":"x",\#(members)}"#.utf8))))
}

@Suite struct NagTests {
  @Test func aNagIsRead() throws {
    let nag = try request(#""nag":{"every":"5m","times":6,"then":["bedroom","hall"]}"#)
    #expect(
      nag.nag
        == Nag(
          every: .seconds(300), times: 6, then: Recipients(names: [try Name("bedroom"), try Name("hall")])))
    #expect(nag.nagText == ["every": "5m", "times": 6, "then": ["bedroom", "hall"]])
    #expect(try request(#""nag":{"every":1,"times":1}"#).nag == Nag(every: .seconds(1), times: 1))
    #expect(try request(#""nag":{"every":1,"times":1000,"then":"all"}"#).nag?.then == .all)
    #expect(try request(#""nag":{"every":1,"times":1,"then":"bed"}"#).nag?.then?.names == [try Name("bed")])
    let without = try request(#""nag":null"#)
    #expect(without.nag == nil)
    #expect(without.nagText == nil)
  }

  @Test(arguments: [
    ("true", RefusalCode.invalid, "", "expected an object"), ("[]", .invalid, "", "expected an object"),
    ("{}", .invalid, ".every", "a nag needs every"),
    (#"{"every":"5m"}"#, .invalid, ".times", "a nag needs times"),
    (#"{"every":0.5,"times":1}"#, .invalid, ".every", "at most once in 1s"),
    (#"{"every":0,"times":1}"#, .invalid, ".every", "longer than zero"),
    (#"{"every":1e300,"times":1}"#, .invalid, ".every", "longer than 100 years"),
    (#"{"every":"NaN","times":1}"#, .invalid, ".every", "is not a duration"),
    (#"{"every":5,"times":0}"#, .invalid, ".times", "0 is not within 1 to 1000"),
    (#"{"every":5,"times":1001}"#, .invalid, ".times", "1001 is not within 1 to 1000"),
    (#"{"every":5,"times":1.5}"#, .invalid, ".times", "expected a whole number"),
    (#"{"every":5,"times":1e300}"#, .invalid, ".times", "expected a whole number"),
    (#"{"every":5,"times":1,"then":[]}"#, .invalid, ".then", "names nobody"),
    (#"{"every":5,"times":1,"then":["a","b/c"]}"#, .invalid, ".then[1]", "is not a name"),
    (#"{"every":5,"times":1,"then":{}}"#, .invalid, ".then", "expected a name or a list of names"),
    (#"{"every":5,"time":1}"#, .unknownField, ".time", "did you mean \"times\"?"),
  ])
  func aBadNagIsRefused(nag: String, code: RefusalCode, path: String, says: String) {
    let refusal = #expect(throws: Refusal.self) { try request(#""nag":\#(nag)"#) }
    #expect(refusal?.code == code)
    #expect(refusal?.path == "nag" + path)
    #expect(refusal?.message.contains(says) == true, "\(refusal?.message ?? "")")
  }
}

@Suite struct SnoozeTests {
  @Test func anActionKeepsItsSnoozeAsADeviceReadsIt() throws {
    let actions = """
      [{"id":"done","title":"D"},{"id":"later","title":"L","snooze":600},
       {"id":"map","title":"M","snooze":"PT1H30M","url":"home://map"}]
      """
    let content = try request(#""actions":\#(actions)"#).content
    #expect(content.snooze(of: "done") == nil)
    #expect(content.snooze(of: "later") == .seconds(600))
    #expect(content.snooze(of: "map") == .seconds(5400))
    #expect(content.snooze(of: "other") == nil)
    #expect(try request(#""body":"y""#).content.snooze(of: "later") == nil)
    #expect(
      content.members["actions"]?.elements?.map(\.encodedText) == [
        #"{"id":"done","title":"D"}"#, #"{"id":"later","title":"L","snooze":"10m"}"#,
        #"{"id":"map","title":"M","url":"home://map","snooze":"1h30m"}"#,
      ])
  }

  @Test func anActionIsFoundByteForByte() throws {
    let content = try request(#""actions":[{"id":"é","title":"L","snooze":"10m"}]"#).content
    #expect(content.snooze(of: "é") == .seconds(600))
    #expect(content.snooze(of: "e\u{301}") == nil)
  }

  @Test(arguments: [
    ("0", "longer than zero"), ("0.5", "at least 1s"), (#""-10m""#, "negative"),
    ("true", "expected a duration"),
    (#""soon""#, "is not a duration"), (#""inf""#, "is not a duration"), ("1e300", "longer than 100 years"),
    ("[600]", "expected a duration"),
  ])
  func aBadSnoozeIsRefused(snooze: String, says: String) {
    let refusal = #expect(throws: Refusal.self) {
      try request(#""actions":[{"id":"later","title":"L","snooze":\#(snooze)}]"#)
    }
    #expect(refusal?.code == .invalid)
    #expect(refusal?.path == "actions[0].snooze")
    #expect(refusal?.message.contains(says) == true, "\(refusal?.message ?? "")")
  }
}
