import CarillonModel
import CarillonStore
import Testing

@testable import CarillonRelay

extension RelayBench {
  /// A relay with devices that are online.
  static func withDevices(_ names: String..., groups: [Name: [Name]] = [:]) throws -> RelayBench {
    let bench = try RelayBench(groups: groups)
    for name in names { try bench.status(name, "online") }
    return bench
  }

  /// What went out of a request, each delivery once: one that is not answered is sent again.
  func firings(_ id: String, to device: String? = nil) -> [Sent] {
    var seen: Set<[String]> = []
    return notifications(id, to: device).filter { seen.insert([$0.device, $0.delivery]).inserted }
  }

  /// What went out of a request since noon, as `device second n/of`.
  func story(_ id: String = "a") -> [String] {
    firings(id).map { sent in
      let nag = sent.series.flatMap { place in place.repetition.map { " \($0)/\(place.times)" } } ?? ""
      return "\(sent.device) \((sent.at - RelayBench.noon) / 1000)\(nag)\(sent.late ? " late" : "")"
    }
  }
}

/// A request that comes again until somebody answers.
let nagging = #""id":"a","title":"t","to":"kitchen","nag":{"every":60,"times":2,"then":"bedroom"}"#

@Suite struct NagTests {
  private static let whole = [
    "kitchen 0", "kitchen 60 1/2", "kitchen 120 2/2", "bedroom 180", "bedroom 240 1/2", "bedroom 300 2/2",
  ]

  @Test func `Unanswered, it comes again, then to the next devices, and then no more`() throws {
    let bench = try RelayBench.withDevices("kitchen", "bedroom")
    try bench.send("{\(nagging)}")
    bench.advance(7_200_000)
    let notifications = bench.sent.filter { $0.id == "a" }
    #expect(Set(notifications.map(\.delivery)).count == 6, "each is a firing of its own")
    bench.forgetSent()
    try bench.send("{\(nagging)}")
    for device in ["kitchen", "bedroom"] { try bench.respond(device, "received") }
    #expect(bench.firings("a").count == 1)
    #expect(try bench.queue.nextFollowup() == bench.now().elapsed + 60_000)
  }

  @Test func `It comes at its times, with its number`() throws {
    let bench = try RelayBench()
    try bench.send("{\(nagging)}")
    bench.advance(7_200_000)
    #expect(bench.story() == NagTests.whole)
    #expect(bench.sent.map(\.due) == bench.sent.map(\.at))
    #expect(try bench.queue.nextFollowup() == nil)
  }

  @Test func `Without then it ends after its times`() throws {
    let bench = try RelayBench()
    try bench.send(#"{"id":"a","title":"t","to":"kitchen","nag":{"every":60,"times":2}}"#)
    bench.advance(7_200_000)
    #expect(bench.story() == Array(NagTests.whole.prefix(3)))
  }

  @Test(arguments: [#"{"after":0}"#, #"{"after":5}"#, #"{"every":5,"count":1}"#, #"{"at":1809950405}"#])
  func `It counts from when the firing goes out`(trigger: String) throws {
    let bench = try RelayBench()
    try bench.send(#"{"id":"a","title":"t","to":"k","trigger":\#(trigger),"nag":{"every":60,"times":1}}"#)
    bench.advance(7_200_000)
    let start = trigger.contains("0}") ? 0 : 5
    #expect(bench.story() == ["k \(start)", "k \(start + 60) 1/1"])
  }

  @Test func `A firing that is late counts from when it goes out at last`() throws {
    let bench = try RelayBench()
    try bench.send(#"{\#(nagging),"trigger":{"after":60}}"#)
    try bench.restart(after: 600_000)
    bench.advance(60_000)
    #expect(bench.story() == ["kitchen 600 late", "kitchen 660 1/2"])
  }

  @Test func `The devices are found anew at each firing`() throws {
    let bench = try RelayBench.withDevices("one")
    try bench.send(#"{"id":"a","title":"t","nag":{"every":60,"times":2}}"#)
    bench.advance(30_000)
    try bench.status("two", "online")
    bench.advance(60_000)
    #expect(bench.story() == ["one 0", "one 60 1/2", "two 60 1/2"])
  }

  @Test func `A firing that reaches nobody nags all the same`() throws {
    let bench = try RelayBench()
    try bench.send(#"{"id":"a","title":"t","nag":{"every":60,"times":1,"then":"bedroom"}}"#)
    bench.advance(7_200_000)
    #expect(bench.story() == ["bedroom 120", "bedroom 180 1/1"])
    #expect(bench.queue.counters.failed == 2)
    #expect(bench.queue.counters.fired == 4)
  }

  @Test func `Strangers in then are told as such`() throws {
    let bench = try RelayBench.withDevices("kitchen")
    let reply = try bench.send(
      #"{"id":"a","title":"t","to":["kitchen","x"],"nag":{"every":60,"times":1,"then":["x","y","kitchen"]}}"#)
    #expect(reply?["unknown"] == ["x", "y"])
    #expect(reply?["devices"] == ["kitchen"])
  }

  @Test func `A device that is away finds one of the series`() throws {
    let bench = try RelayBench.withDevices("kitchen")
    try bench.status("kitchen", "offline")
    try bench.send("{\(nagging)}")
    bench.advance(150_000)
    #expect(bench.sent.isEmpty)
    try bench.status("kitchen", "online")
    #expect(bench.story() == ["kitchen 150 2/2"])
  }

  @Test func `Under catchUp all it finds one of each occurrence's series`() throws {
    let bench = try RelayBench.withDevices("d")
    try bench.status("d", "offline")
    try bench.send(
      #"""
      {"id":"a","title":"t","to":"d","catchUp":"all","trigger":{"every":300},"nag":{"every":60,"times":3}}
      """#)
    bench.advance(700_000)
    try bench.status("d", "online")
    #expect(bench.story() == ["d 700 3/3", "d 700 1/3"])
  }

  @Test func `The listing shows the nag, and the state its next time`() throws {
    let bench = try RelayBench.withDevices("kitchen", "bedroom", "else")
    try bench.send(#"{\#(nagging),"trigger":{"every":3600}}"#)
    let items = try bench.send(#"{"command":"pending"}"#)?["items"]?.elements
    #expect(items?.first?["nag"] == ["every": 60, "times": 2, "then": "bedroom"])
    for (device, count) in ["kitchen": 1, "bedroom": 1, "else": 0] {
      let listed = try bench.send(#"{"command":"pending","device":"\#(device)"}"#)?["items"]?.elements
      #expect(listed?.count == count, "\(device)")
    }
  }

  @Test func `A thousand that are due together all come, in the order of their times`() throws {
    let bench = try RelayBench(window: 5000)
    bench.acknowledges = false
    for number in 0..<1000 {
      bench.pass(1)
      try bench.send(#"{"id":"\#(number)","title":"t","to":["a","b"],"nag":{"every":60,"times":1}}"#)
    }
    bench.forgetSent()
    // Reached together, slice after slice.
    bench.pass(60_000)
    bench.finish()
    let isInOrder = bench.sent.map(\.id) == (0..<1000).flatMap { ["\($0)", "\($0)"] }
    #expect(isInOrder)
  }
}
