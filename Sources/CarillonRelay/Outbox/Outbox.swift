import CarillonModel
import CarillonStore

/// When a delivery is released on its axis, and which comes first of those released together.
struct ReleasePlace: Comparable, Sendable {
  var release: Int64
  var row: Int64

  static func < (left: ReleasePlace, right: ReleasePlace) -> Bool {
    (left.release, left.row) < (right.release, right.row)
  }
}

/// What is on its way, in memory: which committed delivery is published when.
///
/// It decides and returns actions; it reads no clock and touches no socket. What it does not hold is in the store, and a
/// device whose deliveries are not all here has a backlog, which is read from the store as the way becomes free.
struct Outbox {
  enum Action {
    /// Publish now, and tell the packet identifier with `published`, or that it could not be with `refused`.
    case publish(OutgoingDelivery)
    /// Read from the store what waits for a device, as much as there is room for, and hand it back with `loaded`.
    case load(device: Int64)
    /// Read one delivery from the store, and publish it again if it is still open.
    case reload(DeliveryKey)
    /// Their release came.
    case released([DeliveryKey])
    /// The broker has a message. `closing`: what is over with that, since nothing answers at the device.
    case accepted(DeliveryKey, closing: OpenKind)
  }

  private(set) var lanes: [Int64: Lane] = [:]
  /// Whether publications may go out: connected, and the backlog of commands read.
  private(set) var isOpen = false
  /// Published and not acknowledged by the broker.
  private var inFlight: [UInt16: OutgoingDelivery] = [:]
  /// Decided to be published, and not yet reported as such.
  private var promised = 0
  /// How many may be in flight.
  private var window = 20
  /// Waiting for a slot, in order.
  private var waiting: [OutgoingDelivery] = []
  private var waitingStart = 0
  private var timed: [TimeAxis: Heap<ReleasePlace, OutgoingDelivery>] = [:]
  /// Firings taken back while in memory.
  private var recalled: Set<Int64> = []
  /// The earliest release, on each axis, of deliveries that memory had no room for.
  private var spilled: [TimeAxis: Int64] = [:]
  private let memoryLimit: Int

  /// How many deliveries are held in memory; what is beyond stays in the store. 20,000 of a usual size are 10 MB.
  static let memoryLimit = 20_000

  init(memoryLimit: Int = Outbox.memoryLimit) {
    self.memoryLimit = memoryLimit
    for axis in [TimeAxis.wall, .elapsed] { timed[axis] = Heap() }
  }

  /// Decided to go out and waiting for a slot.
  var waitingCount: Int { waiting.count - waitingStart }
  /// With the broker, not acknowledged.
  var inFlightCount: Int { inFlight.count }
  /// Held until their release.
  var preparedCount: Int { timed.values.reduce(0) { $0 + $1.count } }

  /// Whether more is to go out than has a slot.
  var isBusy: Bool { waitingStart < waiting.count }

  /// What is given the next free slots, in order.
  func next(_ limit: Int) -> ArraySlice<OutgoingDelivery> { waiting[waitingStart...].prefix(limit) }

  /// Whether nothing is on its way to the broker, or waits for a slot.
  var isIdle: Bool { inFlight.isEmpty && !isBusy }

  // MARK: Lanes

  private func lane(_ device: Int64) -> Lane { lanes[device] ?? Lane(presence: .plain) }

  /// A device's presence, known from the store at the start.
  mutating func begin(_ device: Int64, isOnline: Bool?, hasBacklog: Bool) {
    lanes[device] = Lane(presence: Lane.Presence(isOnline), hasBacklog: hasBacklog)
  }

  /// A device came or went.
  mutating func presence(_ device: Int64, isOnline: Bool?) -> [Action] {
    let presence = Lane.Presence(isOnline)
    var lane = lane(device)
    guard lane.presence != presence else { return [] }
    lane.presence = presence
    return beginAnew(device, lane)
  }

  /// A device that was online has come online: what was on the way to it may have found nobody there.
  mutating func returned(_ device: Int64) -> [Action] {
    let lane = lane(device)
    guard lane.presence == .online, !lane.outstanding.isEmpty || !lane.underway.isEmpty else { return [] }
    return beginAnew(device, lane)
  }

  private mutating func beginAnew(_ device: Int64, _ lane: Lane) -> [Action] {
    var lane = lane
    // Whatever it has not received is sent again when it is back, in order; that includes what is on the way to the
    // broker, which may find nobody there.
    lane.queued = [:]
    lane.underway = [:]
    lane.outstanding = [:]
    lane.hasBacklog = true
    lanes[device] = lane
    dropWaiting(device)
    return load(device)
  }

  mutating func forget(_ device: Int64) {
    lanes[device] = Lane(presence: .plain)
    dropWaiting(device)
    for axis in timed.keys { timed[axis]?.removeAll { $0.device == device } }
  }

  /// Takes what waits for a slot from a device. Left there, it would stand before what is read from the store again, and
  /// go out in the place of that: the later before the earlier.
  private mutating func dropWaiting(_ device: Int64) {
    waiting = waiting[waitingStart...].filter { $0.device != device }
    waitingStart = 0
  }

