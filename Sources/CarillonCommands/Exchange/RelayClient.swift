import CarillonLoop
import CarillonMQTT
import CarillonModel

/// Talks to a relay: one connection, one question at a time.
final class RelayClient {
  /// How long a reply is waited for where `--wait` does not say: 10 s (protocol §8).
  static let defaultWait: Duration = .seconds(10)

  private let target: BrokerTarget
  private let wait: Duration
  private let loop: EventLoop
  private let replyTopic: String
  private let inbox = Inbox()
  private var session: MQTTSession?
  private var isReady = false
  private var speaksMQTT5 = true

  /// What the session has told and nobody has looked at yet. A class of its own, so that the session's closure does
  /// not hold the client.
  private final class Inbox {
    var events: [SessionEvent] = []
  }

  init(_ target: BrokerTarget, wait: Duration) throws {
    self.target = target
    self.wait = wait
    loop = try EventLoop()
    replyTopic = target.replyTopic(randomHexadecimal(bytes: 8))
  }

  /// Sends commands and waits for the reply.
  ///
  /// - Throws: `Failure` (69) where broker or relay give no answer in time.
  func ask(_ batch: CommandBatch) throws -> JSON {
    try connect()
    try listen()
    let correlation = Array(randomHexadecimal(bytes: 16).utf8)
    let publication = Publication(
      topic: target.commandTopic, payload: batch.payload(replyTo: speaksMQTT5 ? nil : replyTopic), expiry: expiry,
      responseTopic: speaksMQTT5 ? replyTopic : nil, correlationData: speaksMQTT5 ? correlation : nil)
    try deliver(publication, batch)
    let deadline = SystemClock.elapsedMilliseconds.addingSaturated(wait.milliseconds)
    while let event = try next(until: deadline) {
      switch event {
      case .message(let message) where message.topic.isIdentical(to: replyTopic):
        guard !speaksMQTT5 || message.correlationData == correlation else { continue }
        return try reply(message.payload)
      case .disconnected(let failure): throw lost(failure, batch)
      default: continue
      }
    }
    throw Failure(
      .unavailable, "the relay gave no answer within \(wait.written) (\(target), prefix \(target.topics.prefix))"
        + RelayClient.repetition(batch))
  }

  /// Leaves commands at the broker, for a relay that may be away.
  ///
  /// - Throws: `Failure` (69) where the broker does not acknowledge them.
  func leave(_ batch: CommandBatch) throws {
    try connect()
    try deliver(Publication(topic: target.commandTopic, payload: batch.payload()), batch)
    close()
  }

  /// Says good-bye to the broker, so that nothing of this client stays there.
  func close() {
    guard let session, session.isConnected else { return }
    var isOver = false
    session.stop(grace: .seconds(1)) { isOver = true }
    let deadline = SystemClock.elapsedMilliseconds + 2000
    while !isOver, SystemClock.elapsedMilliseconds < deadline {
      guard (try? loop.turn(waiting: .milliseconds(200))) != nil else { break }
    }
    self.session = nil
  }

  /// Whole seconds, rounded up: a command must not expire before its publisher has given up.
  private var expiry: UInt32 { UInt32(clamping: (wait.milliseconds.addingSaturated(999)) / 1000) }

  private func reply(_ payload: [UInt8]) throws -> JSON {
    do { return try JSON(parsing: payload) } catch {
      throw Failure(.failure, "what came as the relay's reply is \(error.message)")
    }
  }

  private func publish(_ publication: Publication) throws -> UInt16 {
    guard let session else { throw Failure(.unavailable, "there is no connection to \(target)") }
    do {
      let packet = try session.publish(publication)
      session.flush()
      return packet
    } catch {
      switch error {
      case .tooLarge(let size, let limit):
        throw Failure(.data, "too-large: \(target) takes messages of at most \(limit) bytes; this one has \(size)")
      default: throw Failure(.unavailable, "the command cannot be sent to \(target): \(error)")
      }
    }
  }
}

extension RelayClient {
  /// - Throws: `Failure` (69) in one line that names the broker and, where a login would help, its settings.
  private func connect() throws {
    if session != nil { return }
    let configuration = SessionConfiguration(
      address: target.address, clientID: "\(target.topics.prefix)-cli-\(randomHexadecimal(bytes: 6))",
      username: target.username, passwordFile: target.passwordFile, autoFlush: true, once: true)
    let inbox = inbox
    let session = try MQTTSession(loop: loop, configuration: configuration) { inbox.events += $0 }
    self.session = session
    session.start()
    let deadline = SystemClock.elapsedMilliseconds + configuration.connectTimeout.milliseconds + 2000
    while let event = try next(until: deadline) {
      switch event {
      case .connected(_, let version, _, _):
        speaksMQTT5 = version >= 5
        return
      case .failed(let failure, nil), .disconnected(let failure): throw target.failure(failure)
      default: continue
      }
    }
    throw Failure(.unavailable, "\(target) gives no answer")
  }

