import CarillonLinks
import CarillonModel
import CarillonSchedule
import CarillonStore
import CarillonTime

/// The relay's decisions. Everything that comes in goes through a `mutating` method that works inside the store's open
/// transaction and returns what is to be done after the commit. It reads no clock and touches no socket.
///
/// A copy of it is all that has to be kept to undo decisions whose transaction failed.
struct Relay {
  var configuration: RelayConfiguration
  let queue: Queue
  let zones: ZoneDatabase
  /// The zone of requests that name none.
  var defaultZone: Zone
  var devices: DeviceRegistry
  var repeats: RepeatWindow
  var watches = Watches()
  /// How fast publishers may send commands, where that is limited.
  var rates: CommandRates?
  /// How far the finding anew of due times has come; `nil` where all are as they should be.
  var recalculation: Recalculation?
  /// When tzdata or the clock changed last: due times that were found before may be others now.
  var change: WallTime?
  /// Whether what was decided on last may have changed when something is due next. Only what goes out at once has not.
  var changesSchedule = true
  /// The largest message that the broker takes, as far as it has said.
  var packetLimit = Limits.packet
  /// Bytes of a reply's payload at most: a page, or what the broker takes besides a topic and correlation data of a usual
  /// size.
  var replyRoom: Int { min(Limits.page, packetLimit - 1024) }

  init(configuration: RelayConfiguration, queue: Queue, zones: ZoneDatabase, defaultZone: Zone)
    throws(StoreError)
  {
    self.configuration = configuration
    self.queue = queue
    self.zones = zones
    self.defaultZone = defaultZone
    devices = DeviceRegistry(try queue.devices())
    repeats = RepeatWindow(number: try queue.takenNumber())
    rates = configuration.ratePerMinute.map { CommandRates(perMinute: $0) }
    try queue.countPublishers(configuration.publisherLimit != nil)
    change = try queue.fact(Relay.changeFact).flatMap { Int64($0) }.map { WallTime(milliseconds: $0) }
  }

  /// Decides on a batch of messages, in order.
  mutating func handle(_ batch: [Arrival], at moment: Moment) throws(StoreError) -> [Action] {
    var actions: [Action] = []
    changesSchedule = false
    // Messages in a row mostly come on one topic.
    var (topic, meaning) = ("", Topics.Meaning.other)
    for arrival in batch {
      if !arrival.topic.isIdentical(to: topic) {
        (topic, meaning) = (arrival.topic, configuration.topics.meaning(of: arrival.topic))
      }
      if case .command = meaning {} else { changesSchedule = true }
      switch meaning {
      case .command(let publisher):
        actions += try command(arrival, from: publisher, at: moment)
      case .foreignCommand:
        let levels =
          "publish to \(configuration.topics.command) or one level below it, named like the publisher"
        actions += refuse(arrival, Refusal(.forbidden, "no publisher's topic: \(levels)"), nil)
      case .device(let name, .status): actions += try status(arrival, of: name, at: moment)
      case .device(let name, .profile): actions += try profile(arrival, of: name, at: moment)
      case .device(let name, .response): actions += try response(arrival, of: name, at: moment)
      case .relayStatus:
        if let sequence = arrival.settlesWatches { try settleWatches(through: sequence) }
      case .other where !configuration.topics.isOwn(arrival.topic):
        actions += try watched(arrival, at: moment)
      default: break
      }
    }
    // Before any reply: what somebody publishes on a topic after the reply is not to be missed.
    return try closeWatching() + actions
  }

  /// Whether a message is a device's: its status, profile or a response.
  func isOfDevice(_ arrival: Arrival) -> Bool {
    if case .device = configuration.topics.meaning(of: arrival.topic) { true } else { false }
  }

  /// Whether a message is a device's word on a delivery.
  func isResponse(_ arrival: Arrival) -> Bool {
    if case .device(_, .response) = configuration.topics.meaning(of: arrival.topic) { true } else { false }
  }

  /// The zone that a stored request's wall times are in.
  func zone(_ name: String) -> Zone {
    if name == defaultZone.name { return defaultZone }
    return (try? zones.zone(named: name)) ?? Zone.utc
  }

  /// The row of a device, whether or not it has been seen.
  mutating func row(_ name: Name) throws(StoreError) -> Int64 {
    if let known = devices.row(name) { return known }
    let row = try queue.deviceRow(name)
    devices.set(row, DeviceRegistry.Device(name: name, isAnnounced: false, isOnline: nil))
    return row
  }

  /// The devices that a request reaches now, each once: in the order of its names, then everyone by name.
  mutating func resolve(_ to: Recipients) throws(StoreError) -> [Int64] {
    var found: [Int64] = []
    for name in to.names {
      for device in configuration.groups[name] ?? [name] {
        let row = try row(device)
        if !found.contains(row) { found.append(row) }
      }
    }
    if to.everyone {
      if let listed = configuration.devices {
        for name in listed {
          let row = try row(name)
          if !found.contains(row) { found.append(row) }
        }
      } else {
        let known = Set(found)
        found += devices.announced.filter { !known.contains($0) }
      }
    }
    return found
  }
}

/// A message as the relay takes it from the session.
struct Arrival: Sendable {
  var topic: String
  var payload: [UInt8]
  var qos: Int32
  var isRetained: Bool
  var packetID: UInt16
  var responseTopic: String?
  var correlation: [UInt8]?
  /// When the message ends to mean anything, on the elapsed axis.
  var expires: Int64?
  /// Whether the broker kept it while the relay was away.
  var isBacklog = false
  /// Where it is the relay's own status that came back: up to which request the broker has been through the subscriptions
  /// of watched topics.
  var settlesWatches: Int64?
}
