import CarillonTime
import Testing

@testable import CarillonRelay

/// The tests of all orders can fail: each promise is broken once on purpose.
@Suite struct InterleavingSearchTests {
  @Test func `Every order comes once, each actor's steps in theirs`() {
    let orders = Interleavings.all([2, 3, 1])
    #expect(orders.count == 60, "6! / (2! 3! 1!)")
    #expect(Set(orders).count == 60)
    #expect(orders.allSatisfy { $0.sorted() == [0, 0, 1, 1, 1, 2] })
    #expect(Interleavings.all([]) == [[]])
  }

  /// Two threads that read a number and write it back, one higher.
  private final class Counter {
    var value = 0
    var read: [Int] = [0, 0]
  }

  @Test func `What goes wrong in some orders only is found, and can be run alone`() {
    let scenario = Scenario(
      name: "a lost update",
      actors: [0, 1].map { thread in
        [
          Scenario<Counter>.Step("\(thread) reads") { $0.read[thread] = $0.value },
          Scenario<Counter>.Step("\(thread) writes") { $0.value = $0.read[thread] + 1 },
        ]
      }, begin: { Counter() }, end: { $0.value == 2 ? [] : ["it is \($0.value)"] })
    let faults = scenario.explore()
    #expect(faults.count == 4, "all but one after the other")
    #expect(faults.first?.steps == ["0 reads", "1 reads", "0 writes", "1 writes"])
    #expect(faults.first.map { scenario.run($0.order) } == ["it is 1"])
  }

  private func faults(
    _ actors: [[Scenario<Household>.Step]], trigger: String? = nil, _ spoil: @escaping (Household) -> Void
  ) -> Set<String> {
    let zones = ZoneDatabase()
    let scenario = Scenario(
      name: "spoilt", actors: actors,
      begin: {
        let household = try Household(keepsSessions: true, zones: zones)
        spoil(household)
        try household.ask(.schedule("r", title: "old", to: ["a", "b"], trigger: trigger))
        return household
      }, end: { try $0.judge() })
    return Set(
      scenario.explore().flatMap(\.faults).map { fault in
        // Without the delivery's name, which is another one in each run.
        fault.split(separator: " ").filter { !$0.contains("-") }.joined(separator: " ")
      })
  }

  @Test func `A withdrawal that gets lost is found`() {
    let found = faults([[.answers("a")], [.goes("b"), .returns("b")]]) { $0.losesWithdrawals = true }
    #expect(found.contains("b still shows what a has answered"))
  }

  @Test func `A companion that acts twice is found`() {
    let again = Ledger.Ask.schedule("n", title: "n", to: ["b"], trigger: nil)
    let found = faults([[.losesUplink("b"), .returns("b")], [.ask(again)]]) { $0["b"].forgets = true }
    #expect(found.contains("b acted 2 times on"))
  }

  @Test func `A cancel that is answered before it is read is found`() {
    let found = faults([[.ask(.cancel("r"))], [.pass(2000)], Trouble.kill.steps], trigger: #"{"after":2}"#) {
      $0.answersEarly = true
    }
    #expect(found.contains { $0.hasPrefix("old had gone out") })
    let late = faults([[.ask(.cancel("r"))], [.pass(2000)], Trouble.wire.steps], trigger: #"{"after":2}"#) {
      $0.answersEarly = true
    }
    #expect(late.contains("old begins after the reply that it is cancelled"))
  }

  @Test func `A device that gets nothing, and a command that gets no reply, are found`() {
    let found = faults([[.ask(.cancel("x"))], [.pass(1)]]) { household in
      household.bench.onPublish = nil
      household.bench.onAction = nil
    }
    #expect(found.contains { $0.hasPrefix("no reply on") })
    let lost = faults([[.pass(1)]]) { $0.bench.onPublish = nil }
    #expect(lost.contains("old never fires"))
  }
}