  // MARK: The connection

  /// Publications may go out from now on.
  mutating func open(window: Int) -> [Action] {
    isOpen = true
    self.window = max(1, window)
    return loads
  }

  /// The connection is gone, and with it whatever was on the way.
  mutating func close() {
    isOpen = false
    inFlight = [:]
    promised = 0
    waiting = []
    waitingStart = 0
    for device in lanes.keys {
      lanes[device]?.underway = [:]
      lanes[device]?.queued = [:]
      lanes[device]?.outstanding = [:]
      lanes[device]?.hasBacklog = true
    }
  }

  // MARK: Deliveries

  /// A delivery was committed.
  mutating func add(_ delivery: OutgoingDelivery, at moment: Moment) -> [Action] {
    let firing = delivery.firing
    // What has gone out has gone out, also where the clock has been set back since.
    guard firing.fired == nil, firing.release > moment.on(firing.axis) else {
      // What is due and not released yet, in the middle of a burst, is before it in order.
      let before = isDue(.wall, at: moment) || isDue(.elapsed, at: moment) ? release(at: moment) : []
      return before + enqueue(delivery, at: moment)
    }
    if (timed[firing.axis]?.count ?? 0) < memoryLimit {
      timed[firing.axis]?.insert(delivery, by: ReleasePlace(release: firing.release, row: firing.row))
    } else {
      spill(delivery.device, firing.release, on: firing.axis)
    }
    return []
  }

  private mutating func spill(_ device: Int64, _ release: Int64, on axis: TimeAxis) {
    lanes[device, default: Lane(presence: .plain)].hasSpilled = true
    spilled[axis] = min(spilled[axis] ?? .max, release)
  }

  /// The earliest release to come on an axis.
  func nextRelease(on axis: TimeAxis) -> Int64? {
    [timed[axis]?.firstKey?.release, spilled[axis]].compactMap { $0 }.min()
  }

  /// Publishes what is due, in the order of the due times whatever the clock.
  ///
  /// - Parameter limit: how many at most; `nextRelease` tells whether more is due. The first of a burst need not wait
  ///   until all of it has been looked at.
  mutating func release(at moment: Moment, limit: Int = .max) -> [Action] {
    var actions: [Action] = []
    var released: [DeliveryKey] = []
    while released.count < limit, let delivery = nextDue(at: moment) {
      if recalled.contains(delivery.firing.row) { continue }
      released.append(DeliveryKey(firing: delivery.firing.row, device: delivery.device))
      actions += enqueue(delivery, at: moment)
    }
    if timed.values.allSatisfy({ $0.count == 0 }) { recalled = [] }
    actions += releaseSpilled(at: moment)
    return released.isEmpty ? actions : actions + [.released(released)]
  }

  private mutating func releaseSpilled(at moment: Moment) -> [Action] {
    let due = spilled.filter { $0.value <= moment.on($0.key) }
    guard !due.isEmpty else { return [] }
    for axis in due.keys { spilled[axis] = nil }
    for (device, lane) in lanes where lane.hasSpilled { lanes[device]?.hasBacklog = true }
    return loads
  }

  private func isDue(_ axis: TimeAxis, at moment: Moment) -> Bool {
    (timed[axis]?.firstKey).map { $0.release <= moment.on(axis) } ?? false
  }

  private mutating func nextDue(at moment: Moment) -> OutgoingDelivery? {
    switch (isDue(.wall, at: moment), isDue(.elapsed, at: moment)) {
    case (false, false): return nil
    case (true, false): return timed[.wall]?.removeFirst()
    case (false, true): return timed[.elapsed]?.removeFirst()
    case (true, true):
      guard let one = timed[.wall]?.first?.element.firing, let other = timed[.elapsed]?.first?.element.firing
      else { return nil }
      let isOnWall = (one.due, one.row) < (other.due, other.row)
      return timed[isOnWall ? .wall : .elapsed]?.removeFirst()
    }
  }

  private mutating func enqueue(_ delivery: OutgoingDelivery, at moment: Moment) -> [Action] {
    let device = delivery.device
    let isFree = isOpen && waiting.count - waitingStart < memoryLimit
    let row = delivery.firing.row
    switch lanes[device, default: Lane(presence: .plain)].admit(row, delivery.open, isFree: isFree) {
    case .held: return []
    case .left: return load(device)
    case .queued:
      waiting.append(delivery)
      return fill(at: moment)
    }
  }

  /// How many deliveries to read from the store for a device; `nil` while the way is not free, or nothing waits.
  func roomToLoad(_ device: Int64) -> Int? {
    guard isOpen, let lane = lanes[device], lane.hasBacklog, lane.presence != .offline, lane.queued.isEmpty
    else { return nil }
    // Reading a few at a time would cost a query for each.
    return lane.room >= Limits.unreceived / 2 ? lane.room : nil
  }

  private func load(_ device: Int64) -> [Action] { roomToLoad(device) == nil ? [] : [.load(device: device)] }

