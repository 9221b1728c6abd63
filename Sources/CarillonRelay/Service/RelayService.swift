import CarillonLoop
import CarillonMQTT
import CarillonModel
import CarillonSchedule
import CarillonStore
import CarillonTime
import Glibc

/// The relay as a daemon: one thread, one loop.
///
/// A turn drains the socket, publishes what is due, decides on what came in one transaction, and only then lets
/// acknowledgements, replies and notifications leave.
public final class RelayService {
  var configuration: RelayConfiguration
  let log: Log
  let loop: EventLoop
  let queue: Queue
  /// The store's file.
  let path: String
  /// Told to others in `relay/state`, so that two relays can be told apart.
  let instance = String(UInt64.random(in: .min ... .max), radix: 16)
  let version: String
  /// The topic on which Home Assistant says that it has started; `nil` where nobody listens.
  let birthTopic: String?

  var relay: Relay
  var outbox = Outbox()
  var writer: NotificationWriter
  var writtenAhead = WrittenAhead()
  var clock: RelayClock
  var marks = Marks()
  /// Whether the store did not take the marks the last time.
  var areMarksRefused = false
  var retained = RetainedState()
  var recalculating = RecalculatingState()
  var connection = ConnectionState()
  var watched = WatchedTopics()
  var home = HomeAssistantState()
  var warnings: [String] = []
  /// Whether messages have been read that are not committed: then nothing may be written to the broker.
  var isBatchOpen = false
  /// Whether a delivery was handed out since the last flush.
  var hasPublished = false
  /// What is wrong with the store for good.
  var damage: StoreError?
  var checking = CheckState()
  var metrics = MetricsState()
  /// A batch whose transaction could not be committed yet.
  var held: HeldBatch?
  var leftover = Leftover()
  /// The next due times on both axes as the store has them; read again after each change.
  var nextDue: [TimeAxis: Int64] = [:]
  /// When the next nag or snooze is due, on the elapsed axis; read along with them.
  var nextFollowup: Int64?
  var isNextDueKnown = false
  var isStopping = false
  let started: Int64

  private(set) var session: MQTTSession!
  private(set) var timers: Timers!
  private var signals: [SignalWatch] = []
  var reloading = ReloadState()

  /// Says that this process is for one service and does nothing beside it; its store then takes no locks. Before the
  /// service is made.
  public static func ownProcess() { Database.useOneThread() }

  /// Opens the store and everything else that does not need a broker.
  ///
  /// - Parameters:
  ///   - path: the store's file.
  ///   - version: the program's, for `relay/state`.
  /// - Throws: `StoreError` (`alreadyOpen` where a relay runs on the store already), `Refusal` for a time zone that is not
  ///   known, `LoopError`.
  public init(configuration: RelayConfiguration, store path: String, version: String) throws {
    self.configuration = configuration
    self.version = version
    birthTopic = configuration.homeAssistant.discovery ? configuration.homeAssistant.birth : nil
    self.path = path
    log = Log(level: configuration.logLevel)
    loop = try EventLoop()
    let zones = ZoneDatabase()
    let (defaultZone, problem) = try configuration.defaultZone(in: zones)
    if let problem { warnings.append(problem) }
    queue = try Queue(path: path)
    relay = try Relay(configuration: configuration, queue: queue, zones: zones, defaultZone: defaultZone)
    writer = NotificationWriter(storeID: queue.storeID, links: configuration.links, zones: zones)
    let remembered = try queue.fact(RelayService.clockFact).flatMap { RelayClock.Record($0) }
    clock = RelayClock(remembered, RelayService.reading())
    started = SystemClock.elapsedMilliseconds
    metrics.firedBefore = queue.counters.fired
    metrics.failedBefore = queue.counters.failed
    timers = try Timers(self)
    session = try MQTTSession(loop: loop, configuration: sessionConfiguration()) { [unowned self] events in
      turn(events)
    }
  }

  /// Runs until SIGTERM or SIGINT.
  ///
  /// - Parameter reread: reads the configuration anew, at each SIGHUP.
  /// - Returns: the exit status.
  /// - Throws: `StoreError` where the store is damaged, found at the start or later.
  public func run(reread: @escaping () throws -> RelayConfiguration) throws -> Int32 {
    // A broker or a log that has gone is noticed by the write itself.
    _ = Glibc.signal(SIGPIPE, SIG_IGN)
    for number in [SIGTERM, SIGINT] {
      signals.append(try loop.signal(number) { [unowned self] in stop() })
    }
    reloading.reread = reread
    signals.append(try loop.signal(SIGHUP) { [unowned self] in reload() })
    for warning in warnings { log.warning(warning) }
    if let warning = configuration.tls.warning(for: configuration.broker) { log.error(warning) }
    try restore()
    noticeChanges()
    _ = try loop.enableWatchdog()
    log.info(
      "relay on store \(queue.storeID), \(queue.counters.pending) pending; broker \(configuration.broker)")
    loop.notifyReady(status: "waiting for \(configuration.broker)")
    session.start()
    timers.settle.arm(after: RelayService.settling)
    timers.tick.arm(after: .seconds(1))
    timers.zones.arm(after: RelayService.lookPeriod)
    if !queue.isChecked { timers.check.arm(after: RelayService.checkDelay) }
    arm()
    let status = try loop.run()
    if let damage { throw damage }
    return status
  }

