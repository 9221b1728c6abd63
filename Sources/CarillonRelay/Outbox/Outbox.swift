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
    /// Read from the store what waits for a device, at most so many, and hand it back with `loaded`.
    case load(device: Int64, room: Int)
    /// Read one delivery from the store, and publish it again if it is still open.
    case reload(DeliveryKey)
    /// Its release came.
    case released(firing: Int64)
    /// The broker has it. `closes`: nothing more is to be known.
    case accepted(DeliveryKey, closes: Bool)
  }

  private(set) var lanes: [Int64: Lane] = [:]
  /// Whether publications may go out: connected, and the backlog of commands read.
  private(set) var isOpen = false
  /// Published and not acknowledged by the broker.
  private var inFlight: [UInt16: OutgoingDelivery] = [:]
  /// How many may be in flight.
  private var window = 20
  /// Waiting for a slot, in order.
  private var waiting: [OutgoingDelivery] = []
  private var waitingStart = 0
  private var timed: [TimeAxis: Heap<OutgoingDelivery>] = [:]
  /// Firings taken back while in memory.
  private var recalled: Set<Int64> = []

  /// How many deliveries are held in memory; what is beyond stays in the store. 20,000 of a usual size are 10 MB.
  static let memoryLimit = 20_000

  init() {
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
    var lane = lane(device)
    let presence = Lane.Presence(isOnline)
    guard lane.presence != presence else { return [] }
    lane.presence = presence
    // Whatever it has not received is sent again when it is back, in order.
    lane.outstanding = [:]
    lane.hasBacklog = true
    lanes[device] = lane
    return load(device)
  }

  mutating func forget(_ device: Int64) {
    lanes[device] = Lane(presence: .plain)
  }

  // MARK: The connection

  /// Publications may go out from now on.
  mutating func open(window: Int) -> [Action] {
    isOpen = true
    self.window = max(1, window)
    return lanes.keys.sorted().flatMap { load($0) }
  }

  /// The connection is gone, and with it whatever was on the way.
  mutating func close() {
    isOpen = false
    inFlight = [:]
    waiting = []
    waitingStart = 0
    for device in lanes.keys {
      lanes[device]?.underway = []
      lanes[device]?.queued = []
      lanes[device]?.outstanding = [:]
      lanes[device]?.hasBacklog = true
    }
  }

  // MARK: Deliveries

  /// A delivery was committed.
  mutating func add(_ delivery: OutgoingDelivery, at moment: Moment) -> [Action] {
    if delivery.firing.release > moment.on(delivery.firing.axis) {
      if (timed[delivery.firing.axis]?.count ?? 0) < Outbox.memoryLimit {
        timed[delivery.firing.axis]?.insert(delivery)
      } else {
        lanes[delivery.device, default: Lane(presence: .plain)].hasBacklog = true
      }
      return []
    }
    return enqueue(delivery, at: moment)
  }

  /// The earliest release in memory on an axis.
  func nextRelease(on axis: TimeAxis) -> Int64? { timed[axis]?.first?.firing.release }

  /// Publishes what is due.
  mutating func release(at moment: Moment) -> [Action] {
    var actions: [Action] = []
    for axis in [TimeAxis.wall, .elapsed] {
      while let first = timed[axis]?.first, first.firing.release <= moment.on(axis) {
        guard let delivery = timed[axis]?.removeFirst() else { break }
        if recalled.contains(delivery.firing.row) { continue }
        actions.append(.released(firing: delivery.firing.row))
        actions += enqueue(delivery, at: moment)
      }
      if timed[axis]?.first == nil, axis == .elapsed, timed[.wall]?.first == nil { recalled = [] }
    }
    return actions
  }

  private mutating func enqueue(_ delivery: OutgoingDelivery, at moment: Moment) -> [Action] {
    let device = delivery.device
    var lane = lane(device)
    defer { lanes[device] = lane }
    guard isOpen, lane.presence != .offline else {
      lane.hasBacklog = true
      return []
    }
    if lane.hasBacklog {
      lanes[device] = lane
      let actions = load(device)
      lane = self.lane(device)
      return actions
    }
    guard lane.queued.count + lane.underway.count < lane.room || lane.presence == .plain,
      waiting.count - waitingStart < Outbox.memoryLimit
    else {
      lane.hasBacklog = true
      return []
    }
    if inFlight.count < window, waitingStart == waiting.count {
      return [.publish(delivery)]
    }
    lane.queued.insert(delivery.firing.row)
    waiting.append(delivery)
    return []
  }

  /// Asks for what waits in the store, where the way is free.
  private func load(_ device: Int64) -> [Action] {
    let lane = lane(device)
    guard isOpen, lane.hasBacklog, lane.presence != .offline, lane.queued.isEmpty else { return [] }
    let room = lane.room - lane.underway.filter { lane.outstanding[$0] == nil }.count
    // Reading a few at a time would cost a query for each.
    guard room >= Limits.unreceived / 2 else { return [] }
    return [.load(device: device, room: room)]
  }

  /// What the store held for a device, in order.
  ///
  /// - Parameter isAll: whether nothing more waits there.
  mutating func loaded(_ device: Int64, _ deliveries: [OutgoingDelivery], isAll: Bool) -> [Action] {
    lanes[device, default: Lane(presence: .plain)].hasBacklog = !isAll
    for delivery in deliveries {
      lanes[device]?.queued.insert(delivery.firing.row)
      waiting.append(delivery)
    }
    return fill()
  }

  /// Gives free slots to what waits.
  private mutating func fill() -> [Action] {
    var actions: [Action] = []
    var free = window - inFlight.count
    while free > 0, waitingStart < waiting.count {
      let delivery = waiting[waitingStart]
      waitingStart += 1
      guard lanes[delivery.device]?.queued.remove(delivery.firing.row) != nil,
        !recalled.contains(delivery.firing.row)
      else { continue }
      actions.append(.publish(delivery))
      free -= 1
    }
    if waitingStart > 1024, waitingStart * 2 > waiting.count {
      waiting.removeFirst(waitingStart)
      waitingStart = 0
    }
    return actions
  }

  /// A delivery was handed to the session.
  mutating func published(_ delivery: OutgoingDelivery, packet: UInt16, at moment: Moment) {
    inFlight[packet] = delivery
    var lane = lane(delivery.device)
    lane.underway.insert(delivery.firing.row)
    if lane.presence == .online {
      let attempts = lane.outstanding[delivery.firing.row]?.attempts ?? 0
      lane.outstanding[delivery.firing.row] = Lane.Outstanding(
        retry: moment.elapsed + Lane.rest(attempts), attempts: attempts + 1)
    }
    lanes[delivery.device] = lane
  }

  /// The session would not take a delivery now; it stays in the store.
  mutating func refused(_ delivery: OutgoingDelivery) {
    lanes[delivery.device, default: Lane(presence: .plain)].hasBacklog = true
  }

  /// The broker acknowledged a packet.
  ///
  /// - Returns: `nil` where the packet was no delivery.
  mutating func acknowledged(_ packet: UInt16, isAccepted: Bool, at moment: Moment) -> [Action]? {
    guard let delivery = inFlight.removeValue(forKey: packet) else { return nil }
    var actions: [Action] = []
    let key = DeliveryKey(firing: delivery.firing.row, device: delivery.device)
    lanes[key.device]?.underway.remove(key.firing)
    if isAccepted {
      let closes = lane(key.device).presence == .plain
      actions.append(.accepted(key, closes: closes))
    } else {
      // A refusal will not end by insisting: it is tried again like anything unanswered.
      let attempts = lane(key.device).outstanding[key.firing]?.attempts ?? 1
      lanes[key.device]?.outstanding[key.firing] = Lane.Outstanding(
        retry: moment.elapsed + Lane.rest(attempts - 1), attempts: attempts)
    }
    actions += fill()
    return actions + load(key.device)
  }

  /// Nothing is left to send of a delivery: the device has it, or it was taken back.
  mutating func settle(_ key: DeliveryKey) -> [Action] {
    lanes[key.device]?.outstanding[key.firing] = nil
    lanes[key.device]?.queued.remove(key.firing)
    return load(key.device)
  }

  /// A firing was taken back before its release.
  mutating func recall(_ firing: Int64) {
    recalled.insert(firing)
  }

  /// When the next unanswered delivery is to be published again, on the elapsed axis.
  var nextRetry: Int64? {
    guard isOpen else { return nil }
    var earliest: Int64?
    for lane in lanes.values {
      for entry in lane.outstanding.values where entry.retry < earliest ?? .max { earliest = entry.retry }
    }
    return earliest
  }

  /// Publishes again what has waited long enough for an answer.
  mutating func retry(at moment: Moment) -> [Action] {
    guard isOpen else { return [] }
    var due: [DeliveryKey] = []
    for (device, lane) in lanes {
      for (firing, entry) in lane.outstanding
      where entry.retry <= moment.elapsed && !lane.underway.contains(firing) {
        due.append(DeliveryKey(firing: firing, device: device))
        lanes[device]?.outstanding[firing]?.retry = moment.elapsed + Lane.rest(entry.attempts)
      }
    }
    return due.sorted { ($0.device, $0.firing) < ($1.device, $1.firing) }.map { .reload($0) }
  }
}
