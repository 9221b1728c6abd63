import CarillonModel
import CarillonStore

// What is done about what came in: lines, then one navigation after another.
extension Inbox {
  /// Why a delivery that had been started before a crash is not run again.
  static let interrupted = "interrupted"

  mutating func begin(_ unfinished: [InboxEntry], _ decision: inout Decision) {
    for var entry in unfinished {
      guard entry.state == .received else {
        Inbox.fail(&entry, Inbox.interrupted, &decision)
        continue
      }
      if entry.isPresented {
        waiting.append(entry.delivery)
      } else if let notification = Inbox.notification(of: &entry, &decision) {
        unpresented.append(Item(entry: entry, notification: notification))
      }
    }
    advance(&decision)
  }

  /// What is stored of a delivery; where that cannot be read, it has failed.
  private static func notification(of entry: inout InboxEntry, _ decision: inout Decision) -> Notification? {
    if case .notification(let notification)? = try? DeviceMessage(parsing: entry.payload ?? []) {
      return notification
    }
    fail(&entry, "what was stored of it cannot be read", &decision)
    return nil
  }

  /// Lines are written for what is on disk. That they are about to be is stored first, so none is written twice.
  mutating func present(_ decision: inout Decision) {
    let items = unpresented
    unpresented = []
    for var item in items {
      if item.notification.firing.isExpired(at: decision.now) {
        Inbox.expire(&item.entry, item.notification, &decision)
        continue
      }
      item.entry.isPresented = true
      if item.notification.url == nil { item.entry.state = .started }
      decision.actions += [
        .store(item.entry), .show(delivery: item.entry.delivery, id: item.entry.id),
        .tell(.notification(item.notification)),
      ]
      if item.notification.url == nil { showing.append(item) } else { waiting.append(item.entry.delivery) }
    }
  }

  /// A notification without a link has been shown, and that was all.
  mutating func finishShowing(_ decision: inout Decision) {
    let items = showing
    showing = []
    for var item in items {
      if item.entry.isWithdrawn {
        Inbox.takeBack(&item.entry, reason: nil, &decision)
      } else {
        item.entry.state = .done
        decision.actions.append(.store(item.entry))
      }
    }
    advance(&decision)
  }

  mutating func finishNavigation(_ outcome: NavigationOutcome, _ decision: inout Decision) {
    guard var item = current else { return }
    current = nil
    switch outcome {
    case .failed(let reason): Inbox.fail(&item.entry, reason, &decision)
    case .opened:
      decision.finish(
        &item.entry,
        Response(delivery: item.entry.delivery, id: item.entry.id, event: .opened, by: .arrival),
        hides: false,
        line: .opened(item.notification))
      if item.entry.isWithdrawn { Inbox.takeBack(&item.entry, reason: nil, &decision) }
    }
    advance(&decision)
  }

  /// Asks for what is to be opened next, unless a navigation goes on.
  private mutating func advance(_ decision: inout Decision) {
    guard current == nil, let delivery = waiting.popFirst() else { return }
    decision.actions.append(.load(delivery: delivery))
  }

  /// Begins the navigation. What cannot be opened, or is wanted no longer, is told instead, and the next one asked for.
  mutating func turn(_ stored: InboxEntry?, _ decision: inout Decision) {
    if var entry = stored, entry.state == .received,
      let notification = Inbox.notification(of: &entry, &decision)
    {
      if notification.firing.isExpired(at: decision.now) {
        Inbox.expire(&entry, notification, &decision)
      } else if let reason = refusal(notification.url ?? "") {
        Inbox.fail(&entry, reason, &decision)
      } else {
        entry.state = .started
        decision.actions += [.store(entry), .navigate(notification)]
        current = Item(entry: entry, notification: notification)
      }
    }
    advance(&decision)
  }
}
