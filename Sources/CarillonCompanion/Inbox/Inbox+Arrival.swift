import CarillonModel
import CarillonStore

// What comes in: notifications, withdrawals, and what cannot be read.
extension Inbox {
  mutating func arrive(_ notification: Notification, _ known: InboxEntry?, _ decision: inout Decision) {
    if let known {
      Inbox.answerAgain(known, &decision)
      return
    }
    var entry = InboxEntry(
      delivery: notification.delivery, id: notification.id, payload: notification.encoded)
    if notification.firing.isExpired(at: decision.now) {
      entry.payload = nil
      Inbox.expire(&entry, notification, &decision)
      return
    }
    decision.answer(&entry, Response(delivery: entry.delivery, id: entry.id, event: .received))
    decision.actions.append(.store(entry))
    unpresented.append(Item(entry: entry, notification: notification))
  }

  mutating func refuse(
    _ delivery: String, _ id: String, _ reason: String, _ known: InboxEntry?, _ decision: inout Decision
  ) {
    if let known {
      Inbox.answerAgain(known, &decision)
      return
    }
    var entry = InboxEntry(delivery: delivery, id: id)
    Inbox.fail(&entry, reason, &decision)
  }

  mutating func withdraw(_ withdrawal: Withdrawal, _ known: InboxEntry?, _ decision: inout Decision) {
    guard let known else {
      // It has overtaken its notification, which then is a repeat of something that is over.
      var entry = InboxEntry(delivery: withdrawal.delivery, id: withdrawal.id)
      Inbox.takeBack(&entry, reason: nil, &decision)
      return
    }
    switch known.state {
    case .done:
      if known.answer?.isFinal == true {
        Inbox.answerAgain(known, &decision)
      } else {
        var entry = known
        Inbox.takeBack(&entry, reason: withdrawal.reason ?? "", &decision)
      }
    case .received:
      guard takeOut(known.delivery) else { return }
      var entry = known
      Inbox.takeBack(&entry, reason: entry.isPresented ? withdrawal.reason ?? "" : nil, &decision)
    case .started:
      mark(known.delivery, withdrawal, &decision)
    }
  }

  /// What has begun is not broken off: it is answered when it has ended.
  private mutating func mark(_ delivery: String, _ withdrawal: Withdrawal, _ decision: inout Decision) {
    func mark(_ item: inout Item) {
      guard !item.entry.isWithdrawn else { return }
      item.entry.isWithdrawn = true
      decision.actions += [
        .store(item.entry), .hide(delivery: delivery),
        .tell(.withdrawn(delivery: delivery, id: item.entry.id, reason: withdrawal.reason ?? "")),
      ]
    }
    if current?.entry.delivery.isIdentical(to: delivery) == true, var item = current {
      mark(&item)
      current = item
    } else if let index = showing.firstIndex(where: { $0.entry.delivery.isIdentical(to: delivery) }) {
      mark(&showing[index])
    }
  }

  /// Takes a delivery that has not begun off what waits.
  ///
  /// - Returns: whether it was there.
  private mutating func takeOut(_ delivery: String) -> Bool {
    if let index = unpresented.firstIndex(where: { $0.entry.delivery.isIdentical(to: delivery) }) {
      unpresented.remove(at: index)
      return true
    }
    return waiting.remove { $0.isIdentical(to: delivery) } != nil
  }
}

extension Inbox {
  /// A repeat is answered with its state again, and nothing else is done about it.
  static func answerAgain(_ known: InboxEntry, _ decision: inout Decision) {
    let received = Response(
      delivery: known.delivery, id: known.id, event: .received, at: timestamp(utc: decision.now))
    decision.actions.append(.respond(known.answer ?? received))
  }

  /// - Parameter reason: why, for a line; `nil` where nobody has seen the notification.
  static func takeBack(_ entry: inout InboxEntry, reason: String?, _ decision: inout Decision) {
    entry.isWithdrawn = true
    decision.finish(
      &entry, Response(delivery: entry.delivery, id: entry.id, event: .withdrawn), hides: true,
      line: reason.map { .withdrawn(delivery: entry.delivery, id: entry.id, reason: $0) })
  }

  static func expire(_ entry: inout InboxEntry, _ notification: Notification, _ decision: inout Decision) {
    decision.finish(
      &entry, Response(delivery: entry.delivery, id: entry.id, event: .expired), hides: true,
      line: .expired(notification))
  }

  /// It stays on the screen: a person may still want to read what could not be opened.
  static func fail(_ entry: inout InboxEntry, _ reason: String, _ decision: inout Decision) {
    decision.finish(
      &entry, Response(delivery: entry.delivery, id: entry.id, event: .failed, detail: reason), hides: false,
      line: .failed(delivery: entry.delivery, id: entry.id, reason: reason))
  }
}
