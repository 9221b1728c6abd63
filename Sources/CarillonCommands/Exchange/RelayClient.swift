import CarillonLoop
import CarillonMQTT
import CarillonModel

/// Talks to a relay: one connection, one question at a time.
final class RelayClient {
  /// How long a reply is waited for where `--wait` does not say: 10 s (protocol §8).
  static let defaultWait: Duration = .seconds(10)

  let target: BrokerTarget
  let wait: Duration
  let loop: EventLoop
  let replyTopic: String
  let inbox = Inbox()
  var session: MQTTSession?
  var isReady = false
  var speaksMQTT5 = true

  /// What the session has told and nobody has looked at yet. A class of its own, so that the session's
  /// closure does not hold the client.
  final class Inbox {
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
      topic: target.commandTopic, payload: batch.payload(replyTo: speaksMQTT5 ? nil : replyTopic),
      expiry: expiry,
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
      .unavailable,
      "the relay gave no answer within \(wait.written) (\(target), prefix \(target.topics.prefix))"
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

  func publish(_ publication: Publication) throws -> UInt16 {
    guard let session else { throw Failure(.unavailable, "there is no connection to \(target)") }
    do {
      let packet = try session.publish(publication)
      session.flush()
      return packet
    } catch {
      switch error {
      case .tooLarge(let size, let limit):
        throw Failure(
          .data, "too-large: \(target) takes messages of at most \(limit) bytes; this one has \(size)")
      default: throw Failure(.unavailable, "the command cannot be sent to \(target): \(error)")
      }
    }
  }
}
