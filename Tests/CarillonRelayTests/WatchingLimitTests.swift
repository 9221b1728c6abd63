import CarillonModel
import CarillonStore
import Testing

@testable import CarillonRelay

/// How many requests may watch something, and that very many on one topic are no burden.
@Suite struct WatchingLimitTests {
  private static func request(_ id: String, _ source: String = #""topic":"home/x","equals":1"#) -> String {
    #"{"id":"\#(id)","title":"t","to":"d","trigger":{"when":{\#(source)}}}"#
  }

  /// A relay with so many requests on one topic.
  private func bench(_ count: Int) throws -> RelayBench {
    let bench = try RelayBench(window: 20_000, watchable: ["home/#"])
    for start in stride(from: 0, to: count, by: 500) {
      let commands = (start..<min(start + 500, count)).map { Self.request("r\($0)") }
      try bench.send("[\(commands.joined(separator: ","))]")
    }
    #expect(bench.queue.counters.pending == Int64(count))
    return bench
  }

  @Test func `As many as the limit watch, and the next is refused until one has gone`() throws {
    let bench = try bench(Limits.watches)
    for source in [
      #""topic":"home/x","equals":1"#, #""topic":"home/y","silent":5"#, #""device":"d","status":"online""#,
    ] {
      let reply = try bench.send(Self.request("more", source))
      #expect(reply?.code == "limit")
      #expect(reply?["error"]?["path"] == "trigger.when")
      #expect(reply?["error"]?["message"]?.text?.contains("\(Limits.watches)") == true)
    }
    #expect(try bench.send(#"{"id":"other","title":"t","trigger":{"after":60}}"#)?["ok"] == true)
    #expect(try bench.send(Self.request("r7", #""topic":"home/y","equals":1"#))?["replaced"] == true)
    #expect(try bench.send(Self.request("more"))?.code == "limit")
    try bench.send(#"{"command":"pause","ids":["r1"]}"#)
    #expect(try bench.send(Self.request("more"))?.code == "limit", "one that is paused watches too")
    try bench.send(#"{"command":"cancel","ids":["r1"]}"#)
    #expect(try bench.send(Self.request("more"))?["ok"] == true)
  }

  @Test func `Of very many that one message turns a part fires with it, and the others in slices after it`()
    throws
  {
    let bench = try bench(2000)
    bench.acknowledges = false
    try bench.take([bench.message(on: "home/x", "0")])
    let moment = bench.now()
    var draft = bench.relay
    let actions = try bench.queue.transaction { () throws(StoreError) in
      try draft.handle([bench.message(on: "home/x", "1"), bench.message(on: "home/x", "0")], at: moment)
    }
    bench.relay = draft
    let fired = actions.count { if case .deliver = $0 { true } else { false } }
    #expect((1...300).contains(fired))
    #expect(bench.queue.counters.pending == Int64(2000 - fired))
    // Whatever came after it, each has seen its edge.
    bench.perform(actions, at: moment)
    bench.finish()
    let isInOrder = bench.sent.map(\.id) == (0..<2000).map { "r\($0)" }
    #expect(isInOrder)
    #expect(bench.sent.allSatisfy { !$0.late })
    #expect(bench.queue.counters.pending == 0)
  }
}
