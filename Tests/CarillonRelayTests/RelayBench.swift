import CarillonModel
import CarillonSchedule
import CarillonStore
import CarillonTime

@testable import CarillonRelay

/// A relay's values without a service: its clocks are advanced by hand, its store is in memory, and the wire is a list.
///
/// It does in the order of the service what the service does, and nothing else.
final class RelayBench {
  /// One message that went out to a device.
  struct Sent: Hashable {
    var device: String
    var id: String
    var delivery: String
    var kind: OpenKind
    /// What the wall clock showed.
    var at: Int64
    /// What the boot clock showed.
    var boot: Int64
    var late: Bool
    var missed: Int64
    var content: String
    var due: Int64
    var expires: Int64?
    var series: SeriesPlace?
  }

  /// 2027-05-10T12:00:00Z.
  static let noon: Int64 = 1_809_950_400_000

  let queue: Queue
  var relay: Relay
  var outbox: Outbox
  var marks = Marks()
  var clock: RelayClock
  /// CLOCK_REALTIME and CLOCK_BOOTTIME in milliseconds.
  var wall: Int64
  var boot: Int64 = 5_000_000
  var boots = 1
  /// What the kernel says of the wall clock.
  var isSynchronised = true
  private(set) var sent: [Sent] = []
  /// Packets that the broker has not acknowledged, oldest first.
  private(set) var unacknowledged: [UInt16] = []
  /// Whether the broker acknowledges at once.
  var acknowledges = true
  /// Whether what is due may fire.
  var mayFire = true
  /// Told of each action, and of each delivery that goes out.
  var onAction: ((Action) -> Void)?
  var onPublish: ((OutgoingDelivery) -> Void)?
  /// The broker, as far as topics outside the prefix go.
  var broker = BenchBroker()
  private var packets: UInt16 = 0
  private var arrivals: UInt16 = 0

  /// - Parameter watchable: the topics that the configuration lets requests watch.
  init(
    at wall: Int64 = RelayBench.noon, window: Int = 100, memoryLimit: Int = Outbox.memoryLimit,
    groups: [Name: [Name]] = [:], watchable: [String] = [], location: SunLocation? = nil,
    zones: ZoneDatabase = ZoneDatabase(), defaultZone: Zone = .utc
  ) throws {
    self.wall = wall
    var configuration = RelayConfiguration()
    configuration.groups = groups
    configuration.watchable = try watchable.map { try TopicFilter($0) }
    configuration.location = location
    queue = try Queue(path: ":memory:")
    relay = try Relay(configuration: configuration, queue: queue, zones: zones, defaultZone: defaultZone)
    outbox = Outbox(memoryLimit: memoryLimit)
    clock = RelayClock(
      nil, RelayClock.Reading(bootID: "boot1", wall: wall, boot: boot, isSynchronised: true))
    _ = outbox.open(window: window)
    noticeChanges()
  }

  func now() -> Moment {
    clock.isSet
      ? clock.moment(wall: wall, boot: boot)
      : clock.read(reading)
  }

  var reading: RelayClock.Reading {
    RelayClock.Reading(bootID: "boot\(boots)", wall: wall, boot: boot, isSynchronised: isSynchronised)
  }

  // MARK: What comes in

  /// A command on a publisher's topic; its reply.
  @discardableResult
  func send(
    _ json: String, from publisher: String = "p", packet: UInt16? = nil, qos: Int32 = 1
  ) throws -> JSONObject? {
    arrivals += 1
    return try take([arrival("carillon/command/\(publisher)", json, packet ?? arrivals, qos)]).first
  }

  /// Messages that come in one turn.
  ///
  /// - Returns: the replies.
  @discardableResult
  func take(_ batch: [Arrival]) throws -> [JSONObject] {
    let moment = now()
    release(at: moment)
    var draft = relay
    let actions = try queue.transaction { () throws(StoreError) in
      try marks.save(in: queue, at: moment)
      return try draft.handle(batch, at: moment)
    }
    marks.clear()
    relay = draft
    perform(actions, at: moment)
    finish()
    try takeFromBroker()
    return actions.compactMap { action in
      guard case .reply(_, _, let payload) = action, case .object(let reply)? = try? JSON(parsing: payload)
      else { return nil }
      return reply
    }
  }

  func arrival(_ topic: String, _ json: String, _ packet: UInt16, _ qos: Int32 = 1) -> Arrival {
    let publisher = topic.split(separator: "/").last.map(String.init) ?? ""
    return Arrival(
      topic: topic, payload: Array(json.utf8), qos: qos, isRetained: false, packetID: packet,
      responseTopic: topic.contains("/command/") ? "carillon/reply/\(publisher)/x" : nil)
  }

