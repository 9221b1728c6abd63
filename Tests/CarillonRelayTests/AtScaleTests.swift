import CarillonModel
import CarillonStore
import Testing

@testable import CarillonRelay

/// Commands about very many requests, and questions that ask for too much.
@Suite struct AtScaleTests {
  /// A relay with so many requests pending, all of one thread.
  private func bench(pending count: Int) throws -> RelayBench {
    let bench = try RelayBench()
    for start in stride(from: 0, to: count, by: 1000) {
      try bench.take(
        (start..<min(start + 1000, count)).map { number in
          bench.arrival(
            "carillon/command/p",
            #"{"id":"r\#(number)","title":"t","thread":"x","to":"desk","trigger":{"after":"9h"}}"#,
            UInt16(truncatingIfNeeded: number))
        })
    }
    #expect(bench.queue.counters.pending == Int64(count))
    return bench
  }

  @Test(arguments: [#""all":true"#, #""thread":"x""#])
  func `Twenty thousand are cancelled at once, and told by their number`(selection: String) throws {
    let bench = try bench(pending: 20_000)
    try bench.send(#"{"id":"other","title":"t","to":"desk","thread":"y","trigger":{"after":"9h"}}"#)
    let reply = try bench.send(#"{"command":"cancel",\#(selection)}"#)
    let isAll = selection.contains("all")
    #expect(reply?["count"] == .integer(isAll ? 20_001 : 20_000))
    #expect(reply?["ids"] == nil)
    #expect(bench.queue.counters.pending == (isAll ? 0 : 1))
    #expect(try bench.queue.nextDue(on: .elapsed) == nil || !isAll)
  }

  @Test func `Up to a hundred are named`() throws {
    for (count, isNamed) in [(100, true), (101, false)] {
      let bench = try bench(pending: count)
      let reply = try bench.send(#"{"command":"pause","all":true}"#)
      #expect((reply?["ids"] != nil) == isNamed)
      #expect(try bench.send(#"{"command":"pause","all":true}"#)?["ids"] == .object(JSONObject()))
      let resumed = try bench.send(#"{"command":"resume","all":true}"#)
      #expect((resumed?["ids"] != nil) == isNamed)
      #expect(bench.queue.counters.pending == Int64(count))
    }
  }

  @Test func `What is cancelled with all the others remembers its revision`() throws {
    let bench = try RelayBench()
    try bench.send(#"{"id":"a","title":"t","revision":5,"to":"desk","trigger":{"after":"9h"}}"#)
    try bench.send(#"{"id":"b","title":"t","to":"desk","trigger":{"after":"9h"}}"#)
    #expect(
      try bench.send(#"{"command":"cancel","all":true}"#)?["ids"] == ["a": "cancelled", "b": "cancelled"])
    let late = try bench.send(#"{"id":"a","title":"t","revision":4,"to":"desk","trigger":{"after":"9h"}}"#)
    #expect(late?["error"]?["code"] == "stale")
    #expect(bench.queue.counters.pending == 0)
  }

  @Test(
    arguments: ["pending", "delivered", "devices"], ["-1", "-5", "-9223372036854775808", "x", "", "1.5"])
  func `A cursor that is none is refused`(verb: String, cursor: String) throws {
    let bench = try RelayBench()
    let reply = try bench.send(#"{"command":"\#(verb)","after":"\#(cursor)"}"#)
    #expect(reply?["error"]?["path"] == "after")
  }

  @Test(arguments: ["pending", "delivered", "devices"])
  func `A cursor beyond the end gives an empty page`(verb: String) throws {
    let bench = try RelayBench()
    try bench.status("desk", "online")
    let end = verb == "delivered" ? "0" : "9223372036854775807"
    let reply = try bench.send(#"{"command":"\#(verb)","after":"\#(end)"}"#)
    #expect(reply?["items"] == .array([]))
    #expect(reply?["after"] == .null)
  }

  @Test func `A list of questions is answered in one message of bounded size`() throws {
    let bench = try bench(pending: 2000)
    let questions = Array(repeating: #"{"command":"pending","limit":5000}"#, count: 1500).joined(
      separator: ",")
    let batch = [bench.arrival("carillon/command/p", "[\(questions)]", 1)]
    let moment = bench.now()
    let actions = try bench.queue.transaction { () throws(StoreError) in
      try bench.relay.handle(batch, at: moment)
    }
    let replies = actions.compactMap { action in
      if case .reply(_, _, let payload) = action { payload } else { nil }
    }
    #expect(replies.count == 1)
    #expect((replies.first?.count ?? .max) < Limits.packet)
    let answers = try JSON(parsing: replies.first ?? []).elements ?? []
    #expect(answers.count == 1500)
    #expect(answers.first?["ok"] == true)
    #expect(answers.last?["error"]?["code"] == "limit")
  }

  @Test func `A list of very many changes is carried out whole and answered in brief`() throws {
    let bench = try RelayBench()
    let changes = Array(repeating: #"{"title":"a"}"#, count: 4600).joined(separator: ",")
    let batch = [bench.arrival("carillon/command/p", "[\(changes)]", 1)]
    let moment = bench.now()
    let actions = try bench.queue.transaction { () throws(StoreError) in
      try bench.relay.handle(batch, at: moment)
    }
    guard case .reply(_, _, let payload)? = actions.last else {
      Issue.record("no reply")
      return
    }
    #expect(payload.count < Limits.packet)
    let answers = try JSON(parsing: payload).elements ?? []
    #expect(answers.count == 4600)
    #expect(answers.allSatisfy { $0["ok"] == true && $0["delivery"] != nil })
  }

  @Test func `A question without a place for the answer is refused`() throws {
    let bench = try RelayBench()
    var arrival = bench.arrival("carillon/command/p", #"{"command":"pending"}"#, 1)
    arrival.responseTopic = nil
    let actions = try bench.queue.transaction { () throws(StoreError) in
      try bench.relay.handle([arrival], at: bench.now())
    }
    guard case .reject(let refusal, _, _)? = actions.first else {
      Issue.record("taken: \(actions)")
      return
    }
    #expect(refusal.code == .invalid)
    #expect(refusal.path == "replyTo")
  }
}

/// What fell due while a request was held follows its `catchUp`, however short that was.
@Suite struct ResumingTests {
  @Test(arguments: [("latest", [Int64(2)]), ("all", [0, 0, 0]), ("none", [])], [true, false])
  func `Three occurrences that a pause of seconds held back`(
    policy: (catchUp: String, missed: [Int64]), byName: Bool
  ) throws {
    let bench = try RelayBench()
    try bench.status("desk", "online")
    try bench.send(
      #"{"id":"r","title":"t","to":"desk","trigger":{"every":"10s"},"catchUp":"\#(policy.catchUp)"}"#)
    let selection = byName ? #""ids":["r"]"# : #""all":true"#
    try bench.send(#"{"command":"pause",\#(selection)}"#)
    bench.advance(35_000)
    #expect(bench.sent.isEmpty)
    try bench.send(#"{"command":"resume",\#(selection)}"#)
    #expect(bench.sent.map(\.missed) == policy.missed)
    #expect(bench.sent.allSatisfy { $0.late })
    let before = bench.sent.count
    bench.advance(5_000)
    #expect(bench.sent.count == before + 1, "the next one is on time")
    #expect(bench.sent.last?.late == false)
  }
}
