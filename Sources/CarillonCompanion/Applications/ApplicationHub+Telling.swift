import CarillonLoop
import CarillonModel

extension ApplicationHub {
  /// Asks how a notification is presented. Exactly one `.presentation` follows, unless the hub is closed before.
  ///
  /// - Parameter usual: how it is presented where the application has no wish.
  public func ask(_ application: Application, _ notification: Notification, _ usual: Presentation) {
    let line = ApplicationLine.notification(notification, asking: usual)
    let delivery = notification.delivery
    guard let connection = connection(of: application), isSendable(line, application) else {
      return later { $0.handler(.presentation(application, delivery: delivery, nil)) }
    }
    connection.learn(delivery)
    questions.append(
      Question(
        application: application, delivery: delivery,
        deadline: SystemClock.elapsedMilliseconds + patience.answering))
    connection.stream?.send(line)
    setTimer()
  }

  /// Tells a notification that came before the application, and that nobody has answered yet.
  public func tell(_ application: Application, _ notification: Notification) {
    let line = ApplicationLine.notification(notification, asking: nil)
    guard let connection = connection(of: application), isSendable(line, application) else { return }
    connection.learn(notification.delivery)
    connection.stream?.send(line)
  }

  /// Tells that a notification was withdrawn, or has expired: the application cannot answer it any more.
  public func tell(_ application: Application, _ line: Line) {
    guard let connection = connection(of: application), let bytes = LineFormat.json.line(line),
      isSendable(bytes, application)
    else { return }
    switch line {
    case .withdrawn(let delivery, _, _): connection.forget(delivery)
    case .expired(let notification): connection.forget(notification.delivery)
    default: break
    }
    connection.stream?.send(bytes)
  }

  /// Hands over a navigation's step. Exactly one `.stepDone`, `.stepFailed` or `.detached` follows, unless the hub is
  /// closed before. How long it may take is for the caller to say.
  public func navigate(_ application: Application, _ step: NavigateLine) {
    guard let connection = connection(of: application) else {
      return fail(application, step, "the application has left")
    }
    guard let line = LineFormat.json.line(.navigate(step)), isSendable(line, application) else {
      return fail(application, step, "the step is too long to be told")
    }
    connection.expect(step.delivery, step: step.step)
    connection.stream?.send(line)
  }

  private func fail(_ application: Application, _ step: NavigateLine, _ reason: String) {
    later {
      $0.handler(.stepFailed(application, delivery: step.delivery, step: step.step, reason: reason))
    }
  }

  /// What an application answers. What nothing asked for is ignored.
  func take(
    _ answer: ApplicationMessage.Answer, _ application: Application, _ connection: ApplicationConnection
  ) {
    switch answer {
    case .present(let delivery, let presentation):
      let place = questions.firstIndex {
        $0.application == application && $0.delivery.isIdentical(to: delivery)
      }
      guard let place else { return ignore(answer, application) }
      questions.remove(at: place)
      setTimer()
      handler(.presentation(application, delivery: delivery, presentation))
    case .done(let delivery, let step):
      guard connection.settle(delivery, step: step) else { return ignore(answer, application) }
      handler(.stepDone(application, delivery: delivery, step: step))
    case .failed(let delivery, let step, let reason):
      guard connection.settle(delivery, step: step) else { return ignore(answer, application) }
      handler(.stepFailed(application, delivery: delivery, step: step, reason: reason))
    default:
      guard connection.knows(answer.delivery) else { return ignore(answer, application) }
      tellOfPerson(answer, application)
    }
  }

  private func tellOfPerson(_ answer: ApplicationMessage.Answer, _ application: Application) {
    switch answer {
    case .tap(let delivery): handler(.tapped(application, delivery: delivery))
    case .act(let delivery, let action, let text):
      handler(.acted(application, delivery: delivery, action: action, text: text))
    case .dismiss(let delivery): handler(.dismissed(application, delivery: delivery))
    case .present, .done, .failed: break
    }
  }

  private func ignore(_ answer: ApplicationMessage.Answer, _ application: Application) {
    log.limited(
      "applications", level: .debug,
      "application \(application.name) answers what it was not asked: \(printable(answer.delivery))")
  }

  private func connection(of application: Application) -> ApplicationConnection? {
    connections.first { $0.application == application }
  }

  private func isSendable(_ line: [UInt8], _ application: Application) -> Bool {
    guard line.count <= ApplicationLine.limit else {
      log.limited(
        "applications",
        "application \(application.name) is not told of \(line.count) bytes: the limit is \(ApplicationLine.limit)"
      )
      return false
    }
    return true
  }

  /// Events come from the loop alone.
  private func later(_ body: @escaping (ApplicationHub) -> Void) {
    loop.afterTurn { [weak self] in
      if let self, !isClosed { body(self) }
    }
  }
}
