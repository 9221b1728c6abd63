import CarillonModel
import Testing

@testable import CarillonCommands

@Suite struct ReplyTests {
  private func lines(_ reply: String, _ describe: (JSON, Console) -> Void) throws -> [String] {
    var written: [UInt8] = []
    describe(
      try JSON(parsing: Array(reply.utf8)),
      Console { _, bytes in
        written += bytes
        return true
      })
    return String(decoding: written, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test func aScheduledRequestIsToldWithItsNextFiring() throws {
    #expect(
      try lines(
        #"{"ok":true,"command":"schedule","id":"bins","next":"2026-12-01T19:00:00.000+01:00","timezone":"Europe/Berlin","replaced":true,"unknown":[]}"#,
        Schedule.describe) == [
          "bins: next at 2026-12-01T19:00:00+01:00 (Europe/Berlin); it replaces the one before"
        ])
    #expect(
      try lines(
        #"{"ok":true,"command":"schedule","id":"a\u001b[2Jb","next":null,"delivery":"d","unknown":["attic"]}"#,
        Schedule.describe) == [
          "a\\u{1b}[2Jb: fired now",
          "carillon schedule: nothing by the name of attic has announced itself yet",
        ])
  }

  @Test func whoReachesNobodyIsTold() throws {
    #expect(
      try lines(
        #"{"ok":true,"command":"schedule","id":"a","next":null,"delivery":"d","devices":[]}"#,
        Schedule.describe)
        == [
          "a: fired now", "carillon schedule: there is no device to reach, so nobody got it",
        ])
  }

  @Test func whatWaitsForAMessageHasNoTime() throws {
    #expect(
      try lines(
        #"{"ok":true,"command":"schedule","id":"a","next":null,"upcoming":[],"devices":[],"unknown":[]}"#,
        Schedule.describe)
        == ["a: taken; nothing is due by the clock"])
  }

  @Test func markedRequestsAreToldOneALine() throws {
    #expect(
      try lines(
        #"{"ok":true,"command":"cancel","ids":{"bins":"cancelled","tea":"fired","x":"unknown"}}"#,
        Marks.describe)
        == ["bins: cancelled", "tea: fired", "x: unknown"])
    #expect(try lines(#"{"ok":true,"command":"cancel","count":1234}"#, Marks.describe) == ["1234 cancelled"])
  }

  private func call(_ words: String..., variables: [String: String] = [:]) throws -> Invocation {
    let surroundings = Surroundings(
      environment: variables, console: Console { _, _ in true }, systemConfiguration: "/nonexistent",
      now: { WallTime(milliseconds: 0) })
    let words = try OptionParser(table: Schedule.verb.options).parse(words)
    return Invocation(
      verb: Schedule.verb, settings: try Carillon.settings(Schedule.verb, words, surroundings), operands: [],
      surroundings: surroundings)
  }

  @Test(arguments: RefusalCode.allCases) func aRefusalOfTheRelayDecidesTheStatus(_ code: RefusalCode) throws {
    let call = try call("--after", "5s")
    let reply: JSON = [
      "ok": false, "error": ["code": .string(code.rawValue), "path": "trigger.after", "message": "why"],
    ]
    let failure = try #require(Sending.failure(of: reply, call))
    #expect(failure.status == ([.unavailable, .limit].contains(code) ? .temporary : .data))
    #expect(failure.message == "\(code.rawValue) at trigger.after: why")
    #expect(failure.details == ["  --after 5s", "          ^^"])
    #expect(Sending.failure(of: ["ok": true], call) == nil)
    let strange: JSON = ["ok": false, "error": ["code": "new-code", "message": "m"]]
    #expect(Sending.failure(of: strange, call)?.status == .data)
    #expect(Sending.failure(of: ["what": 1], call)?.status == .failure)
  }

  /// What the relay alone can judge is marked too, as far as its reply says where it is.
  @Test func aRefusalOfTheRelayMarksTheOptionItNames() throws {
    func details(_ path: String, _ call: Invocation) -> [String]? {
      let reply: JSON = ["ok": false, "error": ["code": "never", "path": .string(path), "message": "why"]]
      return Sending.failure(of: reply, call)?.details
    }
    let monthly = try call("--rrule", "FREQ=MONTHLY", "--except", "a", "--except", "b", "--count-limit", "3")
    #expect(details("trigger.rrule", monthly) == ["  --rrule FREQ=MONTHLY", "          ^^^^^^^^^^^^"])
    #expect(details("trigger.except[1]", monthly) == ["  --except b", "           ^"])
    #expect(details("trigger.count", monthly) == ["  --count-limit 3", "                ^"])
    #expect(details("trigger", monthly) == [])
    #expect(details("id", monthly) == [])
    let wash = try call("--when", "a=b", "--repeats")
    #expect(details("trigger.when.topic", wash) == ["  --when a=b", "         ^^^"])
    #expect(details("trigger.repeats", wash) == ["  --repeats", "  ^^^^^^^^^"])
    let json = try call("--trigger", #"{"sun":"noon"}"#, "--until", "x")
    #expect(
      details("trigger.sun", json) == [#"  --trigger {"sun":"noon"}"#, "            ^^^^^^^^^^^^^^"])
    #expect(details("trigger.until", json) == ["  --until x", "          ^"])
    // What a file holds came from no option.
    let file = try call("--request", "-", variables: ["CARILLON_CRON": "@daily"])
    #expect(details("trigger.cron", file) == [])
    #expect(details("[0].trigger.cron", file) == [])
  }
}
