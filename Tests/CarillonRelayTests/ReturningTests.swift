import CarillonModel
import Testing

@testable import CarillonRelay

/// Devices that come online without having been seen to go.
@Suite struct ReturningTests {
  @Test func `A device that says it is online anew gets at once what it has not received`() throws {
    let bench = try RelayBench()
    try bench.status("d", "online")
    try bench.send(#"{"id":"a","title":"t","to":"d"}"#)
    try bench.send(#"{"id":"b","title":"t","to":"d"}"#)
    let first = try #require(bench.notifications("a").first)
    try bench.respond("d", "received", to: first.delivery)
    // The broker has acknowledged both, but the second found nobody there.
    try bench.status("d", "online")
    #expect(bench.notifications("a").count == 1)
    #expect(bench.notifications("b").count == 2)
    #expect(Set(bench.notifications("b").map(\.delivery)).count == 1)
    try bench.respond("d", "received")
    try bench.status("d", "online")
    #expect(bench.sent.count == 3, "nothing is left to send")
  }

  @Test func `What the broker has stored of a device's status sends nothing again`() throws {
    let bench = try RelayBench()
    try bench.status("d", "online")
    try bench.send(#"{"id":"a","title":"t","to":"d"}"#)
    var stored = bench.arrival("carillon/device/d/status", "online", 0)
    stored.isBacklog = true
    try bench.take([stored])
    #expect(bench.sent.count == 1)
  }
}
