import CarillonModel
import Testing

/// Home Assistant's notify call, and what users write instead of it.
@Suite struct HomeAssistantCallTests {
  private func received(_ text: String) throws -> ReceivedCommand {
    guard case .single(let command) = CommandPayload(reading: Array(text.utf8)) else {
      throw Refusal(.malformed, text)
    }
    return command
  }

  private func request(_ text: String) throws -> Request {
    guard case .schedule(let request) = try received(text).command.get() else {
      throw Refusal(.invalid, text)
    }
    return request
  }

  private func refusal(_ text: String) throws -> Refusal {
    switch CommandPayload(reading: Array(text.utf8)) {
    case .refused(let refusal): return refusal
    case .single(let command):
      if case .failure(let refusal) = command.command { return refusal }
    default: break
    }
    Issue.record("taken: \(text)")
    return Refusal(.invalid, "")
  }

  @Test func `Everything that a phone's automation sends finds its place`() throws {
    let call = """
      {"title":"Laundry","message":"The machine has finished","target":["kitchen","bath"],"data":{
        "subtitle":"Cotton","image":"/local/laundry.png","url":"/lovelace/0","tag":"laundry","group":"chores",
        "ttl":0,"priority":"high","timeout":600,"channel":"Laundry","sticky":"true",
        "actions":[{"action":"DONE","title":"Done"},{"action":"URI","title":"Look","uri":"https://example.org/"},
                   {"action":"URI","title":"Cameras","uri":"/lovelace/cameras"}],
        "push":{"badge":"5","sound":{"name":"chime.wav","critical":0,"volume":0.8},"category":"alarm"}},
       "trigger":{"after":"30m"},"expires":null,"key":"k","replyTo":"carillon/reply/x"}
      """
    let request = try request(call)
    let direct = try self.request(
      """
      {"title":"Laundry","body":"The machine has finished","to":["kitchen","bath"],"subtitle":"Cotton",
       "image":"/local/laundry.png","url":"homeassistant://navigate/lovelace/0","id":"laundry","thread":"chores",
       "expires":600,"level":"timeSensitive","badge":5,"sound":"chime.wav",
       "actions":[{"id":"DONE","title":"Done"},{"id":"URI-2","title":"Look","url":"https://example.org/"},
                  {"id":"URI-3","title":"Cameras","url":"homeassistant://navigate/lovelace/cameras"}],
       "userInfo":{"channel":"Laundry","sticky":"true","push":{"category":"alarm","sound":{"volume":0.8}}},
       "trigger":{"after":"30m"}}
      """)
    #expect(request == direct)
    let received = try received(call)
    #expect(received.verb == "schedule" && received.id == "laundry" && received.key == "k")
    #expect(received.replyTo == "carillon/reply/x")
  }