  private func listen() throws {
    guard !isReady, let session else { return }
    session.subscribe([Subscription(replyTopic, retainHandling: .never)])
    session.flush()
    let deadline = SystemClock.elapsedMilliseconds.addingSaturated(wait.milliseconds)
    while let event = try next(until: deadline) {
      switch event {
      case .subscribed(_, let reasons):
        guard reasons.allSatisfy({ $0 < 0x80 }) else {
          throw Failure(
            .unavailable, "\(target) does not let this user read \(replyTopic); "
              + "allow it in the broker's ACL, give --publisher, or send with --queue")
        }
        isReady = true
        return
      case .disconnected(let failure): throw target.failure(failure)
      default: continue
      }
    }
    throw Failure(.unavailable, "\(target) gives no answer within \(wait.written)")
  }

  /// The next event of the session; nil at the deadline (elapsed clock).
  private func next(until deadline: Int64) throws -> SessionEvent? {
    while inbox.events.isEmpty {
      let left = deadline - SystemClock.elapsedMilliseconds
      guard left > 0 else { return nil }
      try loop.turn(waiting: .milliseconds(left))
    }
    return inbox.events.removeFirst()
  }

  /// Publishes a command until the broker has taken it for somebody. A relay that is only starting has not subscribed
  /// yet, and the broker keeps nothing for it, so a command that reached nobody is sent again for a while.
  private func deliver(_ publication: Publication, _ batch: CommandBatch) throws {
    let start = SystemClock.elapsedMilliseconds
    let patience = start + RelayClient.startingRelay.milliseconds
    while true {
      let packet = try publish(publication)
      guard let reason = try acknowledgement(of: packet, until: start.addingSaturated(wait.milliseconds), batch)
      else {
        throw Failure(
          .unavailable, "\(target) did not acknowledge the command within \(wait.written)"
            + RelayClient.repetition(batch))
      }
      try judge(reason)
      if reason != RelayClient.nobody { return }
      guard SystemClock.elapsedMilliseconds < patience else { throw nobodyThere }
      try pause(RelayClient.retry)
    }
  }

  private func acknowledgement(of packet: UInt16, until deadline: Int64, _ batch: CommandBatch) throws -> UInt8? {
    for (index, event) in inbox.events.enumerated() {
      if case .acknowledged(packet, let reason) = event {
        inbox.events.remove(at: index)
        return reason
      }
      if case .disconnected(let failure) = event { throw lost(failure, batch) }
    }
    let left = deadline - SystemClock.elapsedMilliseconds
    guard left > 0 else { return nil }
    try loop.turn(waiting: .milliseconds(left))
    return try acknowledgement(of: packet, until: deadline, batch)
  }

  private func pause(_ duration: Duration) throws {
    let end = SystemClock.elapsedMilliseconds + duration.milliseconds
    while SystemClock.elapsedMilliseconds < end {
      try loop.turn(waiting: .milliseconds(max(1, end - SystemClock.elapsedMilliseconds)))
    }
  }

  /// PUBACK's reason for a message that no subscription matched (MQTT 5, 3.4.2.1).
  private static let nobody: UInt8 = 0x10
  /// How long a relay may take from its start to its subscription.
  private static let startingRelay: Duration = .seconds(3)
  private static let retry: Duration = .milliseconds(300)

  private var nobodyThere: Failure {
    Failure(
      .unavailable, "no relay has ever listened on \(target.commandTopic) at \(target), so nobody got the command; "
        + "start carillon relay, or check --broker and --prefix")
  }

  /// From 0x80 on the broker did not take a command.
  private func judge(_ reason: UInt8) throws {
    guard reason >= 0x80 else { return }
    let remedy = target.publisher == nil ? "give --publisher, or another login" : "is this the name it knows you by?"
    throw Failure(
      .unavailable,
      "\(target) does not take commands on \(target.commandTopic) (reason 0x\(String(reason, radix: 16))); \(remedy)")
  }

  private func lost(_ failure: SessionFailure, _ batch: CommandBatch) -> Failure {
    var told = target.failure(failure)
    told.message += RelayClient.repetition(batch)
    return told
  }

  private static func repetition(_ batch: CommandBatch) -> String {
    guard let key = batch.key else { return "" }
    return ". If the relay took it, it stands; repeating it with --key \(visible(key)) is safe"
  }
}

extension BrokerTarget {
  /// A failed connection, with the settings that may help.
  func failure(_ failure: SessionFailure) -> Failure {
    let told = "\(failure)".contains("\(address)") ? "\(failure)" : "\(address): \(failure)"
    if failure.concernsLogin {
      let asWhom = username.map { "as \"\(visible($0))\"" } ?? "without a user name"
      return Failure(
        .unavailable,
        "\(told) (\(asWhom)); set username and passwordFile (--username, --password-file, CARILLON_USERNAME, CARILLON_PASSWORD_FILE)")
    }
    switch failure {
    case .passwordFileUnreadable: return Failure(.configuration, "passwordFile: \(failure)")
    case .nameNotResolved, .unreachable, .noAnswer:
      return Failure(.unavailable, "\(told); is it running? --broker or CARILLON_BROKER names another")
    default: return Failure(.unavailable, told)
    }
  }
}

extension BrokerTarget: CustomStringConvertible {}
