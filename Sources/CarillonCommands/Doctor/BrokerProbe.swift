import CarillonLoop
import CarillonMQTT
import CarillonModel

/// One connection that asks the relay a harmless question and keeps what it hears for a while.
final class BrokerProbe {
  let target: BrokerTarget
  private let client: RelayClient
  /// What the relay answered; more than one where two relays did.
  private(set) var replies: [JSON] = []
  /// The relay's status: what is kept, or was said last.
  private(set) var status: String?
  /// Whether the relay's status went away and came back while this listened.
  private(set) var statusChanges = 0
  private(set) var state: JSON?
  /// The `instance` of every state and profile heard, by topic.
  private(set) var instances: [String: Set<String>] = [:]
  private(set) var rejections: [JSON] = []
  /// What the broker's own words add; they are not believed by themselves.
  private(set) var hints: [String] = []

  /// So long more is listened for after the answer: a second relay's, and one state a second.
  private static let afterwards: Duration = .milliseconds(1500)

  init(_ target: BrokerTarget, wait: Duration) throws {
    self.target = target
    client = try RelayClient(target, wait: wait)
  }

  /// Under which replies to this publisher come.
  var replyRoot: String {
    target.topics.reply + (target.publisher.map { "/\($0)" } ?? "")
  }

  /// - Returns: 5, or 4 for MQTT 3.1.1.
  /// - Throws: `Failure` where the broker does not take the connection.
  func connect() throws -> Int {
    try client.connect()
    return client.speaksMQTT5 ? 5 : 4
  }

  /// Asks, and listens until what came is enough or the time is over.
  func ask() {
    guard let session = client.session else { return }
    let topics = target.topics
    for filter in [client.replyTopic, topics.relayStatus, topics.relayState, topics.rejected] {
      session.subscribe([Subscription(filter)])
    }
    session.subscribe([Subscription(topics.everyDevice(.profile))])
    listen(for: .milliseconds(300)) { false }
    var command: JSONObject = ["command": "devices", "limit": 100]
    if !client.speaksMQTT5 { command.append("replyTo", .string(client.replyTopic)) }
    let packet = try? session.publish(
      Publication(
        topic: target.commandTopic, payload: JSON.object(command).encoded, expiry: 10,
        responseTopic: client.speaksMQTT5 ? client.replyTopic : nil))
    session.flush()
    self.packet = packet
    listen(for: client.wait) { [unowned self] in !replies.isEmpty }
    listen(for: BrokerProbe.afterwards) { false }
  }

  func close() { client.close() }

  private var packet: UInt16?

  private func listen(for duration: Duration, until isEnough: () -> Bool) {
    let end = SystemClock.elapsedMilliseconds.addingSaturated(duration.milliseconds)
    while !isEnough(), let event = (try? client.next(until: end)) ?? nil { take(event) }
  }

  private func take(_ event: SessionEvent) {
    switch event {
    case .message(let message): take(message)
    case .acknowledged(packet, let reason) where reason >= 0x80:
      hints.append("the broker refused the command itself (reason 0x\(String(reason, radix: 16)))")
    case .acknowledged(packet, 0x10): hints.append("the broker says that nobody listens there")
    case .disconnected(let failure): hints.append("the connection ended: \(failure)")
    default: break
    }
  }

  private func take(_ message: IncomingMessage) {
    let text = String(decoding: message.payload, as: UTF8.self)
    if message.topic == target.topics.relayStatus {
      if status != nil, status != text { statusChanges += 1 }
      status = text
      return
    }
    guard let json = try? JSON(parsing: message.payload) else { return }
    switch message.topic {
    case client.replyTopic: replies.append(json)
    case target.topics.rejected: rejections.append(json)
    default:
      if message.topic == target.topics.relayState { state = json }
      if let instance = json["instance"]?.text { instances[message.topic, default: []].insert(instance) }
    }
  }
}
