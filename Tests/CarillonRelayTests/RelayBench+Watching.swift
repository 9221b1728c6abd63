import CarillonModel
import CarillonStore

@testable import CarillonRelay

/// As much of a broker as watched topics need.
struct BenchBroker {
  /// Retained values by topic.
  var stored: [String: String] = [:]
  var subscribed: Set<String> = []
  /// Whether the relay is there.
  var isConnected = true
  /// Whether the relay has taken all that was kept for it.
  var isCaughtUp = true
  /// What was published on subscribed topics while the relay was away.
  var kept: [Arrival] = []
  /// What is on its way to the relay.
  var sending: [Arrival] = []
  /// Whether what is on its way stays there.
  var isSlow = false
}

extension RelayBench {
  func message(on topic: String, _ payload: String, isRetained: Bool = false) -> Arrival {
    Arrival(topic: topic, payload: Array(payload.utf8), qos: 0, isRetained: isRetained, packetID: 0)
  }

  /// Somebody publishes on a topic outside the prefix.
  func publish(_ topic: String, _ payload: String, retain: Bool = false) throws {
    if retain { broker.stored[topic] = payload.isEmpty ? nil : payload }
    guard broker.subscribed.contains(topic) else { return }
    let message = message(on: topic, payload)
    guard broker.isConnected else { return broker.kept.append(message) }
    try take([message])
  }

  func watch(_ subscribe: [String], _ unsubscribe: [String]) {
    broker.subscribed.subtract(unsubscribe)
    guard !subscribe.isEmpty else { return }
    send(stored: subscribe)
  }

  /// What a SUBSCRIBE brings, and the echo behind it.
  private func send(stored topics: [String]) {
    broker.subscribed.formUnion(topics)
    for topic in topics {
      if let value = broker.stored[topic] {
        broker.sending.append(message(on: topic, value, isRetained: true))
      }
    }
    var echo = message(on: relay.configuration.topics.relayStatus, "online")
    echo.settlesWatches = (try? queue.newestWatch()) ?? 0
    broker.sending.append(echo)
  }

  func takeFromBroker() throws {
    guard !broker.isSlow, !broker.sending.isEmpty else { return }
    let sent = broker.sending
    broker.sending = []
    try take(sent)
  }

  // MARK: Away and back

  func disconnect() {
    loseConnection()
    broker.isConnected = false
    broker.isCaughtUp = false
  }

  /// The relay dies: nothing is left of it but its store.
  func killRelay() {
    disconnect()
    mayFire = false
  }

  /// The relay stops in order.
  func stopRelay() {
    try? queue.transaction { () throws(StoreError) in try relay.saveSilences() }
    killRelay()
  }

  /// The relay is away for so long, and begins anew on its store, without a connection yet.
  func startRelay(after milliseconds: Int64 = 0, watchable: [String]? = nil) throws {
    var configuration = relay.configuration
    if let watchable { configuration.watchable = try watchable.map { try TopicFilter($0) } }
    saveMarks()
    try begin(configuration) { pass(milliseconds) }
  }

  /// Compares what is watched with what may be.
  func checkWatches() throws {
    var draft = relay
    let moment = now()
    let actions = try queue.transaction { () throws(StoreError) in try draft.checkWatches(at: moment) }
    relay = draft
    perform(actions, at: moment)
  }

  /// Connects: what was kept comes first, then what is stored, then the relay's own echo.
  ///
  /// - Parameter statuses: the retained statuses of devices.
  func connect(statuses: [String: String] = [:]) throws {
    try reconnect()
    broker.isConnected = true
    var backlog = broker.kept
    broker.kept = []
    for (device, status) in statuses {
      backlog.append(message(on: "carillon/device/\(device)/status", status, isRetained: true))
    }
    broker.subscribed = []
    try relay.watchesConnect()
    send(stored: try queue.watchedTopics())
    backlog += broker.sending
    broker.sending = []
    try take(
      backlog.map { arrival in
        var arrival = arrival
        arrival.isBacklog = true
        return arrival
      })
    broker.isCaughtUp = true
    mayFire = true
    finish()
  }

  /// What runs once a second.
  func keepHouse() throws {
    var draft = relay
    let moment = now()
    let actions = try queue.transaction { () throws(StoreError) in
      try draft.finishWatches(at: moment, limit: 100)
    }
    relay = draft
    perform(actions, at: moment)
  }

  /// What `pending` says of an id.
  func listed(_ id: String) throws -> JSON? {
    try send(#"{"command":"pending","ids":["\#(id)"]}"#)?["items"]?.elements?.first
  }
}
