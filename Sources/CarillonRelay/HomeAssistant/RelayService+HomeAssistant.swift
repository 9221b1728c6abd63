import CarillonLoop
import CarillonMQTT
import CarillonModel
import CarillonStore

/// What the service remembers for Home Assistant.
struct HomeAssistantState {
  /// Devices that have been announced in this connection, with the version that was told of them.
  var announced: [Int64: String] = [:]
  /// Devices that are to be announced, in order.
  var waiting: [Int64] = []
  /// Whether everything is to be announced anew.
  var isDue = false
  var lastFired: WallTime?
  var lastError: LastError?
  /// `relay/summary` as it was published last; empty for not in this connection.
  var summary: [UInt8] = []

  /// So many devices are announced at once; the next follow a second later.
  static let atOnce = 25
}

// Discovery, and the states of entities that the protocol's own topics do not tell. Nothing here is done for each
// notification: it goes along with what is published at most once a second anyway.
extension RelayService {
  var isDiscoverable: Bool { configuration.homeAssistant.discovery }

  var discovery: Discovery {
    Discovery(topics: configuration.topics, settings: configuration.homeAssistant, version: version)
  }

  // MARK: Announcing

  /// At each connect: takes back what is announced in another form, and announces everything.
  func announceAll() {
    home.summary = []
    takeBackOtherForm()
    guard isDiscoverable else { return }
    home.isDue = true
    announceNext()
  }

  /// Home Assistant has started. What is retained it finds; the rest is for brokers that keep nothing.
  func homeAssistantSaid(_ message: IncomingMessage) {
    if String(decoding: message.payload, as: UTF8.self) == "online", !message.isRetained { home.isDue = true }
  }

  /// A device may have come, or has another version.
  func touchAnnouncement(_ device: Int64) {
    guard isDiscoverable, connection.isReady, let known = relay.devices[device], known.isAnnounced,
      home.announced[device] != known.version ?? "", !home.waiting.contains(device)
    else { return }
    home.waiting.append(device)
  }

  /// Once a second: a few of what is to be announced.
  func announceNext() {
    guard isDiscoverable, connection.isReady else { return }
    if home.isDue {
      home.isDue = false
      home.summary = []
      home.announced = [:]
      home.waiting = relay.devices.announced
      retained.isStateDirty = true
      publish(discovery.relay())
    }
    for device in home.waiting.prefix(HomeAssistantState.atOnce) {
      guard let known = relay.devices[device], known.isAnnounced else { continue }
      home.announced[device] = known.version ?? ""
      publish(discovery.device(known.name, version: known.version ?? ""))
    }
    home.waiting.removeFirst(min(home.waiting.count, HomeAssistantState.atOnce))
  }

  private func publish(_ announcements: [Discovery.Announcement]) {
    for announcement in announcements {
      publish(Publication(topic: announcement.topic, payload: announcement.payload, retain: true))
    }
  }

  /// A device is forgotten: Home Assistant drops it with its entities.
  func unannounce(_ device: Int64, _ name: Name) {
    home.announced[device] = nil
    home.waiting.removeAll { $0 == device }
    guard isDiscoverable else { return }
    publish(discovery.removal(name))
    publish(Publication(topic: configuration.topics.device(name, .last), payload: [], retain: true))
  }

  // MARK: Another form

  private static let formFact = "homeAssistant"

  /// What is retained under another prefix or in another form would stay for ever.
  private func takeBackOtherForm() {
    let settings = configuration.homeAssistant
    let form = settings.discovery ? "\(settings.single ? "single" : "device") \(settings.prefix)" : ""
    do throws(StoreError) {
      let before = try queue.fact(RelayService.formFact) ?? ""
      guard before != form else { return }
      let parts = before.split(separator: " ", maxSplits: 1)
      if parts.count == 2 {
        var old = HomeAssistantSettings()
        old.single = parts[0] == "single"
        old.prefix = String(parts[1])
        let discovery = Discovery(topics: configuration.topics, settings: old, version: version)
        publish(discovery.relayRemoval())
        for device in relay.devices.announced {
          if let name = relay.devices[device]?.name { publish(discovery.removal(name)) }
        }
      }
      try transaction { () throws(StoreError) in try queue.setFact(RelayService.formFact, form) }
    } catch {
      storeFailed(error, "what Home Assistant was told before stays")
    }
  }

  // MARK: States

  /// Publishes what a device's last notification is, along with its `latest`.
  func publishLast(_ delivery: OutgoingDelivery?, _ name: Name) {
    guard isDiscoverable else { return }
    let last = Discovery.last(delivery, id: delivery.map { writer.id($0.firing).description })
    publish(
      Publication(topic: configuration.topics.device(name, .last), payload: last.encoded, retain: true))
  }

  /// Publishes `relay/summary`, along with the state, if it says anything new.
  func publishSummary(pending: Int64, next: WallTime?, oldest: WallTime?) {
    guard isDiscoverable, connection.isReady else { return }
    let summary = RelaySummary(
      pending: pending, next: next, lastFired: home.lastFired, oldestUnreceived: oldest,
      error: home.lastError,
      store: retained.storeState ?? "ok", version: version
    ).json.encoded
    guard summary != home.summary else { return }
    home.summary = summary
    publish(Publication(topic: configuration.topics.relaySummary, payload: summary, retain: true))
  }

  func noteError(_ error: LastError) {
    guard isDiscoverable else { return }
    home.lastError = error
    retained.isStateDirty = true
  }

  /// Tells an event of a device to whoever waits for it now.
  func publishEvent(_ response: Response, _ name: Name, id: String?, at moment: Moment) {
    guard isDiscoverable else { return }
    let topic = configuration.topics.device(name, .event)
    publish(Publication(topic: topic, payload: Discovery.event(response, id: id, at: moment.wall).encoded))
    guard response.event == .failed else { return }
    noteError(
      LastError(
        code: response.event.rawValue, message: response.detail ?? "", topic: topic, from: name.text,
        at: moment.wall))
  }

  /// Finds, at the start, when something went out last.
  func restoreLastFired() throws(StoreError) {
    guard isDiscoverable, let newest = try queue.newestDeliveries(limit: 1).first else { return }
    home.lastFired = try queue.outgoing(newest.firing, to: newest.device)?.firing.fired
  }
}
