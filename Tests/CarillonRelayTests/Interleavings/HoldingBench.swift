import CarillonModel
import CarillonStore

@testable import CarillonRelay
@testable import CarillonStore

/// A service without a broker whose store takes nothing for a while, driven as its loop would drive it.
final class HoldingBench {
  let service: RelayService
  private(set) var faults: [String] = []
  private(set) var hasGivenUp = false
  /// What the broker has no acknowledgement of while the connection is away, and sends again if it keeps the session.
  private var unacknowledged: [Arrival]?
  /// What comes to the broker meanwhile.
  private var waiting: [Arrival] = []
  private let keepsSession: Bool
  private var packets: UInt16 = 0

  init(keepsSession: Bool = true) throws {
    self.keepsSession = keepsSession
    var configuration = RelayConfiguration()
    configuration.timezone = "UTC"
    service = try RelayService(configuration: configuration, store: ":memory:", version: "0")
    service.connection.mayFire = true
    let due = command(#"{"id":"due","title":"t","to":"desk","trigger":{"after":5}}"#)
    service.take([status("online"), due], at: service.now())
    service.finish()
  }

  func command(_ json: String) -> Arrival { arrival("carillon/command/p", json) }
  func status(_ text: String) -> Arrival { arrival("carillon/device/desk/status", text) }

  private func arrival(_ topic: String, _ text: String) -> Arrival {
    packets += 1
    return Arrival(topic: topic, payload: Array(text.utf8), qos: 1, isRetained: false, packetID: packets)
  }

  /// What must not change while a batch is held.
  private struct Outside: Equatable {
    var release: Int64?
    var marks: Int
    var counters: Queue.Counters
  }

  private var outside: Outside {
    Outside(
      release: service.outbox.nextRelease(on: .elapsed), marks: service.marks.count,
      counters: service.queue.counters)
  }

  /// One step, and what the timers do after it.
  private func step(_ body: () throws -> Void) rethrows {
    let before = outside
    let wasHeld = service.held != nil
    try body()
    service.timers.again.disarm()
    service.retryHeld()
    service.wake()
    if wasHeld, service.held != nil, outside != before {
      faults.append("something happens while a batch is held")
    }
  }

  func takeStore(_ takes: Bool) throws {
    try step { try service.queue.database.execute("PRAGMA query_only = \(takes ? 0 : 1)") }
  }

  func read(_ batch: [Arrival]) {
    guard unacknowledged == nil else {
      waiting += batch
      return
    }
    step { service.take(batch, at: service.now()) }
  }

  /// Lets elapsed time pass, at once.
  func pass(_ milliseconds: Int64) {
    step {
      var record = service.clock.remember(service.now())
      record.offset += milliseconds
      record.elapsed += milliseconds
      service.clock = RelayClock(record, RelayService.reading())
    }
  }

  /// The relay has waited as long as it may.
  func losePatience() {
    step {
      guard service.held != nil else { return }
      service.held?.deadline = 0
      service.retryHeld()
      hasGivenUp = true
    }
  }

  /// Marks something as gone out, as nobody may while a batch is held: for tests of the tests.
  func sneak() {
    step { service.marks.fire(1, at: service.now().wall) }
  }

  func disconnect() {
    step {
      unacknowledged = service.held?.batch ?? []
      service.outbox.close()
      service.parkHeld()
    }
  }

  func connect() throws {
    guard let again = unacknowledged else { return }
    unacknowledged = nil
    defer { waiting = [] }
    try step {
      service.relay.repeats.close()
      if keepsSession { service.relay.repeats.open(try service.queue.takenMessages(), width: 1000) }
      service.takeParked(sessionPresent: keepsSession, at: service.now())
      service.take((keepsSession ? again : []) + waiting, at: service.now())
    }
  }

  /// Lets everything come to its end, and says what is wrong then.
  func judge() throws -> [String] {
    try takeStore(true)
    try connect()
    pass(10_000)
    service.takeLeftover(at: service.now())
    service.saveMarks(at: service.now())
    if service.held != nil || !service.marks.isEmpty { faults.append("something is left") }
    let taken = try ["x", "y"].filter { try service.queue.current($0) != nil }
    if taken.count == 1 { faults.append("half of a batch is stored") }
    if taken.isEmpty, !hasGivenUp { faults.append("a batch is lost") }
    if try service.queue.devices().first(where: { $0.name.text == "desk" })?.isOnline != false {
      faults.append("what a device said is lost")
    }
    let fired = service.queue.counters.fired
    if fired != 1 { faults.append("it fires \(fired) times") }
    return faults
  }
}