  func status(_ device: String, _ text: String) throws {
    try take([arrival("carillon/device/\(device)/status", text, 0)])
  }

  /// A device's answer to what was sent to it last, or to a delivery.
  func respond(_ device: String, _ event: String, to delivery: String? = nil, more: String = "") throws {
    guard let delivery = delivery ?? sent.last(where: { $0.device == device })?.delivery else { return }
    let json = #"{"delivery":"\#(delivery)","event":"\#(event)"\#(more)}"#
    try take([arrival("carillon/device/\(device)/response", json, 0)])
  }

  /// The broker acknowledges, the oldest first.
  func acknowledge(_ count: Int = .max, isAccepted: Bool = true) {
    for packet in unacknowledged.prefix(count) {
      unacknowledged.removeFirst()
      let moment = now()
      perform(outbox.acknowledged(packet, isAccepted: isAccepted, at: moment) ?? [], at: moment)
    }
    finish()
  }

  func loseConnection() {
    unacknowledged = []
    outbox.close()
  }

  func reconnect(sessionPresent: Bool = true, window: Int = 100) throws {
    relay.repeats.close()
    if sessionPresent {
      relay.repeats.open(try queue.takenMessages(), width: 1000)
    } else {
      try queue.transaction { () throws(StoreError) in try queue.forgetTaken() }
    }
    perform(outbox.open(window: window), at: now())
    finish()
  }

  // MARK: Time

  /// Lets time pass, stopping wherever a timer of the service would go off.
  func advance(_ milliseconds: Int64) {
    let end = boot + milliseconds
    var stop = nextStop
    while let time = stop, time <= end {
      pass(max(0, time - boot))
      wake()
      stop = nextStop
    }
    pass(end - boot)
    wake()
  }

  /// Lets time pass in one go, as while the relay is off.
  func pass(_ milliseconds: Int64) {
    wall += milliseconds
    boot += milliseconds
  }

  /// Somebody sets the wall clock.
  func setClock(to wall: Int64) {
    self.wall = wall
    wake()
  }

  /// tzdata has been replaced.
  func zonesAreReplaced() {
    guard relay.zones.refresh() else { return }
    relay.zonesHaveChanged(at: now())
    noticeChanges()
    wake()
  }

  /// Requests that are found anew in one slice.
  var recalculationSlice = 7
  /// Whether due times are found anew by themselves; else slice by slice, by `recalculate`.
  var recalculates = true

  func noticeChanges() {
    guard clock.isSet else { return }
    var draft = relay
    let wasSetBack = clock.wasSetBack
    _ = try? queue.transaction { () throws(StoreError) in
      try draft.beginRecalculation(clockWasSetBack: wasSetBack, at: now())
    }
    relay = draft
    clock.noticeStep()
    while recalculates, relay.recalculation != nil { recalculate() }
  }

  /// Finds the due times of one slice of requests anew.
  func recalculate() {
    let moment = now()
    var draft = relay
    let actions = try? queue.transaction { () throws(StoreError) in
      try draft.recalculate(limit: recalculationSlice, at: moment)
    }
    relay = draft
    perform(actions ?? [], at: moment)
  }

  /// The next instant at which something is to be done, on the boot clock.
  private var nextStop: Int64? {
    var found: [Int64] = []
    for axis in [TimeAxis.wall, .elapsed] {
      var times: [Int64?] = [outbox.nextRelease(on: axis)]
      for row in TimeAxis.allCases where mayFire && row.clock == axis && (row != .event || broker.isCaughtUp)
      {
        times.append((try? queue.nextDue(on: row)).flatMap { $0 }.map { $0 - row.preparation })
      }
      if axis == .elapsed, mayFire { times.append((try? queue.nextFollowup()).flatMap { $0 }) }
      if axis == .elapsed { times += outbox.lanes.values.flatMap { $0.outstanding.values.map(\.retry) } }
      for time in times.compactMap({ $0 }) { found.append(boot + time - now().on(axis)) }
    }
    return found.min()
  }

  private func wake() {
    let moment = now()
    release(at: moment)
    perform(outbox.retry(at: moment), at: moment)
    finish()
  }

  private func release(at moment: Moment) {
    let isOverdue = [TimeAxis.wall, .elapsed].contains { axis in
      outbox.nextRelease(on: axis).map { isMissed(due: $0, at: moment.on(axis)) } ?? false
    }
    if isOverdue {
      var draft = relay
      let actions = try? queue.transaction { () throws(StoreError) in
        try marks.save(in: queue, at: moment)
        return try draft.takeBackMissed(at: moment, limit: 300)
      }
      marks.clear()
      relay = draft
      perform(actions ?? [], at: moment)
    }
    perform(outbox.release(at: moment), at: moment)
  }

