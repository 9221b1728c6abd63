import CarillonLoop
import CarillonModel

/// Whether somebody sits at this machine: lock and idle state of the user's session, from logind on the system bus
/// (org.freedesktop.login1) and from the screen saver on the session bus (org.freedesktop.ScreenSaver), which on many
/// desktops alone tells the lock. Without either it is `unknown`.
public final class SeatWatch {
  private let handler: (Profile.Presence) -> Void
  private var session: SessionWatch?
  private var screenSaver: ScreenSaverWatch?
  private var seat = Seat()
  /// What was told last; `unknown` at first.
  public private(set) var presence: Profile.Presence = .unknown

  /// - Parameters:
  ///   - systemBus: its address; nil: DBUS_SYSTEM_BUS_ADDRESS, else the usual place.
  ///   - sessionBus: its address; nil: DBUS_SESSION_BUS_ADDRESS, else the socket `bus` in XDG_RUNTIME_DIR.
  ///   - handler: called with each change, from the loop.
  /// - Throws: where the kernel gives no more descriptors.
  public convenience init(
    loop: EventLoop, systemBus: String? = nil, sessionBus: String? = nil,
    handler: @escaping (Profile.Presence) -> Void
  ) throws(LoopError) {
    try self.init(
      loop: loop, systemBus: systemBus, sessionBus: sessionBus,
      sessionID: BusAddress.environment("XDG_SESSION_ID"),
      pace: Pace(), handler: handler)
  }

  init(
    loop: EventLoop, systemBus: String?, sessionBus: String?, sessionID: String?, pace: Pace,
    handler: @escaping (Profile.Presence) -> Void
  ) throws(LoopError) {
    self.handler = handler
    let system: () -> BusAddress = { systemBus.map { .known($0) } ?? .system() }
    let user: () -> BusAddress = { sessionBus.map { .known($0) } ?? .session() }
    session = try SessionWatch(
      loop: loop, pace: pace, address: system, sessionID: sessionID
    ) { [unowned self] event in
      switch event {
      case .properties(let properties): seat.take(properties)
      case .signal(let signal): seat.take(signal: signal)
      case .lost: seat.loseSession()
      }
      tell()
    }
    screenSaver = try ScreenSaverWatch(
      loop: loop, pace: pace, address: user
    ) { [unowned self] isActive in
      seat.screenSaver = isActive
      tell()
    }
  }

  /// Looks for both in the background, until `stop`.
  public func start() {
    session?.start()
    screenSaver?.start()
  }

  public func stop() {
    session?.stop()
    screenSaver?.stop()
    seat = Seat()
    presence = .unknown
  }

  private func tell() {
    guard seat.presence != presence else { return }
    presence = seat.presence
    handler(presence)
  }
}
