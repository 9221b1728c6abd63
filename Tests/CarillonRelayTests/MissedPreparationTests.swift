import CarillonModel
import CarillonStore
import Testing

@testable import CarillonRelay

/// What is prepared, and then missed: the clock is set in the last second, or the machine sleeps.
@Suite struct MissedPreparationTests {
  private static let minute: Int64 = 60_000

  /// At 12:00:59.400, with a minute's requests prepared.
  private func prepared() throws -> RelayBench {
    let bench = try RelayBench()
    bench.acknowledges = false
    func send(_ id: String, _ trigger: String, _ more: String = "") throws {
      try bench.send(#"{"id":"\#(id)","title":"t","to":"d","trigger":\#(trigger)\#(more)}"#)
    }
    try send("at", #"{"at":"2027-05-10T12:01:00Z"}"#)
    try send("none", #"{"cron":"1 12 * * *"}"#, #","catchUp":"none""#)
    try send("cron", #"{"cron":"* * * * *"}"#)
    try send("counted", #"{"cron":"* * * * *","count":3}"#)
    try send("expired", #"{"at":"2027-05-10T12:01:00Z"}"#, #","expires":"5m""#)
    try send("elapsed", #"{"every":"61s"}"#)
    bench.advance(59_400)
    #expect(bench.sent.isEmpty)
    return bench
  }

  private func lines(_ bench: RelayBench) -> [String] {
    bench.sent.map { "\($0.id)\($0.late ? " late" : "")\($0.missed > 0 ? " \($0.missed) missed" : "")" }
  }

  @Test func `A clock that is set over them makes them late, or nothing`() throws {
    let bench = try prepared()
    bench.setClock(to: RelayBench.noon + 40 * MissedPreparationTests.minute)
    #expect(
      lines(bench) == [
        "at late", "counted late 2 missed", "cron late 37 missed", "cron",
      ])
    bench.advance(1600)
    #expect(lines(bench).last == "elapsed", "elapsed time has not jumped")
    bench.advance(MissedPreparationTests.minute)
    #expect(bench.notifications("counted").count == 1)
    #expect(bench.notifications("none").isEmpty)
    #expect(bench.queue.counters.pending == 3)
  }

  @Test func `A machine that sleeps over them finds them late, in the order of their times`() throws {
    let bench = try prepared()
    bench.pass(64_000)
    bench.advance(0)
    #expect(
      lines(bench) == [
        "at late", "cron late", "counted late", "expired late", "elapsed late", "cron", "counted", "elapsed",
      ])
    #expect(Set(bench.sent.map(\.delivery)).count == bench.sent.count)
  }

  @Test func `What is only a little late goes out as it was prepared`() throws {
    let bench = try prepared()
    bench.pass(30_000)
    bench.advance(0)
    #expect(lines(bench) == ["at", "none", "cron", "counted", "expired", "elapsed"])
  }

  @Test func `A clock that is ahead for a while makes no history old`() throws {
    let bench = try RelayBench()
    try bench.send(#"{"id":"a","title":"t","to":"d","trigger":{"cron":"1 12 * * *"}}"#)
    bench.advance(2 * MissedPreparationTests.minute)
    #expect(bench.sent.count == 1)
    func prune() throws {
      let moment = bench.now()
      _ = try bench.queue.transaction { () throws(StoreError) in
        try bench.queue.pruneHistory(
          before: moment.wall - .seconds(86_400), notedBefore: moment.elapsed - 86_400_000, limit: 100)
      }
    }
    bench.respondAll()
    bench.setClock(to: bench.wall + 60 * 1440 * MissedPreparationTests.minute)
    bench.advance(20_000)
    bench.respondAll()
    for _ in 0..<3 { try prune() }
    bench.forgetSent()
    bench.setClock(to: RelayBench.noon)
    bench.advance(2 * MissedPreparationTests.minute)
    #expect(bench.sent.isEmpty, "12:01 of that day has fired")
    bench.advance(2 * 1440 * MissedPreparationTests.minute)
    for _ in 0..<3 { try prune() }
    #expect(try !bench.queue.hasFiring(1, stamp: RelayBench.noon + MissedPreparationTests.minute))
  }
}

extension RelayBench {
  /// Devices have received everything, so that nothing is left to send.
  fileprivate func respondAll() {
    for one in sent where one.kind == .notification { try? respond(one.device, "received", to: one.delivery) }
  }
}
