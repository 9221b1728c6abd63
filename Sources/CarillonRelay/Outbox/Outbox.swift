import CarillonModel
import CarillonStore

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
  private var timed: [TimeAxis: Heap<OutgoingDelivery>] = [:]
  /// Firings taken back while in memory.
  private var recalled: Set<Int64> = []
  /// The earliest release, on each axis, of deliveries that memory had no room for.
  private var spilled: [TimeAxis: Int64] = [:]
  private let memoryLimit: Int

  /// How many deliveries are held in memory; what is beyond stays in the store. 20,000 of a usual size are 10 MB.
  static let memoryLimit = 20_000

  init(memoryLimit: Int = Outbox.memoryLimit) {
    self.memoryLimit = memoryLimit
    for axis in [TimeAxis.wall, .elapsed] {
      timed[axis] = Heap { left, right in
        (left.firing.release, left.firing.row) < (right.firing.release, right.firing.row)
      }
    }
  }

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
      return enqueue(delivery, at: moment)
    }
    if (timed[firing.axis]?.count ?? 0) < memoryLimit {
      timed[firing.axis]?.insert(delivery)
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
    [timed[axis]?.first?.firing.release, spilled[axis]].compactMap { $0 }.min()
  }

  /// Publishes what is due, in the order of the due times whatever the clock.
  mutating func release(at moment: Moment) -> [Action] {
    var actions: [Action] = []
    var released: [DeliveryKey] = []
    while let delivery = nextDue(at: moment) {
      if recalled.contains(delivery.firing.row) { continue }
      released.append(DeliveryKey(firing: delivery.firing.row, device: delivery.device))
      actions += enqueue(delivery, at: moment)
    }
    if timed.values.allSatisfy({ $0.first == nil }) { recalled = [] }
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

  private mutating func nextDue(at moment: Moment) -> OutgoingDelivery? {
    let due = [TimeAxis.wall, .elapsed].filter { axis in
      (timed[axis]?.first?.firing.release).map { $0 <= moment.on(axis) } ?? false
    }
    let earliest = due.min { left, right in
      guard let one = timed[left]?.first?.firing, let other = timed[right]?.first?.firing else {
        return false
      }
      return (one.due, one.row) < (other.due, other.row)
    }
    return earliest.flatMap { timed[$0]?.removeFirst() }
  }

  private mutating func enqueue(_ delivery: OutgoingDelivery, at moment: Moment) -> [Action] {
    let device = delivery.device
    let lane = lane(device)
    let row = delivery.firing.row
    if lane.holds(row, delivery.open) { return [] }
    // What takes a delivery back needs no room of its own.
    let hasRoom =
      lane.presence == .plain || lane.queued.count < lane.room || lane.outstanding[row] != nil
      || lane.queued[row] != nil
    guard isOpen, lane.presence != .offline, !lane.hasBacklog, hasRoom,
      waiting.count - waitingStart < memoryLimit
    else {
      lanes[device, default: lane].hasBacklog = true
      return load(device)
    }
    lanes[device, default: lane].queued[row] = delivery.open
    waiting.append(delivery)
    return fill(at: moment)
  }

  /// How many deliveries to read from the store for a device; `nil` while the way is not free, or nothing waits.
  func roomToLoad(_ device: Int64) -> Int? {
    let lane = lane(device)
    guard isOpen, lane.hasBacklog, lane.presence != .offline, lane.queued.isEmpty else { return nil }
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
      guard lanes[delivery.device]?.queued[delivery.firing.row] == delivery.open else { continue }
      lanes[delivery.device]?.queued[delivery.firing.row] = nil
      promise(delivery, at: moment)
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

  private mutating func promise(_ delivery: OutgoingDelivery, at moment: Moment) {
    promised += 1
    let firing = delivery.firing.row
    lanes[delivery.device]?.underway[firing] = delivery.open
    guard lanes[delivery.device]?.presence == .online else { return }
    // A withdrawal is another message than its notification: its repeats begin anew.
    let before = lanes[delivery.device]?.outstanding[firing]
    let attempts = before?.kind == delivery.open ? before?.attempts ?? 0 : 0
    lanes[delivery.device]?.outstanding[firing] = Lane.Outstanding(
      retry: moment.elapsed + Lane.rest(attempts), attempts: attempts + 1, kind: delivery.open)
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
    if lanes[key.device]?.underway[key.firing] == delivery.open {
      lanes[key.device]?.underway[key.firing] = nil
    }
    if isAccepted {
      let isOver = lane(key.device).presence == .plain
      if isOver { lanes[key.device]?.outstanding[key.firing] = nil }
      actions.append(.accepted(key, closing: isOver ? delivery.open : .nothing))
    } else {
      // A refusal will not end by insisting: it is tried again like anything unanswered.
      let attempts = lane(key.device).outstanding[key.firing]?.attempts ?? 1
      lanes[key.device]?.outstanding[key.firing] = Lane.Outstanding(
        retry: moment.elapsed + Lane.rest(attempts - 1), attempts: attempts, kind: delivery.open)
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
