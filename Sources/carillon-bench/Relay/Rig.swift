import CarillonModel
import CarillonTestSupport
import Glibc

/// A broker with its stock settings, the program as a relay, and a publisher, each a process of its own (the publisher
/// is this one); subscribers are threads of this process.
final class Rig {
  /// Kept as long as the relay that reads them.
  private let zones: ReplaceableZones?
  let broker: Broker
  let folder: TemporaryDirectory
  private(set) var relay: Program?
  private let prober: LoadPublisher
  /// Numbers that no load has.
  private var probe = 1 << 32

  /// - Parameter zones: what the relay takes for the system's zones; nil: those that are installed.
  init(zones: ReplaceableZones? = nil) throws {
    Interruption.hold()
    broker = try Broker()
    folder = try TemporaryDirectory()
    self.zones = zones
    prober = try LoadPublisher(port: broker.port)
  }

  var store: String { folder.file("relay.db") }

  /// Bytes on disk.
  var storeSize: Int64 { StoreFilling.size(store) + StoreFilling.size(store + "-wal") }

  var usage: ProcessUsage { ProcessUsage(pid: relay?.pid ?? 0) }

  func publisher(inflight: Int32 = 20, clock: clockid_t = CLOCK_MONOTONIC) throws -> LoadPublisher {
    try LoadPublisher(port: broker.port, inflight: inflight, clock: clock)
  }

  func subscriber(_ numbers: Int, clock: clockid_t = CLOCK_MONOTONIC) throws -> LoadSubscriber {
    try LoadSubscriber(
      port: broker.port, filter: LoadCommand.notifications, numbers: numbers, clock: clock)
  }

  // MARK: The relay

  /// Starts the relay, and returns once it fires.
  func start() throws {
    let subscriber = try subscriber(0)
    try launch()
    try waitForFiring(subscriber, within: .seconds(60), every: .milliseconds(100))
  }

  /// Starts the relay, and does not wait for it.
  func launch() throws {
    relay = try Program(
      ["relay", "--broker", broker.url, "--store", "sqlite:\(store)", "--timezone", "UTC"],
      environment: zones.map { ["TZDIR": $0.path] } ?? [:])
  }

  func stop() throws {
    relay?.terminate()
    let end = try relay?.waitForExit(within: .seconds(60))
    guard end == .exited(0) else { throw TestFailure("the relay ended with \(String(describing: end))") }
    relay = nil
  }

  func kill() throws {
    relay?.kill()
    try relay?.waitForExit()
    relay = nil
  }

  // MARK: Waiting

  /// Sends a command without trigger, and waits for its notification: what was sent before has been taken in then.
  ///
  /// - Parameter interval: after that time another one is sent.
  func waitForFiring(
    _ subscriber: LoadSubscriber, within limit: Duration = .seconds(300),
    every interval: Duration = .seconds(300)
  ) throws {
    let (first, deadline) = (probe + 1, Deadline(after: limit))
    while true {
      probe += 1
      try prober.publish(LoadCommand.topic, LoadCommand.encoded(probe))
      let next = Deadline(after: interval)
      while !next.hasPassed {
        if subscriber.greatest >= first { return }
        try look(deadline)
        // The subscriber counts on a thread of its own and wakes nobody, so as not to cost time itself.
        usleep(500)
      }
    }
  }

  /// Waits until so many different notifications have come, or none has come for ten seconds.
  ///
  /// - Parameter publisher: goes on reading meanwhile.
  func wait(for count: Int, from subscriber: LoadSubscriber, _ publisher: LoadPublisher? = nil) throws {
    var (last, deadline) = (-1, Deadline(after: .seconds(10)))
    while subscriber.distinct < count, !deadline.hasPassed {
      try Interruption.check()
      if subscriber.count != last { (last, deadline) = (subscriber.count, Deadline(after: .seconds(10))) }
      // The publisher waits on its socket; without one, the count is looked at again.
      if let publisher { try publisher.turn(waiting: 2) } else { usleep(1000) }
    }
  }

  private func look(_ deadline: Deadline) throws {
    try Interruption.check()
    if let relay, relay.hasEnded {
      throw TestFailure("the relay has ended: \(relay.lines(.errors).suffix(5))")
    }
    if deadline.hasPassed {
      throw TestFailure("the relay does not fire: \(relay?.lines(.errors).suffix(5) ?? [])")
    }
  }
}