  func finish() {
    guard mayFire else { return }
    let wasSet = clock.isSet
    let moment = now()
    if clock.wasSetBack || wasSet != clock.isSet { noticeChanges() }
    var hasMore = true
    while hasMore {
      var draft = relay
      let prepared = try? queue.transaction { () throws(StoreError) in
        try draft.prepare(at: moment, wallClock: clock.isSet, events: broker.isCaughtUp, limit: 50)
      }
      relay = draft
      perform(prepared?.actions ?? [], at: moment)
      hasMore = prepared?.hasMore ?? false
    }
    var actions = outbox.fill(at: moment)
    while !actions.isEmpty {
      perform(actions, at: moment)
      actions = outbox.fill(at: moment)
    }
  }

  func saveMarks() {
    let moment = now()
    _ = try? queue.transaction { () throws(StoreError) in try marks.save(in: queue, at: moment) }
    marks.clear()
  }

  // MARK: What is done

  func perform(_ actions: [Action], at moment: Moment) {
    for action in actions {
      onAction?(action)
      switch action {
      case .watch(let subscribe, let unsubscribe): watch(subscribe, unsubscribe)
      case .deliver(let delivery): perform(outbox.add(delivery, at: moment), at: moment)
      case .recall(let firing): outbox.recall(firing)
      case .settle(let firing, let device):
        perform(outbox.settle(DeliveryKey(firing: firing, device: device)), at: moment)
      case .presence(let device, _, let isOnline):
        perform(outbox.presence(device, isOnline: isOnline), at: moment)
      case .returned(let device): perform(outbox.returned(device), at: moment)
      case .forget(let device, _): outbox.forget(device)
      case .reply, .reject, .focus, .profile, .event, .touchLatest, .crowded, .ignored, .noted: break
      }
    }
  }

  private func perform(_ actions: [Outbox.Action], at moment: Moment) {
    for action in actions {
      switch action {
      case .publish(let delivery): publish(delivery, at: moment)
      case .load(let device):
        guard
          let found = try? outbox.waiting(for: device, in: queue, besides: marks, at: moment)
        else { continue }
        for end in found.ended { marks.end(end.key, end.state, detail: nil) }
        perform(outbox.loaded(device, found, at: moment), at: moment)
      case .reload(let key):
        if let delivery = try? queue.outgoing(key.firing, to: key.device), delivery.open != .nothing {
          perform(outbox.reloaded(delivery, at: moment), at: moment)
        } else {
          perform(outbox.settle(key), at: moment)
        }
      case .released(let keys): for key in keys { marks.fire(key.firing, at: moment.wall) }
      case .accepted(let key, let closing): marks.accept(key, closing: closing)
      }
    }
  }

  private func publish(_ delivery: OutgoingDelivery, at moment: Moment) {
    if delivery.open == .notification, let expires = delivery.firing.expires, expires <= moment.wall {
      outbox.dropped(delivery)
      marks.end(
        DeliveryKey(firing: delivery.firing.row, device: delivery.device), .expired, detail: nil)
      return
    }
    packets += 1
    outbox.published(delivery, packet: packets)
    if delivery.firing.fired == nil { marks.fire(delivery.firing.row, at: moment.wall) }
    unacknowledged.append(packets)
    sent.append(
      Sent(
        device: relay.devices[delivery.device]?.name.text ?? "", id: delivery.id,
        delivery: relay.id(of: delivery.firing).text, kind: delivery.open, at: wall, boot: boot,
        late: delivery.firing.late, missed: delivery.firing.missed,
        content: String(decoding: delivery.content, as: UTF8.self), due: delivery.firing.due.milliseconds,
        expires: delivery.firing.expires?.milliseconds, series: delivery.firing.series))
    onPublish?(delivery)
    if acknowledges { acknowledge(1) }
  }

  // MARK: What is looked at

  /// The notifications that went out, by id.
  func notifications(_ id: String, to device: String? = nil) -> [Sent] {
    sent.filter { $0.id == id && $0.kind == .notification && (device ?? $0.device) == $0.device }
  }

  func withdrawals(to device: String) -> [Sent] {
    sent.filter { $0.kind == .withdrawal && $0.device == device }
  }

  func forgetSent() { sent = [] }
}

extension JSONObject {
  /// What a reply says became of an id.
  func outcome(_ id: String) -> String? {
    guard case .object(let ids)? = self["ids"] else { return nil }
    return ids[id]?.text
  }

  /// The code of a refusal.
  var code: String? {
    guard case .object(let error)? = self["error"] else { return nil }
    return error["code"]?.text
  }
}
