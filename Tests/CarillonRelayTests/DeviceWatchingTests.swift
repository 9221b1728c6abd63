import CarillonModel
import Testing

@testable import CarillonRelay

private let minute: Int64 = 60_000

/// Requests that wait for a device to come or go.
@Suite struct DeviceWatchingTests {
  private func request(_ status: String, _ more: String = "", _ beside: String = "") -> String {
    #"{"id":"a","title":"t","to":"d","trigger":{"when":{"device":"desk","status":"\#(status)"\#(more)}\#(beside)}}"#
  }

  private static let repeating = #","repeats":true"#

  @Test func `They fire when the device comes, and when it goes, and need no permission`() throws {
    let bench = try RelayBench()
    try bench.send(request("online"))
    try bench.send(request("offline").replacing(#""a""#, with: #""b""#))
    try bench.status("desk", "online")
    #expect(bench.sent.map(\.id) == ["a"])
    try bench.status("desk", "offline")
    #expect(bench.sent.map(\.id) == ["a", "b"])
    #expect(bench.sent.map(\.late) == [false, false])
    #expect(bench.queue.counters.pending == 0)
    #expect(bench.broker.subscribed == [])
  }

  @Test(arguments: ["online", "offline"])
  func `How the device stands at acceptance is no edge`(_ status: String) throws {
    let bench = try RelayBench()
    try bench.status("desk", status)
    try bench.send(request(status, "", Self.repeating))
    try bench.status("desk", status)
    #expect(bench.sent.isEmpty)
    bench.advance(2000)
    try bench.status("desk", status == "online" ? "offline" : "online")
    try bench.status("desk", status)
    #expect(bench.sent.count == 1)
  }

  @Test func `A device that was never seen is neither online nor offline`() throws {
    let bench = try RelayBench()
    try bench.send(request("offline", "", Self.repeating))
    #expect(bench.sent.isEmpty)
    try bench.status("desk", "offline")
    #expect(bench.sent.count == 1)
    bench.advance(2000)
    // One that is forgotten is not away, it is gone.
    try bench.send(#"{"command":"forget","device":"desk"}"#)
    #expect(bench.sent.count == 1)
    try bench.status("desk", "offline")
    #expect(bench.sent.count == 2)
  }

  @Test(arguments: [0, 10, 60])
  func `Half an hour after the first visit ends, also where the relay is away in between`(away minutes: Int64)
    throws
  {
    let bench = try RelayBench()
    let reply = try bench.send(request("offline", #","delay":"30m""#))
    #expect(reply?["next"] == .null)
    bench.advance(5 * minute)
    try bench.status("desk", "online")
    bench.advance(5 * minute)
    try bench.status("desk", "offline")
    #expect(try bench.listed("a")?["next"] == "2027-05-10T12:40:00.000+00:00")
    if minutes > 0 {
      bench.stopRelay()
      try bench.startRelay(after: minutes * minute)
      try bench.connect(statuses: ["desk": "offline"])
    }
    // A second visit changes nothing.
    if minutes < 30 {
      try bench.status("desk", "online")
      bench.advance(minute)
      try bench.status("desk", "offline")
      bench.advance(40 * minute)
    }
    #expect(bench.sent.map { $0.at - RelayBench.noon } == [(minutes > 30 ? 70 : 40) * minute])
    #expect(bench.sent.map(\.late) == [minutes > 30])
  }

  @Test(arguments: [false, true])
  func `What became of the device while the relay was away is a late edge`(changed: Bool) throws {
    let bench = try RelayBench()
    try bench.status("desk", "online")
    try bench.send(request("offline", "", Self.repeating))
    bench.stopRelay()
    try bench.startRelay(after: 5 * minute)
    #expect(bench.sent.isEmpty)
    try bench.connect(statuses: ["desk": changed ? "offline" : "online"])
    #expect(bench.sent.map(\.late) == (changed ? [true] : []))
    bench.advance(2000)
    bench.forgetSent()
    try bench.status("desk", "online")
    try bench.status("desk", "offline")
    #expect(bench.sent.map(\.late) == [false])
  }

  @Test func `With for, a device has to stay away`() throws {
    let bench = try RelayBench()
    try bench.status("desk", "online")
    try bench.send(request("offline", #","for":"10m""#))
    try bench.status("desk", "offline")
    bench.advance(9 * minute)
    try bench.status("desk", "online")
    bench.advance(9 * minute)
    #expect(bench.sent.isEmpty)
    try bench.status("desk", "offline")
    bench.advance(10 * minute)
    #expect(bench.sent.count == 1)
  }

  @Test func `A group is no device`() throws {
    let bench = try RelayBench(groups: [Name("desk"): [Name("one")]])
    let reply = try bench.send(request("online"))
    #expect(reply?.code == "invalid")
    #expect(reply?["error"]?["path"] == "trigger.when.device")
  }
}
