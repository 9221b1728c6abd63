import CarillonModel
import Testing

@testable import CarillonRelay
@testable import CarillonStore

/// Devices that announce themselves without being in the configuration.
@Suite struct StrangerTests {
  private func crowded(_ bench: RelayBench) throws {
    try bench.take(
      (0..<Limits.strangers).map { bench.arrival("carillon/device/s\($0)/status", "online", 0) })
  }

  private func actions(_ bench: RelayBench, _ topic: String, _ payload: String) throws -> [Action] {
    let moment = bench.now()
    return try bench.queue.transaction { () throws(StoreError) in
      try bench.relay.handle([bench.arrival(topic, payload, 0)], at: moment)
    }
  }

  private func isIgnored(_ actions: [Action]) -> Bool {
    if case .crowded? = actions.first { actions.count == 1 } else { false }
  }

  @Test func `There may be 256, and further ones leave no trace`() throws {
    let bench = try RelayBench()
    try crowded(bench)
    #expect(bench.relay.devices.announced.count == 256)
    #expect(isIgnored(try actions(bench, "carillon/device/more/status", "online")))
    #expect(isIgnored(try actions(bench, "carillon/device/more/profile", #"{"name":"more"}"#)))
    #expect(bench.relay.devices.row(try Name("more")) == nil)
    #expect(try bench.queue.devices().count == 256)
    #expect(!isIgnored(try actions(bench, "carillon/device/s0/status", "offline")), "those are known")
  }

  @Test func `A device that the configuration lists always has a place`() throws {
    let bench = try RelayBench()
    var configuration = bench.relay.configuration
    configuration.devices = try ["desk", "s0"].map { try Name($0) }
    try bench.begin(configuration) {}
    try crowded(bench)
    #expect(!isIgnored(try actions(bench, "carillon/device/more/status", "online")), "s0 is no stranger")
    #expect(isIgnored(try actions(bench, "carillon/device/evenmore/status", "online")))
    #expect(!isIgnored(try actions(bench, "carillon/device/desk/status", "online")))
    #expect(bench.relay.devices.row(try Name("desk")) != nil)
  }

  @Test func `A forgotten one makes room`() throws {
    let bench = try RelayBench()
    try crowded(bench)
    #expect(try bench.send(#"{"command":"forget","device":"s7"}"#)?["ok"] == true)
    #expect(!isIgnored(try actions(bench, "carillon/device/more/status", "online")))
    #expect(isIgnored(try actions(bench, "carillon/device/evenmore/status", "online")))
  }
}
