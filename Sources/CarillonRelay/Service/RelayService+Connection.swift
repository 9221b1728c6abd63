import CarillonLoop
import CarillonMQTT
import CarillonModel
import CarillonStore

/// Where the session with the broker stands.
struct ConnectionState {
  /// The SUBSCRIBE whose acknowledgement makes the relay ready.
  var subscribePacket: UInt16?
  var filters: [String] = []
  var isReady = false
  /// For each publication of the relay's own status that has not come back yet, oldest first: up to which request the
  /// topics that requests watch had been subscribed to before it.
  var echoes: [Int64] = []
  /// Whether this connection has brought all that the broker had kept, and what is stored on watched topics.
  var isCaughtUp = false
  /// Whether what fell due may fire: the commands and answers that the broker kept have been read.
  var mayFire = false
  /// How many notifications the broker takes without an acknowledgement.
  var window = 20
  /// The fault that was logged last, so that one fault makes one line.
  var lastFailure: SessionFailure?
  /// Whether another program uses this relay's client id.
  var takeover = TakeoverWatch()
}

extension RelayService {
  func connectionChanged(_ event: SessionEvent, at moment: Moment) {
    switch event {
    case .connected(let sessionPresent, let version, let receiveMaximum, let maximumPacket):
      connected(sessionPresent, version, receiveMaximum, maximumPacket)
      takeParked(sessionPresent: sessionPresent, at: moment)
    case .subscribed(let packet, let reasons): subscribed(packet, reasons, at: moment)
    case .disconnected(let failure):
      connection.isReady = false
      connection.isCaughtUp = false
      outbox.close()
      parkHeld()
      connection.lastFailure = failure
      loop.notifyStatus("waiting for \(configuration.broker): \(failure)")
      tellEnd(failure)
    case .failed(let failure, _):
      connection.takeover.attemptFailed()
      if connection.lastFailure != failure {
        let remedy = failure.concernsLogin ? "; set username and passwordFile" : ""
        log.warning("\(failure)\(remedy); retrying")
        connection.lastFailure = failure
      }
      loop.notifyStatus("waiting for \(configuration.broker): \(failure)")
    case .message, .acknowledged, .unsubscribed: break
    }
  }

  private func connected(
    _ sessionPresent: Bool, _ version: Int, _ receiveMaximum: UInt16, _ maximumPacket: UInt32?
  ) {
    let topics = configuration.topics
    relay.packetLimit = min(Limits.packet, Int(maximumPacket ?? UInt32(Limits.packet)))
    connection.window = min(Int(receiveMaximum), RelayService.window)
    openRepeats(sessionPresent)
    connection.echoes = []
    connection.isCaughtUp = false
    var subscriptions = [
      Subscription(topics.relayStatus, retainHandling: .never),
      Subscription(topics.everyDevice(.status), retainHandling: .always),
      Subscription(topics.everyDevice(.profile), retainHandling: .always),
      Subscription(topics.everyDevice(.response), retainHandling: .ifNew),
      Subscription(topics.allCommands, retainHandling: .ifNew),
    ]
    if let birthTopic { subscriptions.append(Subscription(birthTopic, retainHandling: .never)) }
    connection.filters = subscriptions.map(\.filter)
    connection.subscribePacket = subscribe(besides: subscriptions)
    connection.takeover.connected(at: SystemClock.elapsedMilliseconds)
    if connection.takeover.isWorthTelling {
      log.info("connected to \(configuration.broker) (MQTT \(version == 5 ? "5" : "3.1.1"))")
    }
    connection.lastFailure = nil
  }

  /// How many notifications are on the way to the broker at most, where it takes more at a time. The library would queue
  /// what is beyond, and read as many packets in one go, messages among them, as it has in its queue.
  static let window = 200

  /// A broker that kept the session sends again what it has no acknowledgement for; one that did not, sends nothing again.
  private func openRepeats(_ sessionPresent: Bool) {
    relay.repeats.close()
    do throws(StoreError) {
      if sessionPresent {
        relay.repeats.open(try queue.takenMessages(), width: Int(RelayService.receiveMaximum))
      } else {
        try transaction { () throws(StoreError) in try queue.forgetTaken() }
      }
    } catch {
      storeFailed(error, "repeated commands are not recognised")
    }
  }

  private func subscribed(_ packet: UInt16, _ reasons: [UInt8], at moment: Moment) {
    guard packet == connection.subscribePacket else { return watchedSubscribed(packet, reasons) }
    for (filter, reason) in zip(connection.filters, reasons) where reason >= 0x80 {
      guard filter != birthTopic else {
        log.info(
          "the broker refuses the subscription to \(filter), where Home Assistant says that it has started")
        continue
      }
      log.error("the broker refuses the subscription to \(filter); allow it in the broker's access list")
    }
    watchedSubscribed(packet, Array(reasons.dropFirst(connection.filters.count)))
    connection.isReady = true
    // Before the first time, the wait began with the start.
    if connection.mayFire { timers.settle.arm(after: RelayService.settling) }
    publishStatus()
    publishRetained(at: moment)
    perform(outbox.open(window: connection.window), at: moment)
    loop.notifyStatus("connected to \(configuration.broker)")
  }

  /// The relay's own status comes back to it after everything that the broker had kept for it.
  ///
  /// - Returns: what of it has to be stored, along with the messages before and after it.
  func ownStatus(_ message: IncomingMessage) -> Arrival? {
    guard connection.isReady, !isStopping else { return nil }
    guard String(decoding: message.payload, as: UTF8.self) == "online" else {
      publishStatus()
      return nil
    }
    settle(nil)
    guard let sequence = connection.echoes.first else { return nil }
    connection.echoes.removeFirst()
    guard (try? queue.hasUnknownWatches(through: sequence)) ?? true else { return nil }
    var arrival = Arrival(
      topic: message.topic, payload: [], qos: message.qos, isRetained: false, packetID: message.packetID)
    arrival.settlesWatches = sequence
    return arrival
  }

  /// From now on, what fell due while the relay was away fires.
  func settle(_ reason: String?) {
    guard !connection.mayFire || connection.isReady && !connection.isCaughtUp else { return }
    if let reason { log.debug("no longer waiting for the broker's backlog: \(reason)") }
    connection.mayFire = true
    connection.isCaughtUp = connection.isReady
    timers.settle.disarm()
    if reason != nil { wake() }
  }
}
