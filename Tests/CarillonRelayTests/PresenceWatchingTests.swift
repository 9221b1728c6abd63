import CarillonModel
import Testing

@testable import CarillonRelay

private let minute: Int64 = 60_000

/// Requests that wait for somebody to sit down at a device, or to leave it.
@Suite struct PresenceWatchingTests {
  private func request(_ presence: String, _ more: String = "", _ beside: String = "", id: String = "a")
    -> String
  {
    #"{"id":"\#(id)","title":"t","to":"d","trigger":{"when":{"device":"desk","presence":"\#(presence)"\#(more)}\#(beside)}}"#
  }

  private static let repeating = #","repeats":true"#

  private func profile(_ presence: String?, _ bench: RelayBench, isBacklog: Bool = false) throws {
    let member = presence.map { #","presence":"\#($0)""# } ?? ""
    var arrival = bench.arrival("carillon/device/desk/profile", #"{"name":"desk"\#(member)}"#, 0)
    arrival.isBacklog = isBacklog
    try bench.take([arrival])
  }

  @Test(arguments: ["active", "idle", "locked"])
  func `They fire when the profile begins to say so`(presence: String) throws {
    let bench = try RelayBench()
    try bench.send(request(presence, "", Self.repeating))
    for other in ["active", "idle", "locked"] where other != presence { try profile(other, bench) }
    #expect(bench.sent.isEmpty)
    try profile(presence, bench)
    #expect(bench.sent.map(\.id) == ["a"])
    bench.advance(2000)
    // The same again, with whatever else has changed, is no edge.
    try profile(presence, bench)
    #expect(bench.sent.count == 1)
    try profile(presence == "active" ? "idle" : "active", bench)
    try profile(presence, bench)
    #expect(bench.sent.map(\.late) == [false, false])
  }

  @Test func `How it stands at acceptance is no edge`() throws {
    let bench = try RelayBench()
    try profile("active", bench)
    try bench.send(request("active", "", Self.repeating))
    try profile("active", bench)
    #expect(bench.sent.isEmpty)
    try profile("locked", bench)
    try profile("active", bench)
    #expect(bench.sent.count == 1)
  }

  @Test(arguments: ["unknown", nil, "dancing"])
  func `A companion that does not know yet brings no news`(presence: String?) throws {
    let bench = try RelayBench()
    try profile(presence, bench)
    try bench.send(request("active", "", Self.repeating))
    try profile("active", bench)
    #expect(bench.sent.count == 1)
    bench.advance(2000)
    // It is started again: who was there still is.
    try profile(presence, bench)
    try profile("active", bench)
    #expect(bench.sent.count == 1)
    try profile(presence, bench)
    try profile("locked", bench)
    try profile(presence, bench)
    try profile("active", bench)
    #expect(bench.sent.count == 2)
  }

  @Test func `Its going and coming is no edge, its being forgotten is an end`() throws {
    let bench = try RelayBench()
    try bench.status("desk", "online")
    try profile("active", bench)
    try bench.send(request("active", "", Self.repeating))
    try bench.status("desk", "offline")
    try bench.status("desk", "online")
    #expect(bench.sent.isEmpty)
    try bench.send(#"{"command":"forget","device":"desk"}"#)
    try profile("active", bench)
    #expect(bench.sent.count == 1)
  }

  @Test func `With for it has to stay so, with delay it fires later, with holdoff not again`() throws {
    let bench = try RelayBench()
    try bench.send(request("idle", #","for":"10m""#, id: "for"))
    try bench.send(request("idle", #","delay":"5m""#, id: "delay"))
    try bench.send(request("idle", "", #","repeats":true,"holdoff":"1h""#, id: "holdoff"))
    try profile("idle", bench)
    bench.advance(9 * minute)
    try profile("active", bench)
    bench.advance(minute)
    try profile("idle", bench)
    bench.advance(10 * minute)
    #expect(bench.sent.map(\.id) == ["holdoff", "delay", "for"])
    #expect(bench.sent.map { $0.at - RelayBench.noon } == [0, 5 * minute, 20 * minute])
    bench.advance(45 * minute)
    try profile("active", bench)
    try profile("idle", bench)
    #expect(bench.sent.last?.id == "holdoff")
    #expect(bench.sent.count == 4)
  }

  @Test(arguments: [false, true])
  func `What became of it while the relay was away is a late edge`(changed: Bool) throws {
    let bench = try RelayBench()
    try profile("locked", bench)
    try bench.send(request("active", "", Self.repeating))
    bench.stopRelay()
    try bench.startRelay(after: 5 * minute)
    try profile(changed ? "active" : "locked", bench, isBacklog: true)
    try bench.connect()
    #expect(bench.sent.map(\.late) == (changed ? [true] : []))
    bench.advance(2000)
    bench.forgetSent()
    try profile("idle", bench)
    try profile("active", bench)
    #expect(bench.sent.map(\.late) == [false])
  }

  @Test func `Conditions on status and presence do not disturb each other`() throws {
    let bench = try RelayBench()
    try bench.send(
      #"{"id":"s","title":"t","to":"d","trigger":{"when":{"device":"desk","status":"online"},"repeats":true}}"#
    )
    try bench.send(request("active", "", Self.repeating, id: "p"))
    try bench.status("desk", "online")
    try profile("active", bench)
    #expect(bench.sent.map(\.id) == ["s", "p"])
  }
}