  /// The longest wait at the start for the commands and answers that the broker has kept (the design's five seconds).
  static let settling: Duration = .seconds(5)
  static let clockFact = "clock"

  static func reading() -> RelayClock.Reading {
    RelayClock.Reading(
      bootID: SystemClock.bootID, wall: SystemClock.wallMilliseconds, boot: SystemClock.elapsedMilliseconds,
      isSynchronised: SystemClock.isSynchronised, difference: SystemClock.wallAhead)
  }

  /// Both clocks now.
  func now() -> Moment {
    if clock.isSet {
      return clock.moment(
        wall: SystemClock.wallMilliseconds, boot: SystemClock.elapsedMilliseconds,
        difference: SystemClock.wallAhead)
    }
    let moment = clock.read(RelayService.reading())
    if clock.isSet {
      log.info("the clock has been set; requests on the wall clock fire from now on")
      timers.recalculate.arm(after: .zero)
    }
    return moment
  }

  /// Brings into memory what the store has under way.
  private func restore() throws {
    let moment = now()
    try rememberClocks(at: moment)
    try checkWatches(at: moment)
    endFocus(at: moment)
    marks = Marks(try queue.notes())
    if !marks.isEmpty {
      try transaction { () throws(StoreError) in try marks.save(in: queue, at: moment) }
      marks.clear()
    }
    // It may have gone out before the relay ended, so it goes out again; but not as if it were in time.
    try transaction { () throws(StoreError) in
      for axis in [TimeAxis.wall, .elapsed] {
        try queue.markLate(on: axis, before: moment.on(axis) - missedAfter.milliseconds)
      }
    }
    let waiting = Set(try queue.devicesWithOpen())
    for device in try queue.devices() {
      outbox.begin(device.row, isOnline: device.isOnline, hasBacklog: waiting.contains(device.row))
      if let latest = device.latest { retained.latest[device.row] = latest }
    }
    for pair in try queue.newestDeliveries(limit: 2000) {
      retained.latest[pair.device] = max(retained.latest[pair.device] ?? 0, pair.firing)
    }
    try restoreLastFired()
    try queue.eachUnreleased(at: moment) { delivery throws(StoreError) in
      _ = outbox.add(delivery, at: moment)
      return true
    }
  }

  /// What may be watched is the configuration's, which may have changed since the last run.
  private func checkWatches(at moment: Moment) throws(StoreError) {
    var draft = relay
    let actions = try transaction { () throws(StoreError) in try draft.checkWatches(at: moment) }
    relay = draft
    perform(actions, at: moment)
  }

  func rememberClocks(at moment: Moment) throws(StoreError) {
    try transaction { () throws(StoreError) in try writeClocks(at: moment) }
  }

  /// Writes down what the clocks show, in the transaction at hand.
  func writeClocks(at moment: Moment) throws(StoreError) {
    try queue.setFact(RelayService.clockFact, clock.remember(moment).text)
    // Whoever reads it next sees no step any more: what the step has made stale is to be found anew all the same.
    if clock.wasSetBack { try Relay.markStale(in: queue) }
  }

  /// So many requests are taken back when the relay stops, which takes a few milliseconds.
  private static let prepared = 1000

  /// Ends in an orderly way, within five seconds whatever the broker does.
  func stop() {
    guard !isStopping else { return loop.exit(0) }
    isStopping = true
    log.info("stopping")
    loop.notifyStopping()
    held = nil
    checking.running?.end()
    let moment = now()
    takeLeftover(at: moment)
    saveMarks(at: moment)
    // What has gone out is marked so now; where the store does not take that, nothing is taken back.
    if marks.isEmpty {
      try? transaction { () throws(StoreError) in
        try relay.takeBackPrepared(at: moment, limit: RelayService.prepared)
      }
    }
    try? transaction { () throws(StoreError) in try relay.saveSilences() }
    try? rememberClocks(at: moment)
    let offline = Publication(
      topic: configuration.topics.relayStatus, payload: Array("offline".utf8), retain: true)
    session.stop(grace: .seconds(2), last: [offline]) { [unowned self] in
      metrics.lookedAt = .min
      writeMetrics()
      log.settle(all: true)
      loop.exit(0)
    }
  }

  private func sessionConfiguration() -> SessionConfiguration {
    SessionConfiguration(
      address: configuration.broker, clientID: "\(configuration.topics.prefix)-relay-\(queue.storeID)",
      username: configuration.username, passwordFile: configuration.passwordFile,
      tls: configuration.tls,
      keepAlive: configuration.keepAlive, cleanStart: false, sessionExpiry: .never,
      will: Will(topic: configuration.topics.relayStatus, payload: Array("offline".utf8)),
      receiveMaximum: RelayService.receiveMaximum)
  }

  /// How many commands the broker may have under way: one fsync serves them all. Not more than are remembered to
  /// recognise repeats.
  static let receiveMaximum = UInt16(Queue.takenLimit)
}
