import CarillonLoop

extension MQTTSession {
  /// The last publications of a session, on their way.
  struct Stopping {
    /// Those that the broker has not acknowledged yet.
    var awaited: Set<UInt16>
    let then: () -> Void
  }

  /// Ends the session: flushes what is queued, publishes `last`, waits until the broker has acknowledged it, at most
  /// `grace`, and disconnects. Commit before what has been delivered: this acknowledges it.
  ///
  /// What arrives meanwhile is neither delivered nor acknowledged, so it comes again where the session is kept. A
  /// held session, and one that is not connected, is closed at once, without a word. `then` is called once, after
  /// this call has returned.
  public func stop(grace: Duration, last: [Publication] = [], then: @escaping () -> Void) {
    switch phase {
    case .stopping(let stopping):
      return close { [then] in
        stopping.then()
        then()
      }
    case .connected where !isHeld && connection?.end == nil: break
    default: return close(then)
    }
    guard let connection else { return close(then) }
    var awaited = Set<UInt16>()
    for publication in last {
      guard let packetID = try? connection.publish(publication) else { continue }
      if publication.qos > 0 { awaited.insert(packetID) }
    }
    connection.write()
    connection.unflushed = 0
    ticker?.disarm()
    timer?.arm(after: grace)
    let stopping = Stopping(awaited: awaited, then: then)
    phase = .stopping(stopping)
    connection.end != nil || awaited.isEmpty ? finish(stopping) : updateInterest()
  }

  /// Looks for the acknowledgements.
  func read(_ connection: Connection, _ stopping: Stopping) {
    var stopping = stopping
    if connection.unflushed == 0 { connection.write() }
    if connection.end == nil { connection.read() }
    for case .acknowledged(let packetID, _) in connection.takeEvents() { stopping.awaited.remove(packetID) }
    phase = .stopping(stopping)
    if connection.end != nil || stopping.awaited.isEmpty { return finish(stopping) }
    let isWriting = connection.unflushed == 0 && connection.wantsToWrite
    watch?.setInterest(reading: true, writing: isWriting)
  }

  func finish(_ stopping: Stopping) {
    // Queued acknowledgements belong to messages that nobody has seen. They must not leave, so no DISCONNECT does.
    if let connection, connection.unflushed == 0 { connection.disconnect() }
    close(stopping.then)
  }

  private func close(_ then: @escaping () -> Void) {
    drop()
    timer?.disarm()
    phase = .stopped
    loop.afterTurn(then)
  }
}
