import CarillonLoop

/// Whether the session's screen saver runs (org.freedesktop.ScreenSaver).
final class ScreenSaverWatch {
  private static let service = "org.freedesktop.ScreenSaver"
  /// Desktops differ in where they keep the object; this is the older of the two places, and all know it.
  private static let path = "/org/freedesktop/ScreenSaver"
  private static let limit: Duration = .seconds(10)

  private let handler: (Bool?) -> Void
  private var link: BusLink?
  private var connection: BusConnection?
  private var era = 0
  /// The unique name of the service.
  private var owner: String?

  /// - Parameter handler: called with whether it runs; `nil` where there is none any more.
  init(
    loop: EventLoop, pace: Pace, address: @escaping () -> BusAddress, _ handler: @escaping (Bool?) -> Void
  ) throws(LoopError) {
    self.handler = handler
    link = try BusLink(loop: loop, pace: pace, address: address) { [unowned self] event in take(event) }
  }

  func start() { link?.start() }

  func stop() {
    link?.stop()
    connection = nil
    era += 1
    owner = nil
  }

  private func take(_ event: BusLink.Event) {
    switch event {
    case .up(let connection):
      self.connection = connection
      connection.subscribe(BusName.ownerRule(ScreenSaverWatch.service))
      connection.subscribe(
        "type='signal',sender='\(ScreenSaverWatch.service)',interface='\(ScreenSaverWatch.service)'")
      look()
    case .down:
      connection = nil
      changeOwner(nil)
    case .signal(let signal): take(signal)
    }
  }

  private func take(_ signal: BusSignal) {
    if let (_, new) = signal.owners(of: ScreenSaverWatch.service) {
      changeOwner(new.isEmpty ? nil : new)
    } else if signal.sender == owner, signal.interface == ScreenSaverWatch.service,
      signal.member == "ActiveChanged", case .bool(let isActive)? = signal.arguments().first
    {
      handler(isActive)
    }
  }

  private func look() {
    call(BusName.bus, BusName.path, BusName.bus, "GetNameOwner", [.string(ScreenSaverWatch.service)]) {
      [unowned self] values in
      if let owner = values.first?.text { changeOwner(owner) }
    }
  }

  private func changeOwner(_ owner: String?) {
    era += 1
    self.owner = owner
    guard let owner else { return handler(nil) }
    call(owner, ScreenSaverWatch.path, ScreenSaverWatch.service, "GetActive", []) { [unowned self] values in
      if case .bool(let isActive)? = values.first { handler(isActive) }
    }
  }

  /// - Parameter answer: with the values; not called for a failure.
  private func call(
    _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue],
    _ answer: @escaping ([BusValue]) -> Void
  ) {
    let question = era
    connection?.call(
      BusCall(
        destination: destination, path: path, interface: interface, member: member, arguments: arguments),
      within: ScreenSaverWatch.limit
    ) { [unowned self] reply in
      if question == era, case .values(let values, _) = reply { answer(values) }
    }
  }
}
