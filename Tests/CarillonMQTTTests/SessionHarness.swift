import CarillonLoop
import CarillonTestSupport
import Testing

@testable import CarillonMQTT

/// A session on a loop of its own, driven step by step, that keeps what it was told.
final class SessionHarness {
  let loop: EventLoop
  private(set) var session: MQTTSession!
  /// The turns, as they came.
  private(set) var turns: [[SessionEvent]] = []
  /// Called inside each turn, after it is noted.
  var onTurn: ([SessionEvent]) -> Void = { _ in }

  init(_ configuration: SessionConfiguration) throws {
    let loop = try EventLoop()
    self.loop = loop
    session = try MQTTSession(loop: loop, configuration: configuration) { [unowned self] events in
      turns.append(events)
      onTurn(events)
    }
  }

  convenience init(
    port: UInt16, id: String = "session", _ change: (inout SessionConfiguration) -> Void = { _ in }
  ) throws {
    var configuration = SessionConfiguration(
      address: BrokerAddress(host: "127.0.0.1", port: port), clientID: id, keepAlive: .seconds(5))
    change(&configuration)
    try self.init(configuration)
  }

  var events: [SessionEvent] { turns.flatMap { $0 } }

  var messages: [IncomingMessage] {
    events.compactMap { if case .message(let message) = $0 { message } else { nil } }
  }

  var failures: [SessionFailure] {
    events.compactMap {
      switch $0 {
      case .failed(let failure, _), .disconnected(let failure): failure
      default: nil
      }
    }
  }

  var connections: Int {
    events.reduce(0) { if case .connected = $1 { $0 + 1 } else { $0 } }
  }

  func forget() { turns = [] }

  /// Turns the loop until the condition holds.
  func run(_ what: String = "the condition", within limit: Duration = .seconds(15), until done: () -> Bool)
    throws
  {
    let deadline = Deadline(after: limit)
    while !done() {
      guard !deadline.hasPassed else { throw TestFailure("\(what) did not come within \(limit): \(events)") }
      try loop.turn(waiting: .milliseconds(20))
    }
  }

  /// Turns the loop for that long.
  func run(for time: Duration) throws {
    let deadline = Deadline(after: time)
    while !deadline.hasPassed { try loop.turn(waiting: .milliseconds(10)) }
  }

  /// Starts the session and waits for the broker to take it.
  @discardableResult
  func connect() throws -> SessionHarness {
    session.start()
    try run("the connection") { session.isConnected }
    return self
  }

  /// Subscribes and waits for the grant.
  func subscribe(_ subscriptions: Subscription...) throws -> [UInt8] {
    let packetID = try #require(session.subscribe(subscriptions))
    session.flush()
    var reasons: [UInt8]?
    try run("SUBACK") {
      for case .subscribed(packetID, let granted) in events { reasons = granted }
      return reasons != nil
    }
    return reasons ?? []
  }

  /// Publishes, flushes, and waits for the PUBACK.
  func publish(_ publication: Publication) throws -> UInt8 {
    let packetID = try session.publish(publication)
    session.flush()
    var reason: UInt8?
    try run("PUBACK") {
      for case .acknowledged(packetID, let answer) in events { reason = answer }
      return reason != nil
    }
    return reason ?? 0xFF
  }

  /// Stops the session and waits for the end of it.
  ///
  /// - Returns: how long it took, in milliseconds.
  @discardableResult
  func stop(grace: Duration = .seconds(2), last: [Publication] = []) throws -> Int64 {
    let start = SystemClock.elapsedMilliseconds
    var count = 0
    session.stop(grace: grace, last: last) { count += 1 }
    #expect(count == 0, "not from inside the call")
    try run("the end") { count > 0 }
    #expect(count == 1)
    return SystemClock.elapsedMilliseconds - start
  }
}

extension String {
  var bytes: [UInt8] { Array(utf8) }
}
