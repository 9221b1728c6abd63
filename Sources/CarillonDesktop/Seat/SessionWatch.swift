import CarillonLoop
import Glibc

/// The user's session as logind knows it: the one that this program runs in (XDG_SESSION_ID), else the one that the
/// user sees (`Display`).
final class SessionWatch {
  enum Event {
    /// All of the session's properties, or those that have changed.
    case properties([String: BusValue])
    /// A signal of the session's, `Lock` or `Unlock`.
    case signal(String)
    /// There is no session, or it is not known yet.
    case lost
  }

  private static let service = "org.freedesktop.login1"
  private static let manager = "org.freedesktop.login1.Manager"
  private static let session = "org.freedesktop.login1.Session"
  private static let path = "/org/freedesktop/login1"
  private static let limit: Duration = .seconds(10)

  private let sessionID: String?
  private let handler: (Event) -> Void
  private var link: BusLink?
  private var connection: BusConnection?
  /// Which search is on; answers to an earlier one are passed over.
  private var era = 0
  /// The unique name of logind, and the session's object.
  private var found: (owner: String, path: String)?

  init(
    loop: EventLoop, pace: Pace, address: @escaping () -> BusAddress, sessionID: String?,
    _ handler: @escaping (Event) -> Void
  ) throws(LoopError) {
    self.sessionID = sessionID.flatMap { $0.isEmpty ? nil : $0 }
    self.handler = handler
    link = try BusLink(loop: loop, pace: pace, address: address) { [unowned self] event in take(event) }
  }

  func start() { link?.start() }

  func stop() {
    link?.stop()
    connection = nil
    era += 1
    found = nil
  }

  private func take(_ event: BusLink.Event) {
    switch event {
    case .up(let connection):
      self.connection = connection
      connection.subscribe(BusName.ownerRule(SessionWatch.service))
      connection.subscribe("type='signal',sender='\(SessionWatch.service)',path='\(SessionWatch.path)'")
      connection.subscribe(
        "type='signal',sender='\(SessionWatch.service)',path_namespace='\(SessionWatch.path)/session'")
      search()
    case .down:
      connection = nil
      lose()
    case .signal(let signal): take(signal)
    }
  }

  private func lose() {
    era += 1
    found = nil
    handler(.lost)
  }

  private func search() {
    lose()
    guard let sessionID else { return searchDisplay() }
    call(SessionWatch.path, SessionWatch.manager, "GetSession", [.string(sessionID)]) {
      [unowned self] values, _ in
      if let path = values?.first?.text { watch(path) } else { searchDisplay() }
    }
  }

  /// A service of the user's runs in no session.
  private func searchDisplay() {
    call(SessionWatch.path, SessionWatch.manager, "GetUser", [.uint32(getuid())]) {
      [unowned self] values, _ in
      guard let user = values?.first?.text else { return }
      call(user, BusName.properties, "Get", [.string("org.freedesktop.login1.User"), .string("Display")]) {
        [unowned self] values, _ in
        // The session's id and its object; an empty id for none.
        guard case .variant(.structure(let display))? = values?.first, display.count == 2,
          let id = display[0].text, !id.isEmpty, let path = display[1].text
        else { return }
        watch(path)
      }
    }
  }

  private func watch(_ path: String) {
    call(path, BusName.properties, "GetAll", [.string(SessionWatch.session)]) {
      [unowned self] values, sender in
      guard let values else { return }
      found = (sender, path)
      handler(.properties(values.first?.dictionary ?? [:]))
    }
  }

  private func take(_ signal: BusSignal) {
    if let (_, new) = signal.owners(of: SessionWatch.service) {
      if new.isEmpty { lose() } else { search() }
      return
    }
    if signal.interface == SessionWatch.manager, ["SessionNew", "SessionRemoved"].contains(signal.member) {
      return reconsider(signal)
    }
    guard let found, signal.sender == found.owner, signal.path == found.path else { return }
    switch signal.interface {
    case SessionWatch.session: handler(.signal(signal.member))
    case BusName.properties:
      let arguments = signal.arguments()
      guard arguments.count == 3, arguments[0].text == SessionWatch.session else { return }
      handler(.properties(arguments[1].dictionary))
      // Properties that have changed without their values.
      if arguments[2].texts?.contains(where: { $0.hasSuffix("Hint") }) == true { watch(found.path) }
    default: break
    }
  }

  /// Another session begins or ends. It concerns us where we have none, or ours ends; what a stranger makes up about
  /// that costs a look.
  private func reconsider(_ signal: BusSignal) {
    guard let found else { return search() }
    let arguments = signal.arguments()
    if signal.member == "SessionRemoved", signal.sender == found.owner, arguments.count == 2,
      arguments[1].text == found.path
    {
      search()
    }
  }

  /// - Parameter answer: with the values and who sent them; nil for a failure.
  private func call(
    _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue],
    _ answer: @escaping ([BusValue]?, String) -> Void
  ) {
    let question = era
    connection?.call(
      BusCall(
        destination: SessionWatch.service, path: path, interface: interface, member: member,
        arguments: arguments), within: SessionWatch.limit
    ) { [unowned self] reply in
      guard question == era else { return }
      if case .values(let values, let sender) = reply { answer(values, sender) } else { answer(nil, "") }
    }
  }
}
