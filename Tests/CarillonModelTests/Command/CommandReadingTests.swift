import CarillonModel
import Testing

/// Reads one command as the relay does.
private func read(_ text: String) -> Result<Command, Refusal>? {
  guard case .single(let command) = CommandPayload(reading: Array(text.utf8)) else { return nil }
  return command.command
}

private func refusal(_ text: String) -> Refusal? {
  switch CommandPayload(reading: Array(text.utf8)) {
  case .refused(let refusal): refusal
  case .single(let command):
    switch command.command {
    case .failure(let refusal): refusal
    case .success: nil
    }
  default: nil
  }
}

@Suite struct CommandReadingTests {
  @Test func `An empty payload is nothing`() {
    guard case .empty = CommandPayload(reading: []) else {
      Issue.record("not empty")
      return
    }
  }

  /// A payload, the code and the place at which it is refused.
  static let bad: [(String, RefusalCode, String)] = [
    ("[]", .invalid, ""), ("{", .malformed, ""), ("{'title':'x'}", .malformed, ""), ("1", .invalid, ""),
    ("{}", .invalid, ""), ("{\"title\":\"\"}", .invalid, ""), ("{\"title\":1}", .invalid, "title"),
    ("{\"titel\":\"x\"}", .unknownField, "titel"),
    ("{\"command\":\"ad\",\"title\":\"x\"}", .invalid, "command"),
    ("{\"command\":7}", .invalid, "command"),
    ("{\"command\":\"focus\",\"on\":true}", .invalid, "devices"),
    ("{\"command\":\"focus\",\"devices\":[],\"on\":true}", .invalid, "devices"),
    ("{\"command\":\"focus\",\"devices\":[\"a\",\"b/c\"],\"on\":true}", .invalid, "devices[1]"),
    ("{\"command\":\"focus\",\"devices\":[\"a\"]}", .invalid, "on"),
    ("{\"command\":\"focus\",\"devices\":[\"a\"],\"on\":\"on\"}", .invalid, "on"),
    ("{\"command\":\"focus\",\"devices\":\"a\",\"on\":true,\"until\":\"soon\"}", .invalid, "until"),
    ("{\"command\":\"focus\",\"devices\":\"a\",\"on\":false,\"until\":0}", .invalid, "until"),
    ("{\"command\":\"focus\",\"device\":\"a\",\"on\":true}", .unknownField, "device"),
    ("{\"title\":\"x\",\"id\":7}", .invalid, "id"), ("{\"title\":\"x\",\"id\":\"\"}", .invalid, "id"),
    ("{\"title\":\"x\",\"id\":\"a\\u0007\"}", .invalid, "id"),
    ("{\"title\":\"x\",\"id\":\"a\\u0000\"}", .invalid, "id"),
    ("{\"title\":\"x\",\"to\":\"a/b\"}", .invalid, "to"),
    ("{\"title\":\"x\",\"to\":[\"ok\",\"#\"]}", .invalid, "to[1]"),
    ("{\"title\":\"x\",\"to\":[]}", .invalid, "to"), ("{\"title\":\"x\",\"to\":[7]}", .invalid, "to[0]"),
    ("{\"title\":\"x\",\"to\":{}}", .invalid, "to"),
    ("{\"title\":\"x\",\"trigger\":{}}", .invalid, "trigger"),
    ("{\"title\":\"x\",\"trigger\":5}", .invalid, "trigger"),
    ("{\"title\":\"x\",\"trigger\":{\"after\":\"5s\",\"at\":0}}", .invalid, "trigger"),
    ("{\"title\":\"x\",\"trigger\":{\"aftr\":\"5s\"}}", .unknownField, "trigger.aftr"),
    ("{\"title\":\"x\",\"trigger\":{\"after\":-5}}", .invalid, "trigger.after"),
    ("{\"title\":\"x\",\"trigger\":{\"after\":true}}", .invalid, "trigger.after"),
    ("{\"title\":\"x\",\"trigger\":{\"after\":\"NaN\"}}", .invalid, "trigger.after"),
    ("{\"title\":\"x\",\"trigger\":{\"after\":100000000000000000000}}", .invalid, "trigger.after"),
    ("{\"title\":\"x\",\"trigger\":{\"after\":1e999}}", .malformed, ""),
    ("{\"title\":\"x\",\"trigger\":{\"after\":NaN}}", .malformed, ""),
    ("{\"title\":\"x\",\"trigger\":{\"every\":0}}", .invalid, "trigger.every"),
    ("{\"title\":\"x\",\"trigger\":{\"every\":-0.0}}", .invalid, "trigger.every"),
    ("{\"title\":\"x\",\"trigger\":{\"every\":1e-9}}", .invalid, "trigger.every"),
    ("{\"title\":\"x\",\"trigger\":{\"every\":0.5}}", .invalid, "trigger.every"),
    ("{\"title\":\"x\",\"trigger\":{\"every\":null}}", .invalid, "trigger"),
    ("{\"title\":\"x\",\"trigger\":{\"every\":\"1h\",\"count\":0}}", .invalid, "trigger.count"),
    ("{\"title\":\"x\",\"trigger\":{\"every\":\"1h\",\"count\":1.5}}", .invalid, "trigger.count"),
    ("{\"title\":\"x\",\"trigger\":{\"after\":\"1h\",\"count\":2}}", .invalid, "trigger.count"),
    ("{\"title\":\"x\",\"trigger\":{\"at\":\"1 Dec\"}}", .invalid, "trigger.at"),
    ("{\"title\":\"x\",\"trigger\":{\"at\":\"2026-13-01T00:00\"}}", .invalid, "trigger.at"),
    ("{\"title\":\"x\",\"trigger\":{\"at\":\"2026-02-30T00:00\"}}", .invalid, "trigger.at"),
    ("{\"title\":\"x\",\"trigger\":{\"after\":\"5s\",\"from\":0}}", .invalid, "trigger.from"),
    ("{\"title\":\"x\",\"expires\":0}", .invalid, "expires"),
    ("{\"title\":\"x\",\"catchUp\":\"some\"}", .invalid, "catchUp"),
    ("{\"title\":\"x\",\"level\":\"loud\"}", .invalid, "level"),
    ("{\"title\":\"x\",\"badge\":-1}", .invalid, "badge"),
    ("{\"title\":\"x\",\"revision\":-1}", .invalid, "revision"),
    ("{\"title\":\"x\",\"revision\":9007199254740992}", .invalid, "revision"),
    ("{\"title\":\"x\",\"url\":\"\"}", .invalid, "url"), ("{\"title\":\"x\",\"key\":\"\"}", .invalid, "key"),
    ("{\"title\":\"x\",\"actions\":[{\"id\":\"a\"}]}", .invalid, "actions[0].title"),
    ("{\"title\":\"x\",\"actions\":[{\"title\":\"a\"}]}", .invalid, "actions[0].id"),
    (
      "{\"title\":\"x\",\"actions\":[{\"id\":\"a\",\"title\":\"A\",\"icon\":\"i\"}]}", .unknownField,
      "actions[0].icon"
    ),
    (
      "{\"title\":\"x\",\"actions\":[{\"id\":\"a\",\"title\":\"A\"},{\"id\":\"a\",\"title\":\"B\"}]}",
      .invalid, "actions[1].id"
    ),
    ("{\"command\":\"cancel\"}", .invalid, ""), ("{\"command\":\"cancel\",\"ids\":[]}", .invalid, "ids"),
    ("{\"command\":\"cancel\",\"ids\":[7]}", .invalid, "ids[0]"),
    ("{\"command\":\"cancel\",\"all\":false}", .invalid, "all"),
    ("{\"command\":\"cancel\",\"all\":true,\"ids\":[\"a\"]}", .invalid, ""),
    ("{\"command\":\"pause\",\"thread\":\"t\"}", .unknownField, "thread"),
    ("{\"command\":\"fire\"}", .invalid, "id"), ("{\"command\":\"forget\"}", .invalid, "device"),
    ("{\"command\":\"forget\",\"device\":\"all\"}", .invalid, "device"),
    ("{\"command\":\"pending\",\"limit\":0}", .invalid, "limit"),
    ("{\"command\":\"pending\",\"device\":\"a/b\"}", .invalid, "device"),
  ]

