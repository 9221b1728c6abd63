import CarillonLinks
import CarillonLoop
import CarillonMQTT
import CarillonModel
import CarillonStore

// From what happened to what is on disk, and to what follows from it.
extension Companion {
  /// What waits for the disk at most. Beyond it messages are dropped: the relay sends them again.
  private static let incomingLimit = 1000
  /// How soon a transaction that failed is tried again.
  private static let storePause: Duration = .milliseconds(250)
  private static let markPause: Duration = .milliseconds(50)
  private static let prunePause: Duration = .seconds(3600)

  /// Something happened.
  func happened(_ event: InboxKeeper.Incoming) {
    if case .message = event, incoming.count >= Companion.incomingLimit {
      log.limited(
        "inbox", "a message was dropped, since the inbox cannot be written; the relay sends it again")
      return
    }
    incoming.append(event)
  }

  /// Puts what happened on disk, as much at a time as belongs together, and does what follows.
  func process() {
    guard !isProcessing else { return }
    isProcessing = true
    defer { isProcessing = false }
    do throws(StoreError) {
      while !isStopping || incoming.contains(.presented), let batch = nextBatch() {
        let effects = try keeper.take(marks + batch, at: now)
        marks = []
        incoming.removeFirst(batch.count)
        perform(effects)
        if batch == [.stored] { incoming.insert(.presented, at: 0) }
        armExpiry()
      }
    } catch {
      inboxFailed(error, "trying again")
      storeTimer?.arm(after: Companion.storePause)
    }
  }

  /// The broker has a response. That it needs not be kept any more goes along with the next transaction, or alone
  /// after a moment: what a lost mark costs is a response that is sent twice.
  private func mark(_ sequence: Int64) {
    marks.append(.acknowledged(response: sequence))
    if markTimer?.isArmed == false { markTimer?.arm(after: Companion.markPause) }
  }

  /// Puts the marks on disk that nothing else has taken along.
  func storeMarks() {
    guard !marks.isEmpty, !isStopping else { return }
    do throws(StoreError) {
      _ = try keeper.take(marks, at: now)
      marks = []
      // One that was too large for the broker stands in the way of the others no more.
      sendResponses()
    } catch {
      inboxFailed(error, "what the relay has acknowledged may be sent to it again")
      markTimer?.arm(after: Companion.storePause)
    }
  }

  /// `stored` and `presented` stand alone: lines are written between the two.
  private func nextBatch() -> [InboxKeeper.Incoming]? {
    guard let first = incoming.first else { return nil }
    if first == .stored || first == .presented { return [first] }
    return Array(incoming.prefix { $0 != .stored && $0 != .presented })
  }

  func perform(_ effects: InboxKeeper.Effects) {
    for line in effects.lines {
      write(line)
      tellApplication(line)
    }
    for delivery in effects.hidden { close(delivery) }
    if effects.hasResponses { sendResponses() }
    for errand in effects.errands { run(errand) }
    if keeper.hasUnpresented, !incoming.contains(.stored) { incoming.insert(.stored, at: 0) }
  }

  private func run(_ errand: Errand) {
    switch errand {
    case .navigate(let opened): navigate(opened)
    case .show(let notification, let presentation): show(notification, presentation)
    case .clear(let id): clear(id)
    case .consult(let notification, let usual): consult(notification, usual)
    case .ask(let publisher): ask(publisher)
    case .launch(let scheme, let delivery): launch(scheme, delivery)
    }
  }

  func write(_ line: Line) {
    guard let text = appearance.format.line(line) else { return }
    output.write(text)
    if output.isClosed { outputClosed() }
  }

  private func outputClosed() {
    guard !isStopping else { return }
    log.error("nobody reads the output any more; stopping")
    stop(status: 1)
  }

