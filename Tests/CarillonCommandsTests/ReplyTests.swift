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
      try lines(#"{"ok":true,"command":"schedule","id":"a","next":null,"devices":[]}"#, Schedule.describe)
        == [
          "a: fired now", "carillon schedule: there is no device to reach, so nobody got it",
        ])
  }

  @Test func markedRequestsAreToldOneALine() throws {
    #expect(
      try lines(
        #"{"ok":true,"command":"cancel","ids":{"bins":"cancelled","tea":"fired","x":"unknown"}}"#,
        Marks.describe)
        == ["bins: cancelled", "tea: fired", "x: unknown"])
    #expect(try lines(#"{"ok":true,"command":"cancel","count":1234}"#, Marks.describe) == ["1234 cancelled"])
  }

  @Test(arguments: RefusalCode.allCases) func aRefusalOfTheRelayDecidesTheStatus(_ code: RefusalCode) throws {
    let call = Invocation(
      verb: Schedule.verb,
      settings: try Settings(
        table: Schedule.verb.options,
        words: try OptionParser(table: Schedule.verb.options).parse(["--after", "5s"]), environment: [:],
        configuration: .empty), operands: [],
      surroundings: Surroundings(
        environment: [:], console: Console { _, _ in true }, now: { WallTime(milliseconds: 0) }))
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
}