  /// A call's members besides the message, and what a request has then: one field, as JSON text.
  static let places: [(String, String, String)] = [
    (#""data":{"url":"/lovelace/0"}"#, "url", #""homeassistant://navigate/lovelace/0""#),
    (#""data":{"clickAction":"/map"}"#, "url", #""homeassistant://navigate/map""#),
    (#""data":{"clickAction":"https://a.example/","url":"myapp://x"}"#, "url", #""myapp://x""#),
    (#""data":{"url":"noAction","clickAction":"/x"}"#, "url", #""homeassistant://navigate/x""#),
    (#""data":{"clickAction":"noAction"}"#, "url", "null"),
    (#""data":{"url":"/a"},"url":"home://b""#, "url", #""home://b""#),
    (#""data":{"push":{"badge":3}}"#, "badge", "3"), (#""data":{"push":{"badge":"3"}}"#, "badge", "3"),
    (#""data":{"push":{"sound":"none"}}"#, "sound", #""none""#),
    (#""data":{"push":{"sound":{"critical":1}}}"#, "level", #""critical""#),
    (#""data":{"push":{"sound":{"critical":"true"}}}"#, "level", #""critical""#),
    (#""data":{"push":{"sound":{"critical":false}}}"#, "level", "null"),
    (#""data":{"push":{"interruption-level":"time-sensitive"}}"#, "level", #""timeSensitive""#),
    (#""data":{"push":{"interruption-level":"passive"},"priority":"high"}"#, "level", #""passive""#),
    (#""data":{"priority":"high"},"level":"active""#, "level", #""active""#),
    (#""data":{"priority":"normal"}"#, "level", "null"), (#""title":21.5"#, "title", #""21.5""#),
    (#""data":{"group":7}"#, "thread", #""7""#), (#""data":{"subtitle":true}"#, "subtitle", #""true""#),
    (#""data":{"importance":"high","a":null}"#, "userInfo", #"{"importance":"high"}"#),
    (#""data":{"a":1,"b":2},"userInfo":{"b":3}"#, "userInfo", #"{"b":3,"a":1}"#),
    (
      #""data":{"actions":[{"action":"A","title":"T","icon":"sfsymbols:bell"}]}"#, "userInfo",
      #"{"actions":[{"action":"A","title":"T","icon":"sfsymbols:bell"}]}"#
    ),
    (
      #""data":{"actions":[{"action":"REPLY","title":"T","uri":"noAction"}]}"#, "actions",
      #"[{"id":"REPLY","title":"T"}]"#
    ),
    (#""data":null"#, "userInfo", "null"), (#""data":{}"#, "userInfo", "null"),
  ]

  @Test(arguments: places)
  func `A member of data has its place in the request`(members: String, field: String, value: String) throws {
    let content = try request("{\"message\":\"m\",\(members)}").content
    #expect(content.members["body"] == "m")
    #expect((content.members[field] ?? .null).encodedText == value)
  }

  /// A call's members, and the life in seconds that the request has.
  @Test(
    arguments: [
      (#""data":{"ttl":0}"#, nil), (#""data":{"ttl":"0","timeout":"90"}"#, 90),
      (#""data":{"ttl":60,"timeout":90}"#, 60),
      (#""data":{"ttl":60},"expires":"2h""#, 7200), (#""data":{}"#, nil),
    ] as [(String, Int64?)])
  func `The shorter of ttl and timeout is its life, and 0 is none`(members: String, seconds: Int64?) throws {
    #expect(try request("{\"message\":\"m\",\(members)}").expires == seconds.map { .seconds($0) })
  }

  @Test(arguments: [
    (#""kitchen""#, ["kitchen"]), (#"["kitchen","bath"]"#, ["kitchen", "bath"]), (#""all""#, []),
    ("null", []),
  ])
  func `A target is a name or a list of names`(target: String, names: [String]) throws {
    let to = try request("{\"message\":\"m\",\"target\":\(target)}").to
    #expect(to.names.map(\.text) == names && to.everyone == names.isEmpty)
  }

  @Test func `A number or a truth value is a message too`() throws {
    #expect(try request(#"{"message":21}"#).content.members["body"] == "21")
    #expect(try request(#"{"message":false}"#).content.members["body"] == "false")
    #expect(try request(#"{"message":"","title":"t"}"#).content.title == "t")
  }

  @Test(arguments: [
    #"{"message":"clear_notification","data":{"tag":"a"}}"#, #"{"message":"clear_notification","id":"a"}"#,
    #"{"message":"clear_notification","target":"kitchen","title":"x","data":{"tag":"a","url":"/x"}}"#,
  ])
  func `clear_notification withdraws what has that tag`(call: String) throws {
    let received = try received(call)
    #expect(try received.command.get() == .withdraw(.ids(["a"])))
    #expect(received.verb == "withdraw" && received.id == "a")
  }

  /// A payload that users send, where it is refused, and a word of the message that helps.
  static let slips: [(String, RefusalCode, String, String)] = [
    (#"{"message":"clear_notification"}"#, .invalid, "message", "data.tag"),
    (
      #"{"message":"clear_notification","data":{"tag":"a"},"trigger":{"after":1}}"#, .invalid, "trigger",
      "at once"
    ),
    (#"{"message":"request_location_update"}"#, .invalid, "message", "request_location_update"),
    (#"{"message":"command_screen_on","data":{"command":"x"}}"#, .invalid, "message", "command_screen_on"),
    (#"{"message":"TTS","data":{"tts_text":"x"}}"#, .invalid, "message", "TTS"),
    (#"{"message":"delete_alert"}"#, .invalid, "message", "delete_alert"),
    (#"{"message":"remove_channel","data":{"channel":"c"}}"#, .invalid, "message", "remove_channel"),
    (#"{"message":"m","body":"b"}"#, .invalid, "body", "one of the two"),
    (#"{"message":"m","mesage":"b"}"#, .unknownField, "mesage", "message"),
    (#"{"message":null,"title":"t"}"#, .invalid, "message", "default"),
    (#"{"message":"None"}"#, .invalid, "message", "None"),
    (#"{"message":"{{ states('sensor.x') }}"}"#, .invalid, "message", "template"),
    (#"{"message":"m","title":"{% if x %}"}"#, .invalid, "title", "template"),
    (#"{"message":["m"]}"#, .invalid, "message", "a list"),
    (#"{"message":"m","target":"notify.mobile_app_x"}"#, .invalid, "target", "device or group"),
    (#"{"message":"m","target":["a","mobile_app_x"]}"#, .invalid, "target[1]", "device or group"),
    (#"{"message":"m","target":7}"#, .invalid, "target", "a number"),
    (#"{"message":"m","target":["a",7]}"#, .invalid, "target[1]", "a number"),
    (#"{"message":"m","target":[]}"#, .invalid, "target", "all"),
    (#"{"message":"m","target":"a","to":"b"}"#, .invalid, "target", "one of the two"),
    (#"{"message":"m","data":"{\"url\":\"/x\"}"}"#, .invalid, "data", "to_json"),
    (#"{"message":"m","data":[1]}"#, .invalid, "data", "an object"),
    (#"{"message":"m","data":{"push":"loud"}}"#, .invalid, "data.push", "an object"),
    (#"{"message":"m","data":{"push":{"badge":"many"}}}"#, .invalid, "data.push.badge", "whole number"),
    (
      #"{"message":"m","data":{"push":{"interruption-level":"loud"}}}"#, .invalid,
      "data.push.interruption-level", "passive"
    ),
    (
      #"{"message":"m","data":{"push":{"sound":{"critical":2}}}}"#, .invalid, "data.push.sound.critical",
      "1 or 0"
    ),
    (#"{"message":"m","data":{"priority":"loud"}}"#, .invalid, "data.priority", "high"),
    (#"{"message":"m","data":{"ttl":"soon"}}"#, .invalid, "data.ttl", "soon"),
    (#"{"message":"m","data":{"timeout":-1}}"#, .invalid, "data.timeout", "negative"),
    (#"{"message":"m","data":{"tag":""}}"#, .invalid, "data.tag", "empty"),
    (#"{"message":"m","data":{"tag":{}}}"#, .invalid, "data.tag", "an object"),
    (#"{"message":"m","data":{"url":""}}"#, .invalid, "data.url", "empty"),
    (#"{"message":"m","data":{"actions":{}}}"#, .invalid, "data.actions", "a list"),
    (#"{"message":"m","data":{"actions":[{"title":"T"}]}}"#, .invalid, "data.actions[0].action", "action"),
    (#"{"message":"m","data":{"actions":[{"action":"A"}]}}"#, .invalid, "data.actions[0].title", "title"),
    (
      #"{"message":"m","data":{"actions":[{"action":"A","title":"a"},{"action":"A","title":"b"}]}}"#,
      .invalid, "data.actions[1].action", "A"
    ),
    (
      #"{"message":"m","data":{"actions":[{"action":"A","title":"a","uri":""}]}}"#, .invalid,
      "data.actions[0].uri", "empty"
    ),
    (#"{"message":"m","userInfo":7,"data":{"x":1}}"#, .invalid, "userInfo", "an object"),
    (#"{"message":"m","trigger":{"aftr":1}}"#, .unknownField, "trigger.aftr", "after"),
    ("{{ states('sensor.x') }}", .malformed, "", "template"),
    ("{% if x %}{\"message\":1}{% endif %}", .malformed, "", "template"),
    (#"{"message": {{ x }} }"#, .malformed, "", "template"),
    ("None", .malformed, "", "None"), ("True\n", .malformed, "", "True"),
    ("unavailable", .malformed, "", "to_json"),
    ("{'message': 'm'}", .malformed, "", "Python"), (#"{"message": None}"#, .malformed, "", "Python"),
    (#""{\"message\":\"m\"}""#, .invalid, "", "twice"),
  ]

  @Test(arguments: slips)
  func `A slip is refused where it was written, with what to do`(
    call: String, code: RefusalCode, path: String, word: String
  ) throws {
    let refusal = try refusal(call)
    #expect(refusal.code == code)
    #expect(refusal.path == path)
    #expect(refusal.message.contains(word), "\(refusal)")
  }

  @Test func `Braces that are no template are a message`() throws {
    #expect(try request(#"{"message":"a { b } }} c"}"#).content.members["body"] == "a { b } }} c")
  }

  @Test func `Another verb is not read as a notify call`() throws {
    #expect(try refusal(#"{"command":"cancel","all":true,"message":"m"}"#).path == "message")
    #expect(try request(#"{"command":"schedule","message":"m"}"#).content.members["body"] == "m")
  }

  @Test func `fire takes an id or next`() throws {
    #expect(try received(#"{"command":"fire","next":true}"#).command.get() == .fireNext)
    #expect(try refusal(#"{"command":"fire","next":false}"#).path == "next")
    #expect(try refusal(#"{"command":"fire","next":true,"id":"a"}"#).path == "next")
  }
}
