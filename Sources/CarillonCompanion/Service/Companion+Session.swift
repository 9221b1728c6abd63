import CarillonLoop
import CarillonMQTT
import CarillonModel
import CarillonStore

// The connection: who this is, what is subscribed, what comes in.
extension Companion {
  /// How soon a subscription that the broker refused is tried again.
  private static let subscribePause: Duration = .seconds(60)

  func makeSession() throws(LoopError) -> MQTTSession {
    // Nothing is kept at the broker: what has not been received comes from the relay.
    let session = SessionConfiguration(
      address: configuration.broker, clientID: "\(configuration.topics.prefix)-device-\(device)",
      username: configuration.username, passwordFile: configuration.passwordFile,
      tls: configuration.tls,
      keepAlive: configuration.keepAlive,
      will: Will(topic: topic(.status), payload: DeviceStatus.offline.encoded), autoFlush: true)
    return try MQTTSession(loop: loop, configuration: session) { [unowned self] in turn($0) }
  }

  private func turn(_ events: [SessionEvent]) {
    for event in events { handle(event) }
    process()
    // PUBACKs have made room.
    sendResponses()
  }

  private func handle(_ event: SessionEvent) {
    switch event {
    case .connected: connected()
    case .subscribed(let packetID, let reasons): subscribed(packetID, reasons)
    case .unsubscribed: break
    case .message(let message): received(message)
    case .acknowledged(let packetID, let reason): acknowledged(packetID, reason: reason)
    case .disconnected(let failure): disconnected(failure)
    case .failed(let failure, let pause): attemptFailed(failure, pause)
    }
  }

  private func connected() {
    takeover.connected(at: SystemClock.elapsedMilliseconds)
    settledTimer?.arm(after: TakeoverWatch.settled)
    subscription = session?.subscribe([
      Subscription(topic(.notification), retainHandling: .never),
      Subscription(topic(.status), retainAsPublished: false),
      Subscription(topic(.profile), retainAsPublished: false),
      Subscription(topic(.focus), retainAsPublished: false),
    ])
  }

  private func subscribed(_ packetID: UInt16, _ reasons: [UInt8]) {
    guard packetID == subscription else { return }
    subscription = nil
    guard !reasons.contains(where: { $0 >= 0x80 }) else {
      log.limited(
        "subscribe", level: .error,
        "the broker refused the subscription to \(topic(.notification)); it must let this user read it")
      session?.resetConnection("the subscription was refused", retryIn: Companion.subscribePause)
      return
    }
    announce()
    window.open()
    sendResponses()
    lastFailure = ""
    if takeover.isWorthTelling { log.info("connected to \(configuration.broker) as \(device)") }
    loop.notifyStatus("connected to \(configuration.broker) as \(device)")
  }

  /// Who this is, then that it is there: whoever sees `online` finds the profile already.
  private func announce() {
    introduceToAll()
    publish(DeviceStatus.online.encoded, to: .status)
  }

  private func introduceToAll() {
    let profile = Profile(
      name: device.text, authorization: state.authorization.standard.rawValue, focus: state.focus,
      presentation: state.usualPresentation.names, presence: state.presence,
      schemes: opener.policy.schemes?.sorted() ?? [], version: appearance.version, instance: instance)
    publish(profile.encoded, to: .profile)
  }

  /// Something that the profile tells has changed.
  func introduceAgain() {
    guard window.isOpen, !isStopping else { return }
    introduceToAll()
  }

  private func publish(_ payload: [UInt8], to leaf: Topics.Device) {
    // Without a connection it is announced at the next one.
    _ = try? session?.publish(Publication(topic: topic(leaf), payload: payload, retain: true))
  }

