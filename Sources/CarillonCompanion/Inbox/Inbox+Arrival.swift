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
      delivery: notification.delivery, id: notification.id,
      expires: notification.firing.expiry?.milliseconds, payload: notification.encoded)
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
    guard var entry = known else {
      // It has overtaken its notification, which then is a repeat of something that is over.
      var entry = InboxEntry(delivery: withdrawal.delivery, id: withdrawal.id)
      Inbox.takeBack(&entry, reason: nil, &decision)
      return
    }
    let reason = withdrawal.reason ?? ""
    // What a person has answered here is over for the relay: it goes on here, and is not taken back.
    guard entry.answer?.isFinal != true else { return Inbox.answerAgain(entry, &decision) }
    switch entry.state {
    case .done, .listed: Inbox.takeBack(&entry, reason: reason, &decision)
    case .received, .held:
      if takeOut(entry.delivery) {
        Inbox.takeBack(&entry, reason: entry.isPresented ? reason : nil, &decision)
      } else {
        mark(entry.delivery, reason, &decision)
      }
    case .started: mark(entry.delivery, reason, &decision)
    }
  }

  /// What has begun is not broken off: it is answered when it has ended.
  private mutating func mark(_ delivery: String, _ reason: String, _ decision: inout Decision) {
    func mark(_ item: inout Item) {
      guard !item.entry.isWithdrawn else { return }
      item.entry.isWithdrawn = true
      decision.actions += [
        .store(item.entry), .hide(delivery: delivery),
        .tell(.withdrawn(delivery: delivery, id: item.entry.id, reason: reason)),
      ]
    }
    if var open = current, open.item.entry.delivery.isIdentical(to: delivery) {
      mark(&open.item)
      current = open
    } else if let index = showing.firstIndex(where: { $0.item.entry.delivery.isIdentical(to: delivery) }) {
      mark(&showing[index].item)
    }
  }

  /// Takes a delivery that has not begun off what waits.
  ///
  /// - Returns: whether it was there.
  mutating func takeOut(_ delivery: String) -> Bool {
    func isIt(_ item: Item) -> Bool { item.entry.delivery.isIdentical(to: delivery) }
    if let index = unpresented.firstIndex(where: isIt) {
      unpresented.remove(at: index)
    } else if let index = consulted.firstIndex(where: isIt) {
      consulted.remove(at: index)
    } else if let index = parked.firstIndex(where: { isIt($0.item) }) {
      parked.remove(at: index)
    } else if let index = undecided.firstIndex(where: { $0.isIdentical(to: delivery) }) {
      undecided.remove(at: index)
    } else {
      return waiting.remove { $0.isIdentical(to: delivery) } != nil
    }
    return true
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

  /// It stays on the list: a person may still want to read what could not be opened. What a person has answered stays
  /// answered.
  static func fail(_ entry: inout InboxEntry, _ reason: String, _ decision: inout Decision) {
    if entry.answer?.isAnswer != true {
      decision.answer(
        &entry, Response(delivery: entry.delivery, id: entry.id, event: .failed, detail: reason))
    }
    decision.end(
      &entry, hides: false, line: .failed(delivery: entry.delivery, id: entry.id, reason: reason))
  }
}
