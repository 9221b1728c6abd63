import CarillonStore
import Testing

@testable import CarillonRelay

/// A store that takes nothing while commands come and a firing falls due, in every order.
@Suite struct HoldingTests {
  private typealias Step = Scenario<HoldingBench>.Step

  private static var store: [Step] {
    [
      Step("the store is locked") { try $0.takeStore(false) },
      Step("the store is free") { try $0.takeStore(true) },
    ]
  }

  private static let far = #""title":"t","to":"desk","trigger":{"after":86400}}"#

  private static var everything: Step {
    Step("x and y are scheduled, and the device goes") { bench in
      bench.read(["x", "y"].map { bench.command(#"{"id":"\#($0)",\#(far)"#) } + [bench.status("offline")])
    }
  }

  private static var messages: [Step] {
    [
      Step("x and y are scheduled") { bench in
        bench.read(["x", "y"].map { bench.command(#"{"id":"\#($0)",\#(far)"#) })
      },
      Step("the device goes, and z is scheduled") { bench in
        bench.read([bench.status("offline"), bench.command(#"{"id":"z",\#(far)"#)])
      },
    ]
  }

  @Test func `While a batch is held nothing goes out, and it is stored whole or refused whole`() {
    let scenario = Scenario(
      name: "a store locked, and given up",
      actors: [
        Self.store, Self.messages, [Step("it falls due") { $0.pass(5500) }],
        [Step("the relay gives up") { $0.losePatience() }],
      ], begin: { try HoldingBench() }, end: { try $0.judge() })
    let faults = scenario.explore()
    #expect(faults.isEmpty, "\(faults.told())")
  }

  @Test(arguments: [true, false])
  func `A held batch whose connection ends is stored once, whether or not the broker sends it again`(
    keepsSession: Bool
  ) {
    let scenario = Scenario(
      name: "a store locked, and the connection lost, session kept: \(keepsSession)",
      actors: [
        Self.store, [Self.everything], [Step("it falls due") { $0.pass(5500) }],
        [Step("the connection ends") { $0.disconnect() }, Step("it is there again") { try $0.connect() }],
      ], begin: { try HoldingBench(keepsSession: keepsSession) }, end: { try $0.judge() })
    let faults = scenario.explore()
    #expect(faults.isEmpty, "\(faults.told())")
  }

  @Test func `A held batch of which something happens, or half is stored, is found`() {
    let scenario = Scenario(
      name: "a service that does not hold", actors: [Self.store, Self.messages],
      begin: { try HoldingBench() },
      end: { bench in
        // What a hold that let go of half its batch would leave.
        try bench.service.queue.transaction { () throws(StoreError) in
          if let request = try bench.service.queue.current("x") { try bench.service.queue.delete(request) }
        }
        return try bench.judge()
      })
    #expect(scenario.explore().contains { $0.faults.contains("half of a batch is stored") })
    let early = Scenario(
      name: "a service that fires while it holds", actors: [Self.store, Self.messages],
      begin: { try HoldingBench() },
      end: { bench in
        try bench.takeStore(false)
        bench.read([bench.command(#"{"command":"cancel","ids":["due"]}"#)])
        bench.sneak()
        return bench.faults
      })
    #expect(early.explore().allSatisfy { $0.faults == ["something happens while a batch is held"] })
    #expect(early.explore().count == early.count)
  }
}
