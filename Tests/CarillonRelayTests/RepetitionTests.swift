import CarillonModel
import CarillonStore
import Testing

@testable import CarillonRelay

/// Commands that come again: by the broker, by the publisher, late.
@Suite struct RepetitionTests {
  private let tea = #"{"title":"t","to":"desk","trigger":{"after":60}}"#

  @Test func `Sent again by the broker after a reconnect, it is the same command`() throws {
    let bench = try RelayBench()
    let first = try bench.send(tea, packet: 7)
    bench.loseConnection()
    try bench.reconnect()
    let second = try bench.send(tea, packet: 7)
    #expect(first == second, "the same reply with the same id")
    #expect(bench.queue.counters.pending == 1)
    // The window closes behind it: the publisher says it again.
    #expect(try bench.send(tea, packet: 7) != first)
    #expect(bench.queue.counters.pending == 2)
  }

  @Test(arguments: [
    (packet: UInt16(8), payload: "", qos: Int32(1), present: true),
    (packet: 7, payload: " ", qos: 1, present: true),
    (packet: 7, payload: "", qos: 0, present: true),
    (packet: 7, payload: "", qos: 1, present: false),
  ])
  func `Anything else about it makes it another command`(
    packet: UInt16, payload: String, qos: Int32, present: Bool
  ) throws {
    let bench = try RelayBench()
    try bench.send(tea, packet: 7)
    bench.loseConnection()
    try bench.reconnect(sessionPresent: present)
    try bench.send(tea + payload, packet: packet, qos: qos)
    #expect(bench.queue.counters.pending == 2)
  }

  @Test func `Without a reconnect an equal message is another command`() throws {
    let bench = try RelayBench()
    try bench.send(tea, packet: 7)
    try bench.send(tea, packet: 7)
    #expect(bench.queue.counters.pending == 2)
  }

  @Test func `A whole batch that comes again changes nothing`() throws {
    let bench = try RelayBench()
    let batch = (1...300).map { bench.arrival("carillon/command/p", tea, UInt16($0)) }
    try bench.take(batch)
    bench.loseConnection()
    try bench.reconnect()
    try bench.take(Array(batch.suffix(200)))
    #expect(bench.queue.counters.pending == 300)
    // And once more, since the connection was lost again.
    try bench.reconnect()
    try bench.take(Array(batch.suffix(200)))
    #expect(bench.queue.counters.pending == 300)
  }

  @Test func `A refusal is remembered likewise`() throws {
    let bench = try RelayBench()
    let bad = #"{"id":"a","titel":"t"}"#
    let first = try bench.send(bad, packet: 7)
    #expect(first?.code == "unknown-field")
    try bench.reconnect()
    #expect(try bench.send(bad, packet: 7) == first)
  }

  // MARK: Keys

  @Test func `A key makes a command one command for a day`() throws {
    let bench = try RelayBench()
    let keyed = #"{"title":"t","to":"desk","key":"k","trigger":{"after":"30m"}}"#
    let first = try bench.send(keyed)
    bench.advance(60_000)
    #expect(try bench.send(keyed) == first)
    #expect(bench.queue.counters.pending == 1)
    #expect(try bench.send(keyed.replacing("30m", with: "31m"))?.code == "invalid")
    #expect(try bench.send(keyed, from: "q")?["ok"] == .bool(true), "keys are each publisher's own")
    #expect(bench.queue.counters.pending == 2)
    bench.advance(86_400_000)
    #expect(try bench.send(keyed)?["id"] != first?["id"])
  }

  @Test func `A refused command uses up no key`() throws {
    let bench = try RelayBench()
    let past = #"{"title":"t","key":"k","trigger":{"at":"2020-01-01T00:00:00Z"}}"#
    #expect(try bench.send(past)?.code == "past")
    #expect(try bench.send(past.replacing("2020", with: "2030"))?["ok"] == .bool(true))
  }

  // MARK: Revisions

  private func revision(_ number: Int, title: String = "t", at: String = "2030-01-01T00:00:00Z") -> String {
    #"{"id":"r","title":"\#(title)","revision":\#(number),"trigger":{"at":"\#(at)"}}"#
  }

  @Test func `An older revision, or an equal one with other content, is stale`() throws {
    let bench = try RelayBench()
    try bench.send(revision(5))
    #expect(try bench.send(revision(4))?.code == "stale")
    #expect(try bench.send(revision(5, title: "other"))?.code == "stale")
    let again = try bench.send(revision(5))
    #expect(again?["ok"] == .bool(true))
    #expect(again?["replaced"] == .bool(false))
    #expect(try bench.send(revision(6, title: "other"))?["replaced"] == .bool(true))
    #expect(bench.queue.counters.pending == 1)
  }

  @Test func `What fired under a revision does not fire again when it is said again`() throws {
    let bench = try RelayBench()
    let soon = revision(5, at: "2027-05-10T12:00:05Z")
    try bench.status("desk", "online")
    try bench.send(soon)
    bench.advance(3_600_000)
    #expect(bench.notifications("r").count >= 1)
    bench.forgetSent()
    #expect(try bench.send(soon)?["ok"] == .bool(true))
    bench.advance(1000)
    #expect(bench.notifications("r").isEmpty)
  }

  @Test func `A cancelled id remembers its revision for thirty days from then`() throws {
    let bench = try RelayBench()
    try bench.send(revision(5))
    bench.advance(40 * 86_400_000)
    try bench.send(#"{"command":"cancel","ids":["r"]}"#)
    #expect(try bench.send(revision(5))?.code == "stale")
    let age: (Int64) throws -> Void = { days in
      let before = WallTime(milliseconds: bench.wall - days * 86_400_000)
      _ = try bench.queue.transaction { () throws(StoreError) in
        try bench.queue.pruneHistory(before: before, limit: 500)
      }
    }
    try age(30)
    #expect(try bench.send(revision(5))?.code == "stale")
    #expect(try bench.send(revision(6))?["ok"] == .bool(true))
    try bench.send(#"{"command":"cancel","ids":["r"]}"#)
    bench.advance(31 * 86_400_000)
    try age(30)
    #expect(try bench.send(revision(1))?["ok"] == .bool(true))
  }

  // MARK: Identifiers

  @Test func `A finished id comes to life again`() throws {
    let bench = try RelayBench()
    let soon = #"{"id":"r","title":"t","to":"desk","trigger":{"after":2}}"#
    try bench.send(soon)
    bench.advance(5000)
    let again = try bench.send(soon)
    #expect(again?["was"] == .string("finished"))
    #expect(again?["replaced"] == .bool(true))
    bench.advance(5000)
    #expect(bench.notifications("r").count == 2)
    #expect(Set(bench.sent.map(\.delivery)).count == 2)
  }

  @Test func `Twenty thousand identifiers and anagrams are all different`() throws {
    let bench = try RelayBench()
    let ids = (0..<20_000).map { "r\($0)" } + ["ab12", "ba21", "b1a2", "\u{e9}", "e\u{301}"]
    var start = 0
    while start < ids.count {
      let part = ids[start..<min(start + 500, ids.count)]
      let commands = part.map { #"{"id":"\#($0)","title":"t","to":"x","trigger":{"after":600}}"# }
      try bench.send("[\(commands.joined(separator: ","))]")
      start += 500
    }
    #expect(bench.queue.counters.pending == Int64(ids.count))
    try bench.send(#"[{"command":"fire","id":"ab12"},{"command":"fire","id":"ba21"}]"#)
    try bench.send(#"{"command":"fire","id":"ab12"}"#)
    #expect(Set(bench.sent.map(\.delivery)).count == 3, "all within one millisecond")
  }
}
