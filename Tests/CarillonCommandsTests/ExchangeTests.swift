import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Testing

@testable import CarillonCommands

/// The program against a real broker, with the test in the relay's place.
@Suite struct ExchangeTests {
  private let broker: Broker
  private let relay: TestClient

  init() throws {
    broker = try Broker()
    relay = try TestClient(port: broker.port)
  }

  private func carillon(_ words: String...) throws -> Program {
    try Program(words, environment: ["CARILLON_BROKER": broker.url])
  }

  private func json(_ message: TestClient.Message) throws -> JSON { try JSON(parsing: message.payload) }

  private func answer(_ message: TestClient.Message, _ reply: String) throws {
    try relay.publish(try #require(message.responseTopic), reply, correlationData: message.correlationData)
  }

  @Test func aCommandAsksForItsReplyAndExpiresWithTheWait() throws {
    try relay.subscribe("carillon/command/#")
    let program = try carillon("schedule", "--title", "Tea", "--wait", "1.5")
    let message = try relay.waitForMessage(on: "carillon/command")
    let command = try json(message)
    #expect(command["command"] == "schedule")
    #expect(command["title"] == "Tea")
    #expect(command["key"]?.text?.count == 32)
    #expect(command["replyTo"] == nil)
    #expect(message.expiry == 2)
    #expect(message.qos == 1)
    #expect(message.responseTopic?.hasPrefix("carillon/reply/cli-") == true)
    #expect(message.correlationData?.isEmpty == false)
    try answer(message, #"{"ok":true,"command":"schedule","id":"x","next":null,"delivery":"d","unknown":[]}"#)
    #expect(try program.waitForExit() == .exited(0))
    #expect(program.lines() == ["x: fired now"])
  }

  @Test func aPublisherSpeaksAndIsAnsweredUnderItsName() throws {
    try relay.subscribe("p/command/#")
    let program = try carillon("cancel", "a", "--publisher", "ha", "--prefix", "p", "--json", "--key", "mine")
    let message = try relay.waitForMessage(on: "p/command/ha")
    #expect(message.text == #"{"command":"cancel","ids":["a"],"key":"mine"}"#)
    #expect(message.responseTopic?.hasPrefix("p/reply/ha/") == true)
    let reply = #"{"ok":true,"command":"cancel","ids":{"a":"unknown"}}"#
    try answer(message, reply)
    #expect(try program.waitForExit() == .exited(0))
    #expect(program.lines() == [reply])
  }

  @Test(arguments: [("never", 65), ("limit", 75), ("unavailable", 75), ("forbidden", 65)])
  func aRefusalDecidesTheStatus(_ code: String, _ status: Int32) throws {
    try relay.subscribe("carillon/command/#")
    let program = try carillon("schedule", "--title", "x", "--after", "5s")
    let message = try relay.waitForMessage(on: "carillon/command")
    try answer(
      message,
      #"{"ok":false,"command":"schedule","id":"x","error":{"code":"\#(code)","path":"trigger.after","message":"so"}}"#
    )
    #expect(try program.waitForExit() == .exited(status))
    #expect(program.lines().isEmpty)
    #expect(
      program.lines(.errors) == [
        "carillon schedule: \(code) at trigger.after: so", "  --after 5s", "          ^^",
      ])
  }

  @Test func severalIdsTravelAsOneListAndEachReplyIsTold() throws {
    try relay.subscribe("carillon/command/#")
    let program = try carillon("fire", "a", "b", "--key", "k")
    let message = try relay.waitForMessage(on: "carillon/command")
    #expect(
      message.text == #"[{"command":"fire","id":"a","key":"k-1"},{"command":"fire","id":"b","key":"k-2"}]"#)
    try answer(
      message,
      #"[{"ok":true,"command":"fire","ids":{"a":"fired"}},{"ok":true,"command":"fire","ids":{"b":"unknown"}}]"#
    )
    #expect(try program.waitForExit() == .exited(0))
    #expect(program.lines() == ["a: fired", "b: unknown"])
  }

  @Test func anAnswerToSomebodyElseIsNone() throws {
    try relay.subscribe("carillon/command/#")
    let program = try carillon("schedule", "--title", "x", "--wait", "1", "--key", "again")
    let message = try relay.waitForMessage(on: "carillon/command")
    try relay.publish(
      try #require(message.responseTopic), #"{"ok":true,"command":"schedule","id":"x"}"#,
      correlationData: [1, 2])
    #expect(try program.waitForExit() == .exited(69))
    #expect(
      program.lines(.errors) == [
        "carillon schedule: the relay gave no answer within 1s (\(broker.url), prefix carillon). "
          + "If the relay took it, it stands; repeating it with --key again is safe"
      ])
  }

  @Test func aQueuedCommandStaysAtTheBrokerForARelayThatIsAway() throws {
    do {
      let away = try TestClient(port: broker.port, id: "away", isClean: false)
      try away.subscribe("carillon/command/#")
      away.disconnect()
    }
    let program = try carillon("schedule", "--title", "x", "--queue", "--key", "k")
    #expect(try program.waitForExit() == .exited(0))
    #expect(program.lines() == ["queued at the broker with the key k"])
    let back = try TestClient(port: broker.port, id: "away", isClean: false)
    let message = try back.waitForMessage(on: "carillon/command")
    #expect(message.expiry == nil)
    #expect(message.responseTopic == nil)
  }

