import CarillonModel
import CarillonStore

// Links: one navigation after another, those whose application is not there held until it is.
extension Inbox {
  /// Why a delivery that had been started before a crash is not run again.
  static let interrupted = "interrupted"

  mutating func begin(_ unfinished: [InboxEntry], _ decision: inout Decision) {
    for var entry in unfinished {
      if entry.state == .started {
        Inbox.fail(&entry, Inbox.interrupted, &decision)
      } else if entry.opening != nil {
        waiting.append(entry.delivery)
      } else if let notification = Inbox.notification(of: &entry, &decision) {
        var item = Item(entry: entry, notification: notification)
        if entry.isPresented { settle(&item, &decision) } else { unpresented.append(item) }
      }
    }
    advance(&decision)
  }

  /// What is stored of a delivery; where that cannot be read, it has failed.
  static func notification(of entry: inout InboxEntry, _ decision: inout Decision) -> Notification? {
    if let notification = entry.notification { return notification }
    fail(&entry, "what was stored of it cannot be read", &decision)
    return nil
  }

  mutating func finishNavigation(_ outcome: NavigationOutcome, _ decision: inout Decision) {
    guard let (begun, way) = current else { return }
    current = nil
    var item = begun
    let by = item.entry.opening?.by ?? .arrival
    switch outcome {
    case .failed(let reason): Inbox.fail(&item.entry, reason, &decision)
    case .opened:
      if item.entry.answer?.isAnswer != true {
        decision.answer(
          &item.entry,
          Response(
            delivery: item.entry.delivery, id: item.entry.id, event: .opened, by: by, detail: way.text,
            route: way.route, steps: way.steps))
      }
      let line = Line.opened(
        item.notification, url: item.notification.url(of: item.entry.opening?.action), by: by)
      if by == .tap || item.entry.answer?.isAnswer == true {
        decision.end(&item.entry, hides: true, line: line)
      } else {
        // Nobody has answered: it stays until somebody does.
        item.entry.state = .listed
        decision.actions += [.store(item.entry), .tell(line)]
      }
      if item.entry.isWithdrawn, item.entry.answer?.isAnswer != true {
        Inbox.takeBack(&item.entry, reason: nil, &decision)
      }
    }
    advance(&decision)
  }

  /// Asks for what is to be opened next, unless a navigation goes on.
  mutating func advance(_ decision: inout Decision) {
    guard current == nil, let delivery = waiting.popFirst() else { return }
    decision.actions.append(.load(delivery: delivery))
  }

  /// Begins the navigation. What cannot be opened, or is wanted no longer, is told instead, and the next one asked for.
  mutating func turn(_ stored: InboxEntry?, _ decision: inout Decision) {
    if var entry = stored, entry.state == .received || entry.state == .held,
      let notification = Inbox.notification(of: &entry, &decision)
    {
      open(&entry, notification, &decision)
    }
    advance(&decision)
  }

  private mutating func open(
    _ entry: inout InboxEntry, _ notification: Notification, _ decision: inout Decision
  ) {
    let opening = entry.opening ?? .init(by: .arrival)
    guard !notification.firing.isExpired(at: decision.now) || entry.answer?.isAnswer == true else {
      return Inbox.expire(&entry, notification, &decision)
    }
    let url = notification.url(of: opening.action) ?? ""
    switch manners.target(url) {
    case .refused(let reason): Inbox.fail(&entry, reason, &decision)
    case .absent(let scheme):
      if entry.state != .held {
        entry.state = .held
        decision.actions.append(.store(entry))
      }
      parked.append(Parked(item: Item(entry: entry, notification: notification), scheme: scheme))
      decision.actions.append(.begin(.launch(scheme: scheme, delivery: entry.delivery)))
    case .ready(let way):
      entry.state = .started
      decision.actions += [
        .store(entry), .begin(.navigate(.init(notification: notification, url: url, by: opening.by))),
      ]
      current = (Item(entry: entry, notification: notification), way)
    }
  }

  /// An application is there: what was held for it gets its turn, in order.
  mutating func attached(_ schemes: Set<String>, _ decision: inout Decision) {
    for one in parked where schemes.contains(one.scheme) { waiting.append(one.item.entry.delivery) }
    parked.removeAll { schemes.contains($0.scheme) }
    advance(&decision)
  }

  mutating func absent(_ schemes: Set<String>, _ reason: String, _ decision: inout Decision) {
    let lost = parked.filter { schemes.contains($0.scheme) }
    parked.removeAll { schemes.contains($0.scheme) }
    for var one in lost { Inbox.fail(&one.item.entry, reason, &decision) }
  }
}

extension Notification {
  /// The link of one of its buttons, or its own.
  func url(of action: String?) -> String? {
    guard let action else { return url }
    return actions.first { $0.id.isIdentical(to: action) }?.url
  }
}
