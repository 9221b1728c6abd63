import CarillonModel
import CarillonTestSupport
import Testing

@testable import CarillonRelay
@testable import CarillonStore

/// How many requests may be pending, of all publishers and of each.
@Suite struct LimitTests {
  private func bench(pending: Int64? = nil, perPublisher: Int64? = nil) throws -> RelayBench {
    let bench = try RelayBench()
    try configure(bench, pending: pending, perPublisher: perPublisher)
    return bench
  }

  /// Starts the relay anew under other limits.
  private func configure(_ bench: RelayBench, pending: Int64? = nil, perPublisher: Int64? = nil) throws {
    var configuration = bench.relay.configuration
    configuration.pendingLimit = pending ?? 2_000_000
    configuration.publisherLimit = perPublisher
    try bench.begin(configuration) {}
    try bench.reconnect()
    bench.mayFire = true
  }

  private func later(_ id: String, _ seconds: Int = 3600) -> String {
    #"{"id":"\#(id)","title":"t","to":"desk","trigger":{"after":\#(seconds)}}"#
  }

  private func isTaken(_ reply: JSONObject?) -> Bool { reply?["ok"] == true }

  @Test func `Beyond the limit of all, a request is refused until there is room`() throws {
    let bench = try bench(pending: 2)
    #expect(isTaken(try bench.send(later("a"))))
    #expect(isTaken(try bench.send(later("b"), from: "q")))
    let refused = try bench.send(later("c"))
    #expect(refused?.code == "limit")
    #expect(try bench.queue.current("c") == nil)
    #expect(isTaken(try bench.send(later("b", 60))), "what takes the place of a pending one adds nothing")
    #expect(isTaken(try bench.send(#"{"id":"now","title":"t","to":"desk"}"#)), "it is never pending")
    #expect(try bench.send(later("now"))?.code == "limit")
    bench.advance(61_000)
    #expect(isTaken(try bench.send(later("c"))), "b has fired")
    #expect(try bench.send(#"{"command":"cancel","ids":["a"]}"#)?.outcome("a") == "cancelled")
    #expect(isTaken(try bench.send(later("d"))))
    #expect(bench.queue.counters.pending == 2)
  }

  @Test func `Beyond its own limit a publisher is refused, and no other`() throws {
    let bench = try bench(perPublisher: 2)
    for id in ["a", "b"] { #expect(isTaken(try bench.send(later(id)))) }
    let refused = try bench.send(later("c"))
    #expect(refused?.code == "limit")
    #expect(refused?["error"]?["message"]?.text?.contains("publisher p has 2 requests pending") == true)
    #expect(isTaken(try bench.send(later("c"), from: "q")))
    #expect(isTaken(try bench.send(later("a", 60))), "its own is counted once")
    #expect(try bench.send(later("c"))?.code == "limit", "taking over another's adds one")
    #expect(isTaken(try bench.send(later("b"), from: "q")), "and gives the other room")
    #expect(isTaken(try bench.send(later("d"))))
    bench.advance(61_000)
    #expect(isTaken(try bench.send(later("e"))), "a has fired")
    #expect(try bench.queue.pending(of: try Name("p")) == 2)
  }

  @Test func `What is published without a publisher's name counts as one publisher's`() throws {
    let bench = try bench(perPublisher: 1)
    try bench.take([bench.arrival("carillon/command", later("a"), 1)])
    let second = String(later("b").dropLast()) + #","replyTo":"carillon/reply/x"}"#
    #expect(try bench.take([bench.arrival("carillon/command", second, 2)]).first?.code == "limit")
    #expect(try bench.queue.pending(of: nil) == 1)
    #expect(isTaken(try bench.send(later("b"))))
  }

  @Test func `The numbers survive a restart, and a lower limit removes nothing`() throws {
    let bench = try bench(perPublisher: 3)
    for id in ["a", "b", "c"] { #expect(isTaken(try bench.send(later(id)))) }
    try bench.restart()
    #expect(try bench.send(later("d"))?.code == "limit")
    try configure(bench, perPublisher: 1)
    #expect(bench.queue.counters.pending == 3)
    #expect(try bench.send(later("d"))?.code == "limit")
    #expect(isTaken(try bench.send(later("c"))))
  }

  /// A request more costs nothing then: there is nothing in the store that counts.
  @Test func `Without a limit nobody counts, and with one what is there is counted`() throws {
    let bench = try bench()
    func things() throws -> Int64? {
      try bench.queue.database.integer("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'quota%'")
    }
    for id in ["a", "b"] { #expect(isTaken(try bench.send(later(id)))) }
    #expect(try things() == 0)
    try configure(bench, perPublisher: 2)
    #expect(try bench.send(later("c"))?.code == "limit")
    #expect(isTaken(try bench.send(later("c"), from: "q")))
    try configure(bench)
    #expect(try things() == 0)
    #expect(isTaken(try bench.send(later("d"))))
  }

  /// Whatever changes a request's state, the numbers are those that counting would find.
  @Test(arguments: [1, 2, 3, 4] as [UInt64]) func `The numbers are right whatever is done`(seed: UInt64)
    throws
  {
    var random = SplitMix(seed: seed)
    let bench = try bench(perPublisher: 2)
    try bench.status("desk", "online")
    var refused = 0
    for _ in 0..<300 {
      let id = "r\(Int.random(in: 0..<12, using: &random))"
      let thread = "t\(Int.random(in: 0..<2, using: &random))"
      let triggers = [
        #"{"after":5}"#, #"{"after":600}"#, #"{"every":"40s"}"#, #"{"every":"30s","count":2}"#,
        #"{"when":{"device":"desk","status":"online"}}"#,
      ]
      let trigger = triggers[Int.random(in: 0..<triggers.count, using: &random)]
      let selections = [#""ids":["\#(id)"]"#, #""thread":"\#(thread)""#, #""all":true"#]
      let selection = selections[Int.random(in: 0..<3, using: &random)]
      let command =
        switch Int.random(in: 0..<12, using: &random) {
        case 0: #"{"command":"cancel",\#(selection)}"#
        case 1: #"{"command":"pause","ids":["\#(id)"]}"#
        case 2: #"{"command":"resume","ids":["\#(id)"]}"#
        case 3: #"{"command":"pause","all":true}"#
        case 4: #"{"command":"resume","all":true}"#
        default:
          #"{"id":"\#(id)","title":"t","to":"desk","thread":"\#(thread)","trigger":\#(trigger)}"#
        }
      let publisher = "p\(Int.random(in: 0..<3, using: &random))"
      if try bench.send(command, from: publisher)?.code == "limit" { refused += 1 }
      bench.advance(Int64.random(in: 0..<8000, using: &random))
      try expectRight(bench)
    }
    #expect(refused > 0)
  }

  private func expectRight(_ bench: RelayBench) throws {
    func counts(_ sql: String) throws -> [String: Int64] {
      let rows = try bench.queue.database.statement(sql).all([]) { ($0.text(0), $0.integer(1)) }
      return Dictionary(uniqueKeysWithValues: rows)
    }
    let kept = try counts("SELECT publisher, pending FROM quota")
    let counted = try counts(
      "SELECT publisher, count(*) FROM request WHERE current = 1 AND state IN (0, 1, 4) GROUP BY 1")
    #expect(kept == counted)
    #expect(kept.values.allSatisfy { $0 <= 2 })
  }
}
