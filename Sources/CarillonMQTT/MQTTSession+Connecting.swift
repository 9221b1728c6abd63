import CPOSIX
import CarillonLoop

/// From a name to a CONNACK, and what follows a failure.
extension MQTTSession {
  /// What the phase waited for has not come in time, or the pause is over.
  func timeIsUp() {
    switch phase {
    case .waiting: beginAttempt()
    case .resolving:
      attemptFailed(
        .nameNotResolved(host: configuration.address.host, reason: "the name server gives no answer"))
    case .connecting where addresses.isEmpty == false: tryNextAddress()
    case .connecting, .greeting:
      attemptFailed(.noAnswer(address: configuration.address, after: configuration.connectTimeout))
    case .stopping(let stopping): finish(stopping)
    case .idle, .connected, .stopped: break
    }
  }

  func beginAttempt() {
    attemptEnd = SystemClock.elapsedMilliseconds + configuration.connectTimeout.milliseconds
    let host = configuration.address.host
    guard !Resolver.isNumeric(host) else {
      addresses = [host]
      return tryNextAddress()
    }
    phase = .resolving
    timer?.arm(atMilliseconds: attemptEnd)
    do {
      resolver = try Resolver(host, on: loop) { [unowned self] in resolved($0) }
    } catch {
      attemptFailed(.nameNotResolved(host: host, reason: "\(error)"))
    }
  }

  private func resolved(_ result: Result<[String], SessionFailure>) {
    resolver = nil
    switch result {
    case .success(let found):
      addresses = found[...]
      tryNextAddress()
    case .failure(let failure):
      attemptFailed(failure)
    }
  }

  /// A fresh handle and the next address, until one of them takes the TCP connection.
  private func tryNextAddress() {
    var failure = SessionFailure.noAnswer(
      address: configuration.address, after: configuration.connectTimeout)
    while let address = addresses.popFirst() {
      drop()
      do {
        return try connect(to: address)
      } catch {
        failure = error
      }
    }
    attemptFailed(failure)
  }

  private func connect(to address: String) throws(SessionFailure) {
    let connection = try Connection(configuration, version: versions.version)
    try connection.connect(to: address, configuration)
    self.connection = connection
    phase = .connecting
    // An address that drops packets must leave time for those after it.
    let now = SystemClock.elapsedMilliseconds
    timer?.arm(atMilliseconds: now + max(attemptEnd - now, 0) / Int64(addresses.count + 1))
    do {
      watch = try loop.watch(connection.socket, reading: false, writing: true) { [unowned self] in ready($0) }
    } catch {
      throw .unreachable(address: configuration.address, error: error.number)
    }
  }

  /// The TCP connection is there, or has failed.
  func finishConnect() {
    guard let connection else { return }
    let error = connection.connectError
    guard error == 0 else {
      if let failure = connection.earlyFailure {
        attemptFailed(failure)
      } else if addresses.isEmpty {
        attemptFailed(.unreachable(address: configuration.address, error: error))
      } else {
        tryNextAddress()
      }
      return
    }
    phase = .greeting
    addresses = []
    timer?.arm(atMilliseconds: attemptEnd)
    if connection.isHandshaking { connection.read() }
    connection.write()
    connection.end == nil ? updateInterest() : greetingEnded(connection)
  }

  /// Takes the TLS handshake further, or reads the CONNACK, and what may follow it at once.
  ///
  /// - Parameter hasFailed: nothing more will come than what is there.
  func greet(_ connection: Connection, hasFailed: Bool) {
    connection.read(isHeld ? 1 : Connection.packetsInTurn)
    guard connection.isAccepted else {
      if hasFailed, connection.isHandshaking { connection.abandonHandshake() }
      if connection.end != nil { greetingEnded(connection) }
      return
    }
    guard versions.accepted() else {
      // Only to find out about the version: leave in order, so that no will is published.
      connection.disconnect()
      drop()
      return beginAttempt()
    }
    phase = .connected
    connectedSince = SystemClock.elapsedMilliseconds
    timer?.disarm()
    armTicker(connection)
    deliver()
  }

  private func greetingEnded(_ connection: Connection) {
    let failure = connection.end ?? .closed
    let next: ProtocolChoice.Next
    if connection.isVersionRefused {
      next = versions.versionRefused()
    } else if failure == .closed || failure == .notMQTT {
      next = versions.closedAtConnect()
    } else {
      versions.failedOtherwise()
      next = .fail
    }
    guard next == .again else { return attemptFailed(failure, version: false) }
    drop()
    beginAttempt()
  }

  /// - Parameter version: whether the choice of the version has to hear of it.
  func attemptFailed(_ failure: SessionFailure, version: Bool = true) {
    if version { versions.failedOtherwise() }
    drop()
    let pause = configuration.once ? nil : backoff.attemptFailed(chance: .random(in: 0...1))
    wait(pause)
    turn([.failed(failure, retryIn: pause)])
  }

  /// Plans the next attempt; nil: none.
  func wait(_ pause: Duration?) {
    guard let pause else {
      phase = .stopped
      timer?.disarm()
      return
    }
    phase = .waiting
    timer?.arm(after: pause)
  }

  /// Lets go of the connection, or what was to become one, without a word to the broker.
  func drop() {
    resolver = nil
    watch?.cancel()
    watch = nil
    ticker?.disarm()
    connection = nil
  }

  /// Closes the connection without a DISCONNECT and connects again, after `delay`; nil: after the usual time.
  public func resetConnection(_ reason: String, retryIn delay: Duration? = nil) {
    switch phase {
    case .waiting:
      if let delay { timer?.arm(after: delay) }
    case .connected:
      connection?.abandon(.reset(reason))
      pauseAfterReset = delay
      planEnd()
    case .resolving, .connecting, .greeting:
      drop()
      wait(delay ?? backoff.attemptFailed(chance: .random(in: 0...1)))
    case .idle, .stopping, .stopped: break
    }
  }
}

extension Duration {
  /// Whole milliseconds, of a time that is short enough for a time limit.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return min(max(seconds, 0), 1_000_000) * 1000 + attoseconds / 1_000_000_000_000_000
  }
}