  /// Devices for which the store holds more and the way is free.
  var loads: [Action] { lanes.keys.sorted().flatMap { load($0) } }

  /// Notes whether anything is left in the store for a device.
  mutating func note(_ device: Int64, _ found: Waiting) {
    lanes[device, default: Lane(presence: .plain)].hasBacklog = !found.isAll
    if found.isAll, lanes[device]?.hasSpilled == true {
      lanes[device]?.hasSpilled = false
      for (axis, release) in found.toCome { spill(device, release, on: axis) }
    }
  }

  /// Queues what was read from the store for a device, in order.
  mutating func enqueue(_ deliveries: [OutgoingDelivery], for device: Int64, at moment: Moment) -> [Action] {
    for delivery in deliveries {
      lanes[device]?.queued[delivery.firing.row] = delivery.open
      waiting.append(delivery)
    }
    return fill(at: moment)
  }

  /// One delivery, read from the store again because it was not answered.
  mutating func reloaded(_ delivery: OutgoingDelivery, at moment: Moment) -> [Action] {
    guard isOpen, lane(delivery.device).presence != .offline else { return [] }
    lanes[delivery.device]?.queued[delivery.firing.row] = delivery.open
    waiting.append(delivery)
    return fill(at: moment)
  }

  /// Gives free slots to what waits. To be asked again until nothing comes: what could not be published freed its slot.
  mutating func fill(at moment: Moment) -> [Action] {
    var actions: [Action] = []
    while inFlight.count + promised < window, waitingStart < waiting.count {
      let delivery = waiting[waitingStart]
      waitingStart += 1
      // What was taken back meanwhile, or by a withdrawal, is passed over.
      let firing = delivery.firing.row
      guard lanes[delivery.device]?.begin(firing, delivery.open, at: moment.elapsed) == true else { continue }
      promised += 1
      actions.append(.publish(delivery))
    }
    if waitingStart == waiting.count {
      waiting.removeAll(keepingCapacity: waiting.count < 1024)
      waitingStart = 0
    } else if waitingStart > 4096 {
      waiting.removeFirst(waitingStart)
      waitingStart = 0
    }
    return actions
  }

  /// A delivery was handed to the session.
  mutating func published(_ delivery: OutgoingDelivery, packet: UInt16) {
    promised -= 1
    inFlight[packet] = delivery
  }

  /// The session would not take a delivery now; it stays in the store.
  mutating func refused(_ delivery: OutgoingDelivery) {
    promised -= 1
    lanes[delivery.device]?.underway[delivery.firing.row] = nil
    lanes[delivery.device]?.outstanding[delivery.firing.row] = nil
    lanes[delivery.device]?.hasBacklog = true
  }

  /// A delivery that was to be published is not worth it any more.
  mutating func dropped(_ delivery: OutgoingDelivery) {
    promised -= 1
    lanes[delivery.device]?.underway[delivery.firing.row] = nil
    lanes[delivery.device]?.outstanding[delivery.firing.row] = nil
  }

  /// The broker acknowledged a packet.
  ///
  /// - Returns: `nil` where the packet was no delivery.
  mutating func acknowledged(_ packet: UInt16, isAccepted: Bool, at moment: Moment) -> [Action]? {
    guard let delivery = inFlight.removeValue(forKey: packet) else { return nil }
    var actions: [Action] = []
    let key = DeliveryKey(firing: delivery.firing.row, device: delivery.device)
    if isAccepted {
      let isOver = lanes[key.device]?.accepted(key.firing, delivery.open) ?? true
      actions.append(.accepted(key, closing: isOver ? delivery.open : .nothing))
    } else {
      lanes[key.device]?.refused(key.firing, delivery.open, at: moment.elapsed)
    }
    actions += fill(at: moment)
    return actions + load(key.device)
  }

  /// Nothing is left to send of a delivery: the device has it, or it was taken back.
  mutating func settle(_ key: DeliveryKey) -> [Action] {
    lanes[key.device]?.outstanding[key.firing] = nil
    lanes[key.device]?.queued[key.firing] = nil
    return load(key.device)
  }

  /// A firing was taken back before its release.
  mutating func recall(_ firing: Int64) {
    recalled.insert(firing)
    guard recalled.count > Outbox.recallLimit else { return }
    for axis in timed.keys { timed[axis]?.removeAll { recalled.contains($0.firing.row) } }
    recalled = []
  }

  /// So many are kept beside what they take back, before memory is rid of both.
  private static let recallLimit = 1000

  /// Publishes again what has waited long enough for an answer.
  mutating func retry(at moment: Moment) -> [Action] {
    guard isOpen else { return [] }
    var due: [DeliveryKey] = []
    for (device, lane) in lanes {
      for (firing, entry) in lane.outstanding
      where entry.retry <= moment.elapsed && lane.underway[firing] == nil {
        due.append(DeliveryKey(firing: firing, device: device))
        lanes[device]?.outstanding[firing]?.retry = moment.elapsed + Lane.rest(entry.attempts)
      }
    }
    return due.sorted { ($0.device, $0.firing) < ($1.device, $1.firing) }.map { .reload($0) }
  }
}
