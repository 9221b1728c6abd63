import CarillonModel
import CarillonStore
import Testing

@testable import CarillonRelay

/// What falls due together, prepared a bounded piece at a time.
@Suite struct PreparationTests {
  @Test func `A slice ends with the request that reaches the number of deliveries`() throws {
    let bench = try RelayBench()
    bench.mayFire = false
    let devices = (0..<10).map { "d\($0)" }
    for device in devices { try bench.status(device, "online") }
    for id in 0..<12 { try bench.send(#"{"id":"\#(id)","title":"t","trigger":{"after":5}}"#) }
    bench.pass(4500)
    var counts: [Int] = []
    var ids: [String] = []
    var hasMore = true
    while hasMore {
      let moment = bench.now()
      var relay = bench.relay
      let slice = try bench.queue.transaction { () throws(StoreError) in
        try relay.prepare(at: moment, wallClock: true, limit: 300, deliveries: 45)
      }
      let deliveries = slice.actions.compactMap { action in
        if case .deliver(let delivery) = action { delivery } else { nil }
      }
      counts.append(deliveries.count)
      for delivery in deliveries where ids.last != delivery.id { ids.append(delivery.id) }
      hasMore = slice.hasMore
    }
    #expect(counts == [50, 50, 20])
    #expect(ids == (0..<12).map(String.init), "in the order of acceptance")
  }

  @Test func `Everyone is known by name, whoever comes, goes and is announced later`() throws {
    let names = ["c", "a", "b"].map { Name(stored: $0) }
    var registry = DeviceRegistry([])
    func device(_ index: Int, _ isAnnounced: Bool, _ isOnline: Bool? = nil) -> DeviceRegistry.Device {
      DeviceRegistry.Device(name: names[index], isAnnounced: isAnnounced, isOnline: isOnline)
    }
    registry.set(1, device(0, true))
    registry.set(2, device(1, false))
    registry.set(3, device(2, true))
    #expect(registry.announced == [3, 1])
    registry.set(2, device(1, true, false))
    #expect(registry.announced == [2, 3, 1])
    registry.set(3, device(2, true, true))
    #expect(registry.announced == [2, 3, 1])
    registry.set(1, device(0, false))
    #expect(registry.announced == [2, 3])
  }
}
