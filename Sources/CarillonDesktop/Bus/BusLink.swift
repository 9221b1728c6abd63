import CarillonLoop

/// Keeps up a connection with a bus: connects, and when that fails or ends tries again by itself, after 2 s at first
/// and then less and less often.
final class BusLink {
  enum Event {
    case up(BusConnection)
    case signal(BusSignal)
    /// Not connected, and why; told after each attempt.
    case down(String)
  }

  /// How long the handshake may take. It is a few messages on this machine.
  private static let handshake: Duration = .seconds(10)

  private let loop: EventLoop
  private let address: () -> BusAddress
  private let handler: (Event) -> Void
  private var pace: Pace
  private var connection: BusConnection?
  private var timer: Timer?
  private var isStarted = false

  /// - Parameter address: asked at each attempt.
  init(
    loop: EventLoop, pace: Pace, address: @escaping () -> BusAddress, _ handler: @escaping (Event) -> Void
  ) throws(LoopError) {
    self.loop = loop
    self.pace = pace
    self.address = address
    self.handler = handler
    timer = try loop.timer(.elapsed) { [unowned self] in isDue() }
  }

  deinit { connection?.retire() }

  func start() {
    guard !isStarted else { return }
    isStarted = true
    timer?.arm(after: .zero)
  }

  /// Nothing is told any more.
  func stop() {
    isStarted = false
    timer?.disarm()
    drop()
  }

  private func drop() {
    connection?.retire()
    connection = nil
  }

  private func isDue() {
    if connection == nil { connect() } else { fail("the bus does not answer") }
  }

  private func connect() {
    switch address() {
    case .missing(let reason): fail(reason)
    case .known(let address):
      do {
        connection = try BusConnection(address, on: loop) { [unowned self] event in take(event) }
        timer?.arm(after: BusLink.handshake)
      } catch {
        fail("no bus at \(address): \(systemMessage(error.number))")
      }
    }
  }

  private func take(_ event: BusConnection.Event) {
    guard let connection else { return }
    switch event {
    case .connected:
      timer?.disarm()
      pace.reset()
      handler(.up(connection))
    case .signal(let signal): handler(.signal(signal))
    case .lost: fail("the connection with the bus has ended")
    }
  }

  private func fail(_ reason: String) {
    drop()
    timer?.arm(after: pace.next())
    handler(.down(reason))
  }
}
