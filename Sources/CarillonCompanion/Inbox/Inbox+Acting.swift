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
      guard case .notification(let notification)? = try? DeviceMessage(parsing: entry.payload ?? []) else {
        Inbox.fail(&entry, "what was stored of it cannot be read", &decision)
        continue
      }
      let item = Item(entry: entry, notification: notification)
      if entry.isPresented { waiting.append(item) } else { unpresented.append(item) }
    }
    advance(&decision)
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
      if item.notification.url == nil { showing.append(item) } else { waiting.append(item) }
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

  /// Begins the next navigation, unless one goes on. What cannot be opened, or is wanted no longer, is told on the way.
  private mutating func advance(_ decision: inout Decision) {
    while current == nil, var item = waiting.popFirst() {
      if item.notification.firing.isExpired(at: decision.now) {
        Inbox.expire(&item.entry, item.notification, &decision)
      } else if let reason = refusal(item.notification.url ?? "") {
        Inbox.fail(&item.entry, reason, &decision)
      } else {
        item.entry.state = .started
        decision.actions += [.store(item.entry), .navigate(item.notification)]
        current = item
      }
    }
  }
}
