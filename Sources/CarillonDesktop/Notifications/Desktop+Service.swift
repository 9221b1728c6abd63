import CarillonLoop
import CarillonModel

/// The dialogue with the service.
extension Desktop {
  static let service = "org.freedesktop.Notifications"
  static let path = "/org/freedesktop/Notifications"
  /// A service that the bus has to start first may take the bus's own limit of 25 s.
  private static let startLimit: Duration = .seconds(30)
  /// In characters: a service's own words are in it.
  private static let reasonLimit = 300

  func take(_ event: BusLink.Event) {
    switch event {
    case .up(let connection):
      self.connection = connection
      connection.subscribe(BusName.ownerRule(Desktop.service))
      connection.subscribe("type='signal',sender='\(Desktop.service)',interface='\(Desktop.service)'")
      pace.reset()
      ask()
    case .down(let reason):
      connection = nil
      timer?.disarm()
      lose(reason)
    case .signal(let signal): take(signal)
    }
  }

  /// Asks the service what it can do, which also makes the bus start one where it knows how.
  func ask() {
    era += 1
    let question = era
    timer?.disarm()
    call(Desktop.service, "GetCapabilities", [], mayStart: true, within: Desktop.startLimit) {
      [unowned self] reply in
      guard question == era, server == nil else { return }
      switch reply {
      case .values(let values, let sender): meet(sender, values.first?.texts ?? [], question)
      case .failure(_, let message):
        timer?.arm(after: pace.next())
        lose("no notification service on the session bus: \(message)")
      }
    }
  }

  /// The service has told what it can do; its name says what to make of that.
  private func meet(_ owner: String, _ words: [String], _ question: Int) {
    call(owner, "GetServerInformation", [], mayStart: false, within: answerLimit) {
      [unowned self] reply in
      guard question == era, server == nil else { return }
      var name = ""
      if case .values(let values, _) = reply { name = values.first?.text ?? "" }
      pace.reset()
      hasToldUnavailable = false
      let capabilities = DesktopCapabilities(words: words, name: name)
      server = Server(owner: owner, capabilities: capabilities)
      handler(.available(capabilities))
    }
  }

  private func take(_ signal: BusSignal) {
    if let (_, new) = signal.owners(of: Desktop.service) {
      if server != nil { lose("the notification service has left the session bus") }
      if new.isEmpty { timer?.arm(after: pace.next()) } else { ask() }
      return
    }
    guard let server, signal.sender == server.owner, signal.interface == Desktop.service else { return }
    let arguments = signal.arguments()
    guard arguments.count == 2, case .uint32(let number) = arguments[0] else { return }
    switch (signal.member, arguments[1]) {
    case ("NotificationClosed", .uint32(let reason)): act(on: bubbles.closed(number: number, reason: reason))
    case ("ActionInvoked", .string(let action)): act(on: bubbles.invoked(number: number, action: action))
    case ("ActivationToken", .string(let token)): bubbles.tokenCame(number: number, token)
    case ("NotificationReplied", .string(let text)): act(on: bubbles.replied(number: number, text: text))
    default: break
    }
  }

  func act(on actions: [Bubbles.Action]) {
    for action in actions {
      switch action {
      case .tell(let event): handler(event)
      case .notify(let bubble, let replaces, let slot): notify(bubble, replaces, slot)
      case .closeNotification(let number, let slot):
        ask("CloseNotification", [.uint32(number)]) { [unowned self] _ in
          act(on: bubbles.closeAnswered(slot))
        }
      }
    }
  }

  private func notify(_ bubble: Bubble, _ replaces: UInt32, _ slot: Int) {
    guard let server else { return }
    let call = NotifyCall(
      application: name, bubble: bubble, replaces: replaces, capabilities: server.capabilities)
    ask("Notify", call.arguments) { [unowned self] reply in
      switch reply {
      case .values(let values, _):
        if case .uint32(let number)? = values.first {
          act(on: bubbles.answered(slot, number: number))
        } else {
          act(on: bubbles.answered(slot, number: 0))
        }
      case .failure(_, let message):
        act(on: bubbles.failed(slot, message.shown(limit: Desktop.reasonLimit)))
      }
    }
  }

  /// Calls the service that the bubbles are shown by. One that does not answer any more is given up, and looked for anew.
  private func ask(_ member: String, _ arguments: [BusValue], _ answer: @escaping (BusReply) -> Void) {
    guard let server else { return }
    let question = era
    call(server.owner, member, arguments, mayStart: false, within: answerLimit) {
      [unowned self] reply in
      guard question == era, self.server != nil else { return }
      if case .failure(let name, let message) = reply, BusName.saysGone(name) {
        timer?.arm(after: pace.next())
        lose("the notification service does not answer: \(message)")
      } else {
        answer(reply)
      }
    }
  }

  private func call(
    _ destination: String, _ member: String, _ arguments: [BusValue], mayStart: Bool, within limit: Duration,
    _ answer: @escaping (BusReply) -> Void
  ) {
    connection?.call(
      BusCall(
        destination: destination, path: Desktop.path, interface: Desktop.service, member: member,
        arguments: arguments, mayStart: mayStart), within: limit, answer)
  }

  func forget() {
    era += 1
    server = nil
    bubbles.reset()
  }

  private func lose(_ reason: String) {
    forget()
    guard !hasToldUnavailable else { return }
    hasToldUnavailable = true
    handler(.unavailable(reason.shown(limit: Desktop.reasonLimit)))
  }
}
