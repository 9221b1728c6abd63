import CarillonModel
import CarillonStore
import CarillonTime

@testable import CarillonRelay

/// A relay and its companions by their values, a broker between them that keeps what it was given, and a ledger of what was
/// promised. Every step is followed by whatever can follow at once.
final class Household {
  let bench: RelayBench
  let companions: [BenchCompanion]
  var ledger = Ledger()
  /// Whether withdrawals get lost, and whether a cancel is answered before the relay has read it: a household that is
  /// wrong, for tests of the tests.
  var losesWithdrawals = false
  var answersEarly = false
  private let keepsSessions: Bool
  private var writer: NotificationWriter
  private var asked = 0
  /// What the broker has for the relay and no acknowledgement of.
  private var toRelay: [Arrival] = []
  private(set) var isRunning = true
  /// Whether packets get through between relay and broker; nobody is told when they do not.
  private var isWired = true
  private var diesAtCommit = false
  private var remembered = ""

  /// - Parameters:
  ///   - acknowledges: whether the broker acknowledges notifications before everything comes to its end.
  ///   - keepsSessions: whether it keeps the devices' sessions.
  ///   - zones: shared by all that are made for one test, since looking at the folder takes longest.
  init(
    _ names: [String] = ["a", "b"], acknowledges: Bool = true, keepsSessions: Bool = false,
    zones: ZoneDatabase
  ) throws {
    self.keepsSessions = keepsSessions
    bench = try RelayBench(zones: zones)
    companions = try names.map { try BenchCompanion($0) }
    writer = NotificationWriter(
      storeID: bench.queue.storeID, links: bench.relay.configuration.links, zones: bench.relay.zones)
    bench.acknowledges = acknowledges
    bench.onAction = { [unowned self] action in
      if case .reply(let topic, _, let payload) = action { ledger.replied(topic, payload) }
    }
    bench.onPublish = { [unowned self] delivery in published(delivery) }
    for name in names { try bench.status(name, "online") }
  }

  subscript(name: String) -> BenchCompanion { companions.first { $0.name == name } ?? companions[0] }

  // MARK: Between them

  private func published(_ delivery: OutgoingDelivery) {
    ledger.published(delivery, writer.id(delivery.firing))
    guard let name = bench.relay.devices[delivery.device]?.name, isWired,
      !(losesWithdrawals && delivery.open == .withdrawal),
      let payload = try? writer.message(
        delivery, device: name, fired: WallTime(milliseconds: bench.wall))
    else { return }
    self[name.text].send(payload)
  }

  /// Lets everything that can travel do so.
  func pump() throws {
    var isMoving = true
    while isMoving {
      isMoving = false
      for companion in companions {
        let said = try companion.turn(at: WallTime(milliseconds: bench.wall))
        toRelay += said.map { payload in
          bench.arrival(
            "carillon/device/\(companion.name)/response", String(decoding: payload, as: UTF8.self), 0)
        }
        isMoving = isMoving || !said.isEmpty
      }
      guard isRunning, isWired, !toRelay.isEmpty else { continue }
      try relayReads()
      isMoving = true
    }
  }

  private func relayReads() throws {
    let batch = toRelay
    for arrival in batch { ledger.read(arrival) }
    if diesAtCommit {
      // It is on disk, and nothing else has come of it.
      let moment = bench.now()
      var draft = bench.relay
      _ = try bench.queue.transaction { () throws(StoreError) in
        try bench.marks.save(in: bench.queue, at: moment)
        return try draft.handle(batch, at: moment)
      }
      return kill()
    }
    toRelay = []
    try bench.take(batch)
  }

  // MARK: Publishers

  /// Sends a command, to which the ledger expects a reply.
  func ask(_ what: Ledger.Ask, _ more: String = "") throws {
    asked += 1
    var arrival = bench.arrival("carillon/command/p", what.command(more), UInt16(asked))
    arrival.responseTopic = "carillon/reply/p/\(asked)"
    ledger.asked(arrival.responseTopic ?? "", what)
    toRelay.append(arrival)
    if answersEarly, case .cancel(let id) = what {
      ledger.replied(arrival.responseTopic ?? "", Array(#"{"ok":true,"ids":{"\#(id)":"cancelled"}}"#.utf8))
    }
    try pump()
  }

  // MARK: Devices

  /// The broker notices that a device is gone, if it is, and publishes its will.
  func noticeAbsence(of name: String) throws {
    guard self[name].link != .up else { return }
    toRelay.append(bench.arrival("carillon/device/\(name)/status", "offline", 0))
    try pump()
  }

  func comeBack(_ name: String) throws {
    guard self[name].link != .up else { return }
    self[name].connect(keepsSession: keepsSessions)
    toRelay.append(bench.arrival("carillon/device/\(name)/status", "online", 0))
    try pump()
  }

  func answer(_ name: String, _ event: ResponseEvent = .dismissed) throws {
    try self[name].answer(event)
    try pump()
  }

  // MARK: The relay

  func kill() {
    guard isRunning else { return }
    diesAtCommit = false
    remembered = bench.clock.remember(bench.now()).text
    isRunning = false
    bench.loseConnection()
    bench.mayFire = false
  }

  /// It is killed by its next commit, before anything follows from that.
  func dieAtCommit() { diesAtCommit = isRunning }

  /// It starts again; what the broker has kept comes before anything fires.
  func start() throws {
    kill()
    try bench.begin(remembering: remembered) {}
    isRunning = true
    try reconnect()
    bench.mayFire = true
    bench.finish()
    try pump()
  }

  /// Packets get lost, both ways, and nobody notices.
  func breakWire() {
    isWired = false
    bench.acknowledges = false
  }

  /// The relay's connection is given up and made anew.
  func reconnect() throws {
    guard isRunning else { return }
    bench.loseConnection()
    bench.acknowledges = bench.acknowledges || !isWired
    isWired = true
    try bench.reconnect()
    try pump()
  }

  // MARK: Time

  func pass(_ milliseconds: Int64) throws {
    if isRunning { bench.advance(milliseconds) } else { bench.pass(milliseconds) }
    try pump()
  }

  /// Somebody sets the wall clock.
  func step(_ milliseconds: Int64) throws {
    if isRunning { bench.setClock(to: bench.wall + milliseconds) } else { bench.wall += milliseconds }
    try pump()
  }

  /// Everything comes back, and to its end.
  func settle() throws {
    diesAtCommit = false
    if !isRunning { try start() }
    if !isWired { try reconnect() }
    bench.acknowledges = true
    bench.acknowledge()
    for companion in companions { try comeBack(companion.name) }
    try pump()
    try pass(10_000)
    // An hour is the longest rest of what is not answered.
    try pass(3_700_000)
  }
}
