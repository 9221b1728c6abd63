import CarillonLoop

/// A session with an MQTT broker that connects, stays connected, and acknowledges only when it is told to.
///
/// **The turn.** Whenever something was read, `turn` is called once with all of it. A PUBACK for a message of the turn
/// is queued but does not leave before `flush()`: commit what the turn holds, then flush. A process that dies before
/// gets those messages again, where the broker keeps the session.
///
/// Nothing queued by `publish`, `subscribe` or `unsubscribe` leaves before `flush()` either, except with `autoFlush`.
/// Keep-alive pings leave by themselves while nothing is queued and the session is not held.
///
/// **Connections.** Attempts follow each other after 1, 2, 4 … 60 s, shortened at random by up to a fifth; a connection
/// that lasted 60 s starts the series anew. Each connection uses a fresh library handle: what was queued on the one
/// before is forgotten, since only the owner knows what is still wanted. Subscriptions are the owner's too: renew them
/// at each `connected`.
public final class MQTTSession {
  /// Read anew at each attempt.
  public var configuration: SessionConfiguration
  let loop: EventLoop
  let turn: ([SessionEvent]) -> Void

  var phase = Phase.idle
  var connection: Connection?
  var watch: IOWatch?
  var resolver: Resolver?
  /// Addresses of the broker's name that this attempt has not tried yet.
  var addresses: ArraySlice<String> = []
  var backoff = Backoff()
  var versions = ProtocolChoice()
  /// The end of what `phase` waits for: an address, the CONNACK, the next attempt, the grace.
  var timer: Timer?
  /// Keep-alive.
  var ticker: Timer?
  /// On the elapsed clock, in milliseconds.
  var attemptEnd: Int64 = 0
  var connectedSince: Int64 = 0
  var lastTick: Int64 = 0
  /// Instead of the usual pause, after the owner's reset.
  var pauseAfterReset: Duration?
  var isFlushPlanned = false
  var isEndPlanned = false

  enum Phase {
    case idle
    /// The next attempt is planned.
    case waiting
    case resolving
    /// The TCP connection is being made.
    case connecting
    /// CONNECT is on its way, CONNACK is awaited.
    case greeting
    case connected
    /// The last publications are on their way.
    case stopping(Stopping)
    case stopped
  }

  /// - Parameters:
  ///   - turn: called on the loop, never from inside a call of this class.
  /// - Throws: where the kernel gives no more descriptors.
  public init(
    loop: EventLoop, configuration: SessionConfiguration, turn: @escaping ([SessionEvent]) -> Void
  ) throws(LoopError) {
    self.loop = loop
    self.configuration = configuration
    self.turn = turn
    timer = try loop.timer(.elapsed) { [unowned self] in timeIsUp() }
    ticker = try loop.timer(.elapsed) { [unowned self] in tick() }
  }

  /// Begins to connect. To be called once.
  public func start() {
    guard case .idle = phase else { return }
    // Through the timer, so that a failure at once still comes from the loop.
    phase = .waiting
    timer?.arm(after: .zero)
  }

  /// Whether the broker has taken the connection, and it has not been seen to end.
  public var isConnected: Bool {
    guard case .connected = phase else { return false }
    return connection?.end == nil
  }

  /// While true nothing is read from the broker and nothing written to it, not even a ping, and a flush does nothing.
  /// The end of the connection is still noticed. For less than half the keep-alive, or the broker gives up.
  public var isHeld: Bool = false {
    didSet { updateInterest() }
  }
}

// MARK: Sending

extension MQTTSession {
  /// Queues all the filters, in one SUBSCRIBE or several. `subscribed` tells the outcome of all of them at once.
  ///
  /// - Returns: the packet identifier that it names; nil when not connected or a filter is not one.
  @discardableResult
  public func subscribe(_ subscriptions: [Subscription]) -> UInt16? {
    guard isConnected, let packetID = connection?.subscribe(subscriptions) else { return nil }
    planFlush()
    return packetID
  }

  /// Queues all the filters, in one UNSUBSCRIBE or several.
  ///
  /// - Returns: the first one's packet identifier; nil when not connected or a filter is not one.
  @discardableResult
  public func unsubscribe(_ filters: [String]) -> UInt16? {
    guard isConnected, let packetID = connection?.unsubscribe(filters) else { return nil }
    planFlush()
    return packetID
  }

  /// Queues a publication. Beyond the broker's receive maximum they wait inside and go out as PUBACKs come in.
  ///
  /// - Returns: its packet identifier, which `acknowledged` names; meaningless at QoS 0.
  @discardableResult
  public func publish(_ publication: Publication) throws(PublicationError) -> UInt16 {
    guard isConnected, let connection else { throw .notConnected }
    let packetID = try connection.publish(publication)
    planFlush()
    return packetID
  }

  /// Lets everything that is queued leave: acknowledgements of what was read, publications, subscriptions. What the
  /// socket does not take now follows when it does, unless something new has been queued or read by then: that waits
  /// for the next flush, and the rest with it.
  public func flush() {
    guard !isHeld, isConnected, let connection else { return }
    connection.write()
    connection.unflushed = 0
    connection.end == nil ? updateInterest() : planEnd()
  }

  private func planFlush() {
    guard configuration.autoFlush, !isFlushPlanned else { return }
    isFlushPlanned = true
    loop.afterTurn { [weak self] in
      self?.isFlushPlanned = false
      self?.flush()
    }
  }
}