  private func navigate(_ opened: Errand.Opened) {
    // The line before it may have brought the stop. Nothing would end a command that began now.
    guard !isStopping else { return }
    do {
      let navigation = try opener.navigation(to: opened.url)
      if let application = hub?.application(for: navigation.link.scheme) {
        return hand(navigation, opened, to: application)
      }
      var variables = NavigationVariables.variables(for: opened.notification, url: opened.url)
      variables.merge(activation(opened.notification.delivery)) { $1 }
      navigator.run(
        navigation, variables: variables,
        tell: { [unowned self] step in write(.navigate(navigateLine(step, of: navigation, opened))) },
        then: { [unowned self] in navigated($0) })
    } catch {
      navigated(.failed("\(error)"))
    }
  }

  func navigateLine(_ index: Int, of navigation: Navigation, _ opened: Errand.Opened) -> NavigateLine {
    NavigateLine(
      delivery: opened.notification.delivery, id: opened.notification.id, url: opened.url,
      route: navigation.route, step: index + 1, of: navigation.steps.count, to: navigation.steps[index].to)
  }

  func navigated(_ outcome: NavigationOutcome) {
    // A navigation that the stop cut short stays started: the next run reports it.
    guard !isStopping else { return }
    happened(.navigated(outcome))
    process()
  }

  /// The inbox has failed at something that is not lost by it. Damage does not go away: the companion ends, and the relay
  /// sends again what has not been received.
  private func inboxFailed(_ error: StoreError, _ consequence: String) {
    guard damage == nil else { return }
    guard case .corrupt = error else {
      return log.limited("inbox", level: .error, "\(error); \(consequence)")
    }
    damage = error
    log.error("\(error); stopping")
    stop(status: 1)
  }

  /// Looks at what has expired, now and when the next one does.
  func expire() {
    happened(.overdue)
    process()
  }

  private func armExpiry() {
    if statusTimer?.isArmed == false { statusTimer?.arm(after: Companion.statusPause) }
    guard let next = (try? store.nextExpiry()) ?? nil else {
      expiryTimer?.disarm()
      return
    }
    expiryTimer?.arm(atMilliseconds: next)
  }

  func prune() {
    do throws(StoreError) { try keeper.prune(at: now) } catch {
      inboxFailed(error, "old deliveries are kept for now")
    }
    pruneTimer?.arm(after: Companion.prunePause)
  }
}

// Responses, until the broker has them.
extension Companion {
  /// How soon a response that the broker refused is sent again.
  private static let resendPause: Duration = .seconds(60)

  func sendResponses() {
    while window.room > 0 {
      let responses: [PendingResponse]
      do throws(StoreError) {
        responses = try store.responses(after: window.newest, limit: window.room)
      } catch {
        inboxFailed(error, "responses are sent later")
        resendTimer?.arm(after: Companion.resendPause)
        return
      }
      guard !responses.isEmpty else { return }
      for response in responses {
        guard send(response) else { return }
      }
      session?.flush()
      FaultPoint.reached("companion.responded")
    }
  }

  private func send(_ response: PendingResponse) -> Bool {
    do throws(PublicationError) {
      guard let session else { return false }
      let packetID = try session.publish(Publication(topic: topic(.response), payload: response.payload))
      window.sent(response.sequence, as: packetID)
      return true
    } catch {
      if case .tooLarge = error {
        // It never will fit; what it tells is lost rather than all after it.
        log.limited("responses", "a response is larger than the broker takes, and is dropped")
        mark(response.sequence)
      }
      return false
    }
  }

  /// - Parameter reason: from 0x80 on, the broker did not take it.
  func acknowledged(_ packetID: UInt16, reason: UInt8) {
    if reason >= 0x80 { takeover.refused() }
    guard let sequence = window.acknowledged(packetID) else {
      if reason >= 0x80 {
        log.limited(
          "publish", "the broker refused a status or profile: 0x\(String(reason, radix: 16))")
      }
      return
    }
    guard reason < 0x80 else {
      log.limited(
        "responses", "the broker refused a response: 0x\(String(reason, radix: 16)); trying again in a minute"
      )
      resendTimer?.arm(after: Companion.resendPause)
      return
    }
    FaultPoint.reached("companion.acknowledged")
    mark(sequence)
  }

  func resend() {
    guard window.isOpen else { return }
    window.rewind()
    sendResponses()
  }
}
