import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Testing

@testable import CarillonRelay
@testable import CarillonStore

/// When what late subscribers find is looked at, without a broker.
@Suite struct LatestTests {
  private let directory: TemporaryDirectory
  private let service: RelayService

  init() throws {
    directory = try TemporaryDirectory(inMemory: true)
    var configuration = RelayConfiguration()
    configuration.timezone = "UTC"
    service = try RelayService(configuration: configuration, store: directory.file("store"), version: "0")
  }

  private func arrival(_ topic: String, _ text: String) -> Arrival {
    Arrival(topic: topic, payload: Array(text.utf8), qos: 1, isRetained: false, packetID: 1)
  }

  @Test func `A timer of several goes off for the earliest, whoever asked first`() throws {
    let loop = try EventLoop()
    let timer = EarliestTimer(try loop.timer(.elapsed) { loop.exit(7) })
    let limit = try loop.timer(.elapsed) { loop.exit(1) }
    limit.arm(after: .seconds(5))
    timer.arm(within: 60_000)
    timer.arm(within: 10)
    timer.arm(within: 30_000)
    #expect(try loop.run() == 7)
  }

  @Test func `A store that cannot be read leaves the latest as it is, and it is looked at again`() throws {
    service.take(
      [
        arrival("carillon/device/desk/status", "online"),
        arrival("carillon/command/p", #"{"id":"a","title":"t"}"#),
      ], at: service.now())
    let device = try #require(service.relay.devices.announced.first)
    try #require(service.retained.latest[device] != nil)
    service.publishRetained(at: service.now())
    let end = try #require(service.retained.ends[device])
    #expect(service.retained.dirty.isEmpty)
    try service.queue.database.execute("ALTER TABLE delivery RENAME TO hidden")
    service.publishRetained(at: service.now())
    #expect(service.retained.ends[device] == end)
    #expect(service.retained.dirty[device] != nil)
    try service.queue.database.execute("ALTER TABLE hidden RENAME TO delivery")
  }
}
