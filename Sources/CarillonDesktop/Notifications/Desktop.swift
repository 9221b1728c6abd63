import CarillonLoop

/// Bubbles on the desktop: the notification service of the session bus (org.freedesktop.Notifications, version 1.2 of
/// the specification), on the loop.
///
/// It looks for bus and service by itself, and again where they go, and never waits for either. Events come from the
/// loop, never from inside a call made here.
public final class Desktop {
  /// How a bubble went from the screen.
  public enum Closing: Hashable, Sendable {
    /// By a person, without acting.
    case dismissed
    case timedOut
    /// By `close`, or by another program.
    case taken
    case unknown
  }

  public enum Event: Hashable, Sendable {
    /// Bubbles can be shown. None is on the screen that was shown before.
    case available(DesktopCapabilities)
    /// None can be shown, and why. What was shown is forgotten: nothing more is told of it.
    case unavailable(String)
    case shown(key: String)
    /// The service would not show it.
    case refused(key: String, reason: String)
    /// With the service's token for the program that is to get the focus, where it sends one.
    case tapped(key: String, token: String?)
    case acted(key: String, action: String, token: String?)
    /// Answered in words, at most 4,096 bytes of them.
    case replied(key: String, text: String)
    /// Gone from the screen. Not told after `tapped`, `acted` or `replied`, unless `close` was called.
    case closed(key: String, Closing)
  }

  /// The service that bubbles are shown by.
  struct Server {
    /// Its unique name on the bus. It alone is believed, since any program may send signals.
    var owner: String
    var capabilities: DesktopCapabilities
  }

  let name: String
  let handler: (Event) -> Void
  var pace: Pace
  private var link: BusLink?
  var timer: Timer?
  var connection: BusConnection?
  var server: Server?
  var bubbles = Bubbles()
  /// Counts what was asked of whom: an answer to an earlier question is passed over.
  var era = 0
  var hasToldUnavailable = false
  /// A service that has not answered by then is taken for one that hangs.
  var answerLimit: Duration = .seconds(10)

  /// - Parameters:
  ///   - name: the application's name, as services show it.
  ///   - address: the session bus; nil: DBUS_SESSION_BUS_ADDRESS, else the socket `bus` in XDG_RUNTIME_DIR. Only Unix
  ///     sockets are connected to.
  /// - Throws: where the kernel gives no more descriptors.
  public convenience init(
    loop: EventLoop, name: String, address: String? = nil, handler: @escaping (Event) -> Void
  ) throws(LoopError) {
    try self.init(loop: loop, name: name, address: address, pace: Pace(), handler: handler)
  }

  init(
    loop: EventLoop, name: String, address: String?, pace: Pace, handler: @escaping (Event) -> Void
  ) throws(LoopError) {
    self.name = name
    self.handler = handler
    self.pace = pace
    timer = try loop.timer(.elapsed) { [unowned self] in ask() }
    let place: () -> BusAddress = { address.map { .known($0) } ?? .session() }
    link = try BusLink(loop: loop, pace: pace, address: place) { [unowned self] event in take(event) }
  }

  /// Looks for the service in the background, until `stop`.
  public func start() { link?.start() }

  /// Leaves the bus. What is on the screen stays there; nothing more is told of it.
  public func stop() {
    timer?.disarm()
    link?.stop()
    forget()
    connection = nil
    hasToldUnavailable = false
  }

  /// Whether bubbles can be shown at present.
  public var isAvailable: Bool { server != nil }

  /// Shows a bubble; `shown` or `refused` follows, unless another takes its place first. While there is no service this
  /// does nothing.
  public func show(_ bubble: Bubble) {
    if server != nil { act(on: bubbles.show(bubble)) }
  }

  /// Takes a bubble from the screen, also one that is only on its way there; `closed` follows.
  public func close(_ key: String) {
    if server != nil { act(on: bubbles.close(key)) }
  }
}
