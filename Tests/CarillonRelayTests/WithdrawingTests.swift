import CarillonModel
import Testing

@testable import CarillonRelay

/// Taking back what a device has.
@Suite struct WithdrawingTests {
  @Test(arguments: ["received", "presented", "suppressed", "failed"])
  func `What a device shows is taken back, opened or not`(event: String) throws {
    let bench = try RelayBench()
    try bench.status("desk", "online")
    try bench.send(#"{"id":"r","title":"t","to":"desk"}"#)
    try bench.respond("desk", event)
    #expect(try bench.send(#"{"command":"withdraw","ids":["r"]}"#)?["ids"] == ["r": "withdrawn"])
    #expect(bench.sent.last?.kind == .withdrawal)
    try bench.respond("desk", "withdrawn")
    let sent = bench.sent.count
    bench.advance(7_200_000)
    #expect(bench.sent.count == sent, "answered, so it is not sent again")
    #expect(try bench.send(#"{"command":"withdraw","ids":["r"]}"#)?["ids"] == ["r": "unknown"])
  }

  @Test(arguments: ["dismissed", "acted", "expired"])
  func `What is over needs no withdrawal`(event: String) throws {
    let bench = try RelayBench()
    try bench.status("desk", "online")
    try bench.send(#"{"id":"r","title":"t","to":"desk"}"#)
    try bench.respond("desk", event)
    #expect(try bench.send(#"{"command":"withdraw","ids":["r"]}"#)?["ids"] == ["r": "unknown"])
    #expect(bench.sent.allSatisfy { $0.kind == .notification })
  }

  @Test func `A device that tells late that it has what was answered meanwhile gets it taken back`() throws {
    let bench = try RelayBench()
    for device in ["desk", "hall"] { try bench.status(device, "online") }
    bench.acknowledges = false
    try bench.send(#"{"id":"r","title":"t","to":["desk","hall"]}"#)
    let delivery = try #require(bench.sent.first?.delivery)
    // It came to the hall, and neither PUBACK nor receipt came back.
    try bench.status("hall", "offline")
    try bench.respond("desk", "dismissed", to: delivery)
    #expect(bench.withdrawals(to: "hall").isEmpty)
    try bench.status("hall", "online")
    #expect(bench.withdrawals(to: "hall").isEmpty)
    try bench.respond("hall", "received", to: delivery)
    #expect(bench.withdrawals(to: "hall").map(\.delivery) == [delivery])
    try bench.respond("hall", "withdrawn", to: delivery)
    bench.advance(7_200_000)
    #expect(bench.withdrawals(to: "hall").count == 1)
    #expect(bench.withdrawals(to: "desk").isEmpty)
  }
}
