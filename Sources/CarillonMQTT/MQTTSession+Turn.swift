import CPOSIX
import CarillonLoop

/// An established connection: reading, the turn, and its end.
extension MQTTSession {
  /// The socket is ready for something.
  func ready(_ readiness: IOReadiness) {
    guard let connection else { return }
    switch phase {
    case .connecting: finishConnect()
    case .greeting:
      if readiness.contains(.writable) { connection.write() }
      greet(connection, hasFailed: !readiness.isDisjoint(with: .failed))
      if self.connection === connection { updateInterest() }
    case .connected: readyWhileConnected(connection, readiness)
    case .stopping(let stopping): read(connection, stopping)
    case .idle, .waiting, .resolving, .stopped: break
    }
  }

  private func readyWhileConnected(_ connection: Connection, _ readiness: IOReadiness) {
    if isHeld {
      // Asked for is only the end of the connection; what it still holds could never be acknowledged.
      if !readiness.isDisjoint(with: [.failed, .halfClosed]) { connection.abandon(.closed) }
    } else {
      // First what an earlier flush left: what is read now must not be acknowledged along with it.
      if readiness.contains(.writable), connection.unflushed == 0 { connection.write() }
      if connection.end == nil { connection.read() }
    }
    deliver()
  }

  /// Gives the owner what was read, and then the end, if that was it.
  func deliver() {
    guard let connection else { return }
    var events = connection.takeEvents()
    if let failure = connection.end {
      ended(failure)
      events.append(.disconnected(failure))
    }
    if !events.isEmpty { turn(events) }
    guard self.connection === connection, connection.end == nil, !isHeld else { return updateInterest() }
    if configuration.autoFlush {
      flush()
    } else if connection.unflushed == 0 {
      // Publications that were flushed before and waited for a free slot.
      connection.write()
      connection.end == nil ? updateInterest() : planEnd()
    } else {
      updateInterest()
    }
  }

  /// The connection is over: plans the next one.
  private func ended(_ failure: SessionFailure) {
    let lasted = Duration.milliseconds(SystemClock.elapsedMilliseconds - connectedSince)
    drop()
    versions.lost()
    let usual = backoff.connectionLost(after: lasted, chance: .random(in: 0...1))
    wait(configuration.once ? nil : pauseAfterReset ?? usual)
    pauseAfterReset = nil
  }

  /// An end that was noticed inside one of the owner's calls is told once that call has returned.
  func planEnd() {
    guard !isEndPlanned else { return }
    isEndPlanned = true
    loop.afterTurn { [weak self] in
      guard let self else { return }
      isEndPlanned = false
      if case .connected = phase, connection?.end != nil { deliver() }
    }
  }

  /// What the loop is to wait for, after anything that may change it.
  func updateInterest() {
    guard let connection, connection.end == nil else { return }
    switch phase {
    case .connected:
      let isWriting = !isHeld && connection.unflushed == 0 && connection.wantsToWrite
      watch?.setInterest(reading: !isHeld, writing: isWriting, closing: isHeld)
    case .greeting, .stopping:
      watch?.setInterest(reading: true, writing: connection.wantsToWrite)
    case .idle, .waiting, .resolving, .connecting, .stopped: break
    }
  }

  /// Keep-alive. What waits to be read may be the answer to the last ping, so it is read first. While something
  /// waits for a flush a ping could not leave, and its missing answer would be taken for a dead link.
  func tick() {
    guard case .connected = phase, let connection else { return }
    if hasSlept(connection) {
      connection.abandon(.silent)
      return deliver()
    }
    armTicker(connection)
    guard !isHeld else { return }
    if carillon_readable_bytes(connection.socket) > 0 {
      readyWhileConnected(connection, .readable)
    } else if connection.unflushed == 0 {
      connection.tick()
      if connection.end == nil { connection.write() }
      if connection.end != nil { deliver() } else { updateInterest() }
    }
  }

  /// Whether the last tick is so long ago that the broker has given up (MQTT 5, 3.1.2.10), as after a machine's
  /// sleep. The library's clock stands still meanwhile, so it would take up to two keep-alives more to notice.
  private func hasSlept(_ connection: Connection) -> Bool {
    let silence = Duration.milliseconds(SystemClock.elapsedMilliseconds - lastTick)
    return silence > connection.keepAlive * 1.5
  }

  /// Often enough that a ping is not late by much: the broker allows half the keep-alive more.
  func armTicker(_ connection: Connection) {
    lastTick = SystemClock.elapsedMilliseconds
    ticker?.arm(after: max(connection.keepAlive / 8, .seconds(1)))
  }
}
