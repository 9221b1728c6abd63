import CarillonModel
import CarillonStore

// What is seen of a notification: a line, a bubble, a place on the list.
extension Inbox {
  /// Lines are written for what is on disk. That they are about to be is stored first, so none is written twice.
  mutating func present(_ decision: inout Decision) {
    let items = unpresented
    unpresented = []
    for var item in items {
      if item.notification.firing.isExpired(at: decision.now) {
        Inbox.expire(&item.entry, item.notification, &decision)
        continue
      }
      switch manners.ruling(item.notification) {
      case .suppress(let reason): suppress(&item, reason, &decision)
      case .ask:
        decision.actions += [
          .show(delivery: item.entry.delivery, id: item.entry.id),
          .begin(.ask(publisher: item.notification.firing.from)),
        ]
        undecided.append(item.entry.delivery)
      case .present(let manner): begin(item, manner, &decision)
      }
    }
  }

  private func suppress(_ item: inout Item, _ reason: String, _ decision: inout Decision) {
    item.entry.isPresented = true
    item.entry.state = .listed
    item.entry.presentation = .list
    decision.answer(
      &item.entry,
      Response(delivery: item.entry.delivery, id: item.entry.id, event: .suppressed, detail: reason))
    decision.actions += [
      .show(delivery: item.entry.delivery, id: item.entry.id), .store(item.entry),
      .begin(.clear(id: item.entry.id)),
      .tell(.suppressed(delivery: item.entry.delivery, id: item.entry.id, reason: reason)),
    ]
  }

  private mutating func begin(_ item: Item, _ manner: Ruling.Manner, _ decision: inout Decision) {
    var item = item
    item.entry.isPresented = true
    item.entry.presentation = manner.presentation
    item.entry.isVeiled = manner.isVeiled
    if item.notification.url != nil, manner.opens == .arrival { item.entry.opening = .init(by: .arrival) }
    decision.actions += [
      .store(item.entry), .show(delivery: item.entry.delivery, id: item.entry.id),
      .tell(.notification(item.notification)),
    ]
    showing.append((item, manner.consults))
  }

  /// The lines are written.
  mutating func finishShowing(_ decision: inout Decision) {
    let all = showing
    showing = []
    for one in all {
      var item = one.item
      if item.entry.isWithdrawn {
        Inbox.takeBack(&item.entry, reason: nil, &decision)
      } else if one.consults {
        decision.actions.append(.begin(.consult(item.notification, item.entry.presentation)))
        consulted.append(item)
      } else {
        settle(&item, &decision)
      }
    }
    advance(&decision)
  }

  mutating func rule(_ delivery: String, _ presentation: Presentation?, _ decision: inout Decision) {
    guard let index = consulted.firstIndex(where: { $0.entry.delivery.isIdentical(to: delivery) }) else {
      return
    }
    var item = consulted.remove(at: index)
    if let presentation { item.entry.presentation = presentation }
    settle(&item, &decision, isShownElsewhere: presentation != nil)
    advance(&decision)
  }

  /// How it is presented is settled: from now on a person may answer, or its link is opened since it arrived.
  ///
  /// - Parameter isShownElsewhere: whether an application has taken the presenting on itself.
  mutating func settle(_ item: inout Item, _ decision: inout Decision, isShownElsewhere: Bool = false) {
    let presentation = item.entry.presentation
    if presentation.contains(.banner) {
      decision.actions.append(.begin(.show(item.notification, presentation)))
    } else {
      decision.actions.append(.begin(.clear(id: item.entry.id)))
    }
    if item.entry.opening?.by == .arrival {
      waiting.append(item.entry.delivery)
    } else {
      item.entry.state = .listed
      if presentation.contains(.banner) || isShownElsewhere {
        decision.answer(
          &item.entry, Response(delivery: item.entry.delivery, id: item.entry.id, event: .presented))
      }
    }
    decision.actions.append(.store(item.entry))
  }

  /// A bubble that has gone by itself is on the list still, if it was to be there at all.
  mutating func timeOut(_ known: InboxEntry?, _ decision: inout Decision) {
    guard var entry = known, entry.state == .listed else { return }
    entry.presentation.remove(.banner)
    if entry.presentation.contains(.list) {
      decision.actions.append(.store(entry))
    } else {
      decision.end(&entry, hides: true, line: nil)
    }
  }

  /// What publishers may do has changed: those who waited for that are ruled on again.
  mutating func reconsider(_ entries: [InboxEntry], _ decision: inout Decision) {
    undecided = []
    for var entry in entries where entry.state == .received {
      guard let notification = Inbox.notification(of: &entry, &decision) else { continue }
      unpresented.append(Item(entry: entry, notification: notification))
    }
  }

  /// The seat is unlocked: what came meanwhile is shown.
  func unveil(_ entries: [InboxEntry], _ decision: inout Decision) {
    for var entry in entries where entry.state == .listed {
      guard let notification = Inbox.notification(of: &entry, &decision),
        case .present(let manner) = manners.ruling(notification), !manner.isVeiled
      else { continue }
      entry.isVeiled = false
      entry.presentation = manner.presentation
      if manner.presentation.contains(.banner) {
        decision.actions.append(.begin(.show(notification, manner.presentation)))
        if entry.answer?.event == .received {
          decision.answer(&entry, Response(delivery: entry.delivery, id: entry.id, event: .presented))
        }
      }
      decision.actions.append(.store(entry))
    }
  }

  /// Nobody has answered in time.
  mutating func expire(_ entries: [InboxEntry], _ decision: inout Decision) {
    for var entry in entries {
      guard entry.state == .listed || takeOut(entry.delivery) else { continue }
      if entry.answer?.isAnswer == true {
        decision.end(&entry, hides: true, line: nil)
      } else if let notification = Inbox.notification(of: &entry, &decision) {
        Inbox.expire(&entry, notification, &decision)
      }
    }
  }
}