  @Test(arguments: bad)
  func `A bad command gets its code and the place`(payload: String, code: RefusalCode, path: String) {
    let refusal = refusal(payload)
    #expect(refusal?.code == code)
    #expect(refusal?.path == path)
    #expect(refusal?.message.isEmpty == false)
  }

  @Test func `Focus names devices, one or many, and may end by itself`() throws {
    let desk = try Name("desk")
    #expect(
      read(#"{"command":"focus","devices":"desk","on":true}"#)
        == .success(.focus(FocusChange(devices: Recipients(names: [desk]), isOn: true))))
    #expect(
      read(#"{"command":"focus","devices":["desk","all"],"on":true,"until":60}"#)
        == .success(
          .focus(
            FocusChange(
              devices: Recipients(everyone: true, names: [desk]), isOn: true,
              until: .instant(WallTime(milliseconds: 60_000))))))
    #expect(
      read(#"{"command":"focus","devices":"all","on":false,"until":null}"#)
        == .success(.focus(FocusChange(devices: .all, isOn: false))))
  }

  @Test func `An id has at most 256 bytes`() {
    #expect(refusal("{\"title\":\"x\",\"id\":\"\(String(repeating: "i", count: 256))\"}") == nil)
    #expect(refusal("{\"title\":\"x\",\"id\":\"\(String(repeating: "i", count: 257))\"}")?.path == "id")
    // Two bytes a character.
    #expect(refusal("{\"title\":\"x\",\"id\":\"\(String(repeating: "é", count: 129))\"}")?.path == "id")
  }

