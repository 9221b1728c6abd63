import CarillonModel
import CarillonTestSupport
import Testing

@testable import CarillonRelay
@testable import CarillonStore

/// What becomes of messages that the store does not take, without a broker: the service is given them directly.
@Suite struct StoreTroubleTests {
  private let directory: TemporaryDirectory
  private let service: RelayService

  init() throws {
    directory = try TemporaryDirectory(inMemory: true)
    var configuration = RelayConfiguration()
    configuration.timezone = "UTC"
    service = try RelayService(configuration: configuration, store: directory.file("store"), version: "0")
  }

  private func status(_ device: String, _ text: String, qos: Int32 = 1) -> Arrival {
    Arrival(
      topic: "carillon/device/\(device)/status", payload: Array(text.utf8), qos: qos, isRetained: false,
      packetID: 1)
  }

  private func storeTakes(_ takes: Bool) throws {
    try service.queue.database.execute("PRAGMA query_only = \(takes ? 0 : 1)")
  }

  /// A batch that the store did not take for as long as the relay waits.
  private func giveUp(_ batch: [Arrival]) throws {
    try storeTakes(false)
    service.take(batch, at: service.now())
    try #require(service.held != nil)
    service.held?.deadline = 0
    service.retryHeld()
    try #require(service.held == nil)
  }

  private func isOnline(_ device: String) throws -> Bool? {
    try service.queue.devices().first { $0.name.text == device }?.isOnline
  }

  @Test func `What a device said is kept although a later connection is lost while the store takes nothing`()
    throws
  {
    try giveUp([status("desk", "online")])
    service.take([status("hall", "online")], at: service.now())
    service.parkHeld()
    try storeTakes(true)
    service.takeParked(sessionPresent: true, at: service.now())
    service.takeLeftover(at: service.now())
    #expect(try isOnline("desk") == true)
    #expect(try isOnline("hall") == nil, "the broker sends it again")
  }

  @Test func `Two batches that are given up do not displace each other`() throws {
    try giveUp([status("desk", "online")])
    try giveUp([status("hall", "offline")])
    try storeTakes(true)
    service.takeLeftover(at: service.now())
    #expect(try isOnline("desk") == true)
    #expect(try isOnline("hall") == false)
  }

  @Test func `A message that can never be stored keeps no other out`() throws {
    try giveUp(["a", "bad", "c"].map { status($0, "online") })
    try storeTakes(true)
    try service.queue.database.execute(
      """
      CREATE TRIGGER bad BEFORE INSERT ON device WHEN new.name = 'bad'
      BEGIN SELECT RAISE(ABORT, 'never'); END
      """)
    service.take([status("d", "online")], at: service.now())
    #expect(service.held == nil)
    for device in ["a", "c", "d"] { #expect(try isOnline(device) == true) }
    #expect(try isOnline("bad") == nil)
    #expect(service.leftover.ofDevices.isEmpty)
  }

  @Test func `An old status does not undo a new one`() {
    var leftover = Leftover()
    var response = status("desk", "{}")
    response.topic = "carillon/device/desk/response"
    leftover.keep([status("desk", "online"), response, status("hall", "online")])
    leftover.supersede(with: [status("desk", "offline"), response], .standard)
    #expect(
      leftover.ofDevices.map(\.topic) == ["carillon/device/desk/response", "carillon/device/hall/status"])
  }

  @Test func `The state tells the store's trouble, and its end, without anything to store`() throws {
    try storeTakes(false)
    service.saveMarks(at: service.now())
    service.tick()
    #expect(service.retained.storeState == nil, "nothing was to be written")
    #expect(throws: StoreError.self) { try service.rememberClocks(at: service.now()) }
    #expect(service.retained.storeState == "read-only")
    service.retained.isStateDirty = false
    service.tick()
    #expect(service.retained.storeState == "read-only")
    try storeTakes(true)
    service.tick()
    #expect(service.retained.storeState == nil)
    #expect(service.retained.isStateDirty)
  }

  @Test func `Housekeeping that the store does not take is told as well`() throws {
    try storeTakes(false)
    service.retained.isHouseUntidy = true
    service.tick()
    #expect(service.retained.storeState == "read-only")
  }

  @Test func `Damage is told until the end, and nothing is written after it`() throws {
    service.take([status("desk", "online")], at: service.now())
    service.storeFailed(.corrupt("row 7 missing"), "found by a check")
    #expect(service.timers.damage.isArmed)
    #expect(service.retained.storeState == "corrupt")
    service.take([status("hall", "online")], at: service.now())
    #expect(service.held == nil, "there is nothing to wait for")
    #expect(try isOnline("hall") == nil)
    #expect(throws: StoreError.corrupt("row 7 missing")) {
      try service.transaction { () throws(StoreError) in try service.queue.setFact("a", "1") }
    }
    service.tick()
    service.tellStore(nil)
    #expect(service.retained.storeState == "corrupt")
    #expect(try service.queue.fact("a") == nil)
  }

  @Test func `A batch that is held when damage is found is answered at once`() throws {
    try storeTakes(false)
    service.take([status("desk", "online")], at: service.now())
    #expect(service.held != nil)
    service.checked(.damaged("row 7 missing"))
    service.retryHeld()
    #expect(service.held == nil)
    #expect(service.leftover.ofDevices.count == 1)
  }

  @Test func `Rows that the store cannot read are damage`() throws {
    service.take([status("desk", "online")], at: service.now())
    let database = service.queue.database
    try database.execute("PRAGMA writable_schema = 1")
    try database.execute("UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'request_due'")
    try database.execute("PRAGMA writable_schema = RESET")
    service.isNextDueKnown = false
    service.readNextDue()
    #expect(service.retained.storeState == "corrupt")
    #expect(service.damage != nil)
  }
}
