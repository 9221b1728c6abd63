import CarillonModel
import CarillonStore

// What a person does with a notification. Each is an answer: the relay takes the notification from the other devices.
extension Inbox {
  /// A tap, or a button.
  ///
  /// - Parameter action: the button; `nil` for the notification itself.
  mutating func answer(
    _ known: InboxEntry?, _ action: String?, _ text: String?, _ decision: inout Decision
  ) {
    // A second tap is none: what was tapped is over, or on its way.
    guard var entry = known, entry.isAnswerable, let notification = Inbox.notification(of: &entry, &decision)
    else { return }
    if notification.firing.isExpired(at: decision.now), entry.state != .started {
      guard entry.state == .listed || takeOut(entry.delivery) else { return }
      Inbox.expire(&entry, notification, &decision)
    } else if let action {
      act(&entry, notification, action, text, &decision)
    } else {
      tap(&entry, notification, &decision)
    }
    advance(&decision)
  }

  private mutating func tap(
    _ entry: inout InboxEntry, _ notification: Notification, _ decision: inout Decision
  ) {
    switch entry.state {
    case .done: return
    case .listed:
      if let url = notification.url { return open(&entry, url, .init(by: .tap), &decision) }
      decision.finish(
        &entry, Response(delivery: entry.delivery, id: entry.id, event: .opened, by: .tap), hides: true,
        line: .opened(notification, url: nil, by: .tap))
    case .received, .held, .started:
      // It is on its way already, since it arrived: now because a person wants it.
      entry.opening = .init(by: .tap)
      if entry.state == .started { current?.item.entry.opening = entry.opening }
      decision.actions.append(.store(entry))
    }
  }

  private mutating func act(
    _ entry: inout InboxEntry, _ notification: Notification, _ action: String, _ text: String?,
    _ decision: inout Decision
  ) {
    guard let button = notification.actions.first(where: { $0.id.isIdentical(to: action) }) else { return }
    var response = Response(
      delivery: entry.delivery, id: entry.id, event: .acted, action: action, text: text)
    let line = Line.acted(delivery: entry.delivery, id: entry.id, action: action, text: text)
    guard let url = button.url else { return end(&entry, response, line, &decision) }
    guard entry.state == .listed || takeOut(entry.delivery) else {
      response.detail = "failed: another link of it has been opened"
      return end(&entry, response, line, &decision)
    }
    if case .refused(let reason) = manners.target(url) { response.detail = "failed: \(reason)" }
    // The answer is given, wherever the button's link leads: the other devices need not wait for that.
    decision.answer(&entry, response)
    decision.actions += [.hide(delivery: entry.delivery), .tell(line)]
    open(&entry, url, .init(by: .tap, action: action), &decision)
  }

  private mutating func open(
    _ entry: inout InboxEntry, _ url: String, _ opening: InboxEntry.Opening, _ decision: inout Decision
  ) {
    entry.opening = opening
    if case .refused(let reason) = manners.target(url) {
      Inbox.fail(&entry, reason, &decision)
      return
    }
    entry.state = .held
    decision.actions.append(.store(entry))
    waiting.append(entry.delivery)
  }

  mutating func dismiss(_ known: InboxEntry?, _ decision: inout Decision) {
    guard var entry = known, entry.isAnswerable else { return }
    end(
      &entry, Response(delivery: entry.delivery, id: entry.id, event: .dismissed),
      .dismissed(delivery: entry.delivery, id: entry.id), &decision)
    advance(&decision)
  }

  /// It is answered, and nothing more is to be done about it. A navigation that goes on comes to its end.
  private mutating func end(
    _ entry: inout InboxEntry, _ response: Response, _ line: Line, _ decision: inout Decision
  ) {
    guard entry.state == .started else {
      _ = takeOut(entry.delivery)
      decision.finish(&entry, response, hides: true, line: line)
      return
    }
    decision.answer(&entry, response)
    current?.item.entry.answer = entry.answer
    decision.actions += [.store(entry), .hide(delivery: entry.delivery), .tell(line)]
  }
}

extension InboxEntry {
  /// Whether a person may answer: it was presented, and nobody has answered or taken it back.
  fileprivate var isAnswerable: Bool {
    guard isPresented, !isWithdrawn else { return false }
    switch answer?.event {
    case .acted, .dismissed, .withdrawn, .expired: return false
    case .opened: return answer?.by != .tap && state != .done
    // What failed may still be put away, for as long as it is listed.
    case .failed: return payload != nil
    default: return opening?.action == nil
    }
  }
}