  private func disconnected(_ failure: SessionFailure) {
    window.close()
    subscription = nil
    settledTimer?.disarm()
    loop.notifyStatus("not connected: \(failure)")
    let isTold = takeover.isWorthTelling && !takeover.isTaken
    let verdict = takeover.disconnected(failure, at: SystemClock.elapsedMilliseconds)
    guard verdict == .nothing else { return takenOver(verdict) }
    if isTold {
      log.warning("disconnected: \(failure)" + (takeover.isLastTold ? TakeoverWatch.lastTold : ""))
    }
  }

  private func attemptFailed(_ failure: SessionFailure, _ pause: Duration?) {
    takeover.attemptFailed()
    let text = failure.description
    loop.notifyStatus("waiting for the broker: \(text)")
    // One line a change, not one an attempt.
    guard text != lastFailure else { return }
    lastFailure = text
    let remedy = failure.concernsLogin ? "; set username and passwordFile" : ""
    log.warning("\(text)\(remedy); trying again until it works")
  }

  private func received(_ message: IncomingMessage) {
    switch message.topic {
    case topic(.notification): receivedNotification(message)
    case topic(.status):
      // The will of a connection that the broker had not yet seen to end, or somebody's mistake.
      if window.isOpen, DeviceStatus(payload: message.payload) == .offline {
        publish(DeviceStatus.online.encoded, to: .status)
      }
    case topic(.focus): focusIs(message.payload)
    case topic(.profile):
      guard let profile = try? Profile(parsing: message.payload) else { break }
      takenOver(takeover.seen(profile.instance, isStored: message.isRetained))
    default: break
    }
  }

  private func receivedNotification(_ message: IncomingMessage) {
    guard !message.isRetained else {
      log.limited("retained", "a retained notification was ignored")
      return
    }
    do {
      happened(.message(try DeviceMessage(parsing: message.payload)))
    } catch {
      log.limited("notification", "a message on \(message.topic) cannot be read: \(error)")
      guard let json = try? JSON(parsing: message.payload),
        let (delivery, id) = DeviceMessage.identity(in: json)
      else { return }
      happened(.unreadable(delivery: delivery, id: id, reason: error.description))
    }
  }
}

// Another program with this companion's client id.
extension Companion {
  private func takenOver(_ verdict: TakeoverWatch.Verdict) {
    guard verdict != .nothing else { return }
    if verdict == .taken {
      log.error(
        "another program uses the client id of the device \(device); give one of them another --device; "
          + "trying again every \(TakeoverWatch.pause.written)")
    }
    loop.notifyStatus("another program is connected as \(device)")
    session?.resetConnection("another program is connected as \(device)", retryIn: TakeoverWatch.pause)
  }

  func connectionLasted() {
    if takeover.lasted() { log.info("the client id of the device \(device) is this companion's again") }
  }
}

// Do not disturb, which the relay keeps.
extension Companion {
  /// The name under which it is remembered: at a start it counts before the broker is there.
  static let focusName = "focus"

  private func focusIs(_ payload: [UInt8]) {
    // Emptied where the relay has forgotten the device.
    guard let focus = payload.isEmpty ? .off : DeviceFocus(payload: payload) else {
      log.limited("focus", "a message on \(topic(.focus)) is neither on nor off")
      return
    }
    guard state.focus != (focus == .on) else { return }
    state.focus = focus == .on
    log.info("focus is \(focus.rawValue)")
    do throws(StoreError) {
      try store.write { () throws(StoreError) in try store.remember(Companion.focusName, focus.rawValue) }
    } catch { log.limited("focus", "\(error); whether focus is on is not remembered") }
    introduceAgain()
  }
}

// The line for people, which a service manager shows.
extension Companion {
  static let statusPause: Duration = .seconds(1)

  /// Tells how many wait for an answer, and the badge's number.
  func tellStatus() {
    guard window.isOpen, !isStopping else { return }
    var text = "connected to \(configuration.broker) as \(device)"
    if let count = try? store.unansweredCount(), count > 0, let newest = try? store.unanswered(limit: 1000) {
      text += "; \(count) unanswered, badge \(DeliveredList.badge(of: newest))"
    }
    loop.notifyStatus(text)
  }
}
