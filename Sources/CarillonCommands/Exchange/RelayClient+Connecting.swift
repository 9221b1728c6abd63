import CarillonLoop
import CarillonMQTT
import CarillonModel

extension RelayClient {
  /// - Throws: `Failure` (69) in one line that names the broker and, where a login would help, its settings.
  func connect() throws {
    if session != nil { return }
    let configuration = SessionConfiguration(
      address: target.address, clientID: "\(target.topics.prefix)-cli-\(randomHexadecimal(bytes: 6))",
      username: target.username, passwordFile: target.passwordFile, tls: target.tls,
      connectTimeout: min(RelayClient.defaultWait, max(wait, .seconds(1))), autoFlush: true, once: true)
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

  func listen() throws {
    guard !isReady, let session else { return }
    session.subscribe([Subscription(replyTopic, retainHandling: .never)])
    session.flush()
    let deadline = SystemClock.elapsedMilliseconds.addingSaturated(wait.milliseconds)
    while let event = try next(until: deadline) {
      switch event {
      case .subscribed(_, let reasons):
        guard reasons.allSatisfy({ $0 < 0x80 }) else {
          throw Failure(
            .unavailable,
            "\(target) does not let this user read \(replyTopic); "
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
}