  @Test func `Eight actions are taken, nine are not`() {
    func payload(_ count: Int) -> String {
      let actions = (0..<count).map { "{\"id\":\"\($0)\",\"title\":\"t\"}" }
      return "{\"title\":\"x\",\"actions\":[\(actions.joined(separator: ","))]}"
    }
    #expect(refusal(payload(8)) == nil)
    #expect(refusal(payload(9))?.path == "actions")
  }

  @Test func `A payload has at most 64 KiB`() {
    let frame = "{\"title\":\"\"}".utf8.count
    func payload(_ size: Int) -> String { "{\"title\":\"\(String(repeating: "x", count: size - frame))\"}" }
    #expect(refusal(payload(65_536)) == nil)
    #expect(refusal(payload(65_537))?.code == .tooLarge)
  }

  @Test func `A typo is answered with the word that was meant`() {
    #expect(refusal("{\"titel\":\"x\"}")?.message.contains("\"title\"") == true)
    #expect(refusal("{\"command\":\"shedule\",\"title\":\"x\"}")?.message.contains("schedule") == true)
  }

  @Test func `Every verb is understood`() throws {
    #expect(try read("{\"command\":\"cancel\",\"ids\":[\"a\",\"b\"]}")?.get() == .cancel(.ids(["a", "b"])))
    #expect(try read("{\"command\":\"withdraw\",\"thread\":\"t\"}")?.get() == .withdraw(.thread("t")))
    #expect(try read("{\"command\":\"pause\",\"all\":true}")?.get() == .pause(.all))
    #expect(try read("{\"command\":\"resume\",\"ids\":[\"a\"]}")?.get() == .resume(.ids(["a"])))
    #expect(try read("{\"command\":\"fire\",\"id\":\"a\"}")?.get() == .fire(id: "a"))
    #expect(try read("{\"command\":\"forget\",\"device\":\"desk\"}")?.get() == .forget(Name("desk")))
    #expect(
      try read("{\"command\":\"pending\",\"limit\":5,\"after\":\"9\"}")?.get()
        == .pending(Listing(limit: 5, after: "9")))
    #expect(try read("{\"command\":\"devices\"}")?.get() == .devices(Listing()))
  }

  @Test func `A request keeps what it was given, in the protocol's order`() throws {
    let text = """
      {"url":"home://x","title":"T","userInfo":{"b":1,"a":[null]},"to":["desk","all"],"level":"passive","id":"i",
       "trigger":{"every":"1h","count":3},"expires":"2h","catchUp":"all","timezone":"Europe/Berlin","revision":4}
      """
    guard case .schedule(let request)? = try read(text)?.get() else {
      Issue.record("no request")
      return
    }
    #expect(request.id == "i")
    #expect(request.to == Recipients(everyone: true, names: [try Name("desk")]))
    #expect(request.trigger == Trigger(.every(.seconds(3600), from: nil), count: 3))
    #expect(request.expires == .seconds(7200))
    #expect(request.catchUp == .all)
    #expect(request.revision == 4)
    let names = request.content.members.members.map(\.name)
    #expect(names == ["title", "url", "level", "userInfo"])
  }

  @Test func `In a list each command is judged alone`() {
    let text = "[{\"title\":\"a\"},{\"titel\":\"b\"},7,{\"command\":\"fire\",\"id\":\"x\"}]"
    guard case .list(let commands) = CommandPayload(reading: Array(text.utf8)) else {
      Issue.record("no list")
      return
    }
    let good = commands.map { (try? $0.command.get()) != nil }
    #expect(good == [true, false, false, true])
  }

  @Test func `A repeated command is compared without the place of its reply`() {
    func text(_ payload: String) -> [UInt8]? {
      guard case .single(let command) = CommandPayload(reading: Array(payload.utf8)) else { return nil }
      return command.text
    }
    let first = text("{\"title\":\"x\",\"key\":\"k\",\"replyTo\":\"carillon/reply/a\"}")
    #expect(first == text("{\"title\":\"x\",\"key\":\"k\",\"replyTo\":\"carillon/reply/b\"}"))
    #expect(first != text("{\"title\":\"y\",\"key\":\"k\",\"replyTo\":\"carillon/reply/b\"}"))
  }
}