  /// A relay that is only starting has not subscribed yet, and the broker keeps nothing for it.
  @Test func aCommandWaitsForARelayThatIsStarting() throws {
    let program = try carillon("schedule", "--title", "x")
    let onlooker = try TestClient(port: broker.port)
    try onlooker.listen(for: .milliseconds(500))
    try relay.subscribe("carillon/command/#")
    let message = try relay.waitForMessage(on: "carillon/command")
    try answer(message, #"{"ok":true,"command":"schedule","id":"x","next":null}"#)
    #expect(try program.waitForExit() == .exited(0))
  }

  @Test func withoutAnyRelayNobodyGotTheCommand() throws {
    for words in [["schedule", "--title", "x"], ["schedule", "--title", "x", "--queue"]] {
      let program = try Program(words, environment: ["CARILLON_BROKER": broker.url])
      #expect(try program.waitForExit() == .exited(69))
      #expect(
        program.lines(.errors).first?.contains("no relay has ever listened on carillon/command") == true)
    }
  }

  @Test func aListIsReadToItsLastPage() throws {
    try relay.subscribe("carillon/command/#")
    let program = try carillon("pending", "--device", "desk")
    let first = try relay.waitForMessage(on: "carillon/command")
    #expect(first.text == #"{"command":"pending","device":"desk"}"#)
    try answer(
      first,
      #"{"ok":true,"command":"pending","items":[{"id":"a","title":"T\u001b","to":["desk"],"next":"2026-12-01T19:00:00.000+01:00","state":"pending"}],"after":"c1"}"#
    )
    let second = try relay.waitForMessage(on: "carillon/command")
    #expect(second.text == #"{"command":"pending","device":"desk","after":"c1"}"#)
    try answer(
      second,
      #"{"ok":true,"command":"pending","items":[{"id":"b","body":"B","next":null,"state":"paused"}],"after":null}"#
    )
    #expect(try program.waitForExit() == .exited(0))
    #expect(
      program.lines() == [
        "ID  NEXT                       STATE    TO    TITLE",
        "a   2026-12-01T19:00:00+01:00  pending  desk  T\\u{1b}",
        "b   -                          paused   all   B",
      ])
  }

  @Test func aDeviceIsForgotten() throws {
    try relay.subscribe("carillon/command/#")
    let program = try carillon("devices", "--forget", "old")
    let message = try relay.waitForMessage(on: "carillon/command")
    #expect(try json(message)["device"] == "old")
    try answer(message, #"{"ok":true,"command":"forget","device":"old"}"#)
    #expect(try program.waitForExit() == .exited(0))
    #expect(program.lines() == ["old: forgotten"])
  }

  @Test func aBrokerThatIsNotThereIsNamedInOneLine() throws {
    broker.stop()
    for verb in [["schedule", "--title", "x"], ["pending"], ["watch"]] {
      let program = try Program(verb, environment: ["CARILLON_BROKER": broker.url])
      #expect(try program.waitForExit() == .exited(69))
      #expect(program.lines(.errors).count == 1)
      #expect(program.lines(.errors).first?.contains("\(broker.url) cannot be reached") == true)
    }
  }

  @Test func everythingThatHappensIsShown() throws {
    try relay.publish("carillon/device/desk/status", "online", retain: true)
    let person = try carillon("watch")
    let program = try carillon("watch", "--json")
    try person.wait { $0.hasSuffix("desk           status       online (kept)") }
    try program.wait {
      $0.hasSuffix(#""topic":"carillon/device/desk/status","kept":true,"payload":"online"}"#)
    }
    try relay.publish("carillon/command/ha", #"{"id":"tea","title":"Tea\u0007","trigger":{"after":5}}"#)
    try person.wait { $0.hasSuffix(#"ha             schedule     tea  Tea\u{7}  {"after":5}"#) }
    try relay.publish("carillon/device/desk/response", #"{"id":"tea","event":"opened","by":"arrival"}"#)
    try person.wait { $0.hasSuffix("desk           response     tea  opened  arrival") }
    try relay.publish("carillon/relay/rejected", #"{"code":"invalid","path":"id","message":"m"}"#)
    try person.wait { $0.hasSuffix("relay          rejected     invalid  id  m") }
    try relay.publish("carillon/relay/state", "\u{1B}[2J not JSON")
    try person.wait { $0.hasSuffix("relay          state        \\u{1b}[2J not JSON") }
    for watcher in [person, program] {
      watcher.terminate()
      #expect(try watcher.waitForExit() == .exited(0))
    }
  }
}

@Suite struct LoginTests {
  @Test func aBrokerThatWantsALoginIsToldWithTheSettings() throws {
    let broker = try Broker(configuration: "allow_anonymous false")
    let program = try Program(["schedule", "--title", "x"], environment: ["CARILLON_BROKER": broker.url])
    #expect(try program.waitForExit() == .exited(69))
    let lines = program.lines(.errors)
    #expect(lines.count == 1)
    for word in [broker.url, "without a user name", "username", "passwordFile", "CARILLON_USERNAME"] {
      #expect(lines.first?.contains(word) == true, "\(word)")
    }
    let named = try Program(
      ["pending", "--password-file", "/nonexistent"],
      environment: ["CARILLON_BROKER": "mqtt://bob@127.0.0.1:\(broker.port)"])
    #expect(try named.waitForExit() == .exited(78))
    #expect(named.lines(.errors).first?.contains("/nonexistent") == true)
  }
}
