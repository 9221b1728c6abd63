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
  private let loop: EventLoop

  /// - Parameters:
  ///   - configuration: read anew at each attempt.
  ///   - turn: called on the loop, never from inside a call of this class.
  /// - Throws: where the kernel gives no more descriptors.
  public init(
    loop: EventLoop, configuration: SessionConfiguration, turn: @escaping ([SessionEvent]) -> Void
  ) throws(LoopError) {
    self.loop = loop
  }

  /// Begins to connect. To be called once.
  public func start() {}

  /// Whether the broker has taken the connection, and it has not been seen to end.
  public var isConnected: Bool { false }

  /// Queues one SUBSCRIBE with all the filters. `subscribed` tells the outcome.
  ///
  /// - Returns: its packet identifier; nil when not connected or a filter is not one.
  @discardableResult
  public func subscribe(_ subscriptions: [Subscription]) -> UInt16? { nil }

  /// Queues one UNSUBSCRIBE with all the filters.
  ///
  /// - Returns: its packet identifier; nil when not connected or a filter is not one.
  @discardableResult
  public func unsubscribe(_ filters: [String]) -> UInt16? { nil }

  /// Queues a publication. Beyond the broker's receive maximum they wait inside and go out as PUBACKs come in.
  ///
  /// - Returns: its packet identifier, which `acknowledged` names; meaningless at QoS 0.
  @discardableResult
  public func publish(_ publication: Publication) throws(PublicationError) -> UInt16 { throw .notConnected }

  /// Lets everything that is queued leave: acknowledgements of what was read, publications, subscriptions. What the
  /// socket does not take now follows when it does, unless something new has been queued or read by then: that waits
  /// for the next flush, and all before it with it.
  public func flush() {}

  /// While true nothing is read from the broker and nothing written to it, not even a ping, and a flush does nothing.
  /// The end of the connection is still noticed. For less than half the keep-alive, or the broker gives up.
  public var isHeld: Bool = false

  /// Ends the session: publishes `last`, waits until the broker has acknowledged it, at most `grace`, disconnects.
  /// What arrives meanwhile is neither delivered nor acknowledged, so it comes again where the session is kept. A
  /// held session is closed at once, without a word. `then` is called once, after this call has returned.
  public func stop(grace: Duration, last: [Publication] = [], then: @escaping () -> Void) {}

  /// Closes the connection without a DISCONNECT and connects again, after `delay`; nil: after the usual time.
  public func resetConnection(_ reason: String, retryIn delay: Duration? = nil) {}
}
