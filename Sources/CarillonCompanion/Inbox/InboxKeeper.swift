import CarillonLoop
import CarillonModel
import CarillonStore

/// Keeps an inbox's decisions on disk: one transaction for what happened together, then what follows from it.
public final class InboxKeeper {
  /// What happened, before it is known what the inbox has on it.
  public enum Incoming: Hashable, Sendable {
    case message(DeviceMessage)
    /// A message that cannot be read, but tells its delivery.
    case unreadable(delivery: String, id: String, reason: String)
    case stored
    case presented
    case ruled(delivery: String, Presentation?)
    /// A person has tapped a delivery, or pressed its button `action`.
    case answered(delivery: String, action: String?, text: String?)
    case dismissed(delivery: String)
    case timedOut(delivery: String)
    /// What publishers may do has changed.
    case reconsider
    /// The seat is not locked any more.
    case unveil
    /// It is time to look at what has expired.
    case overdue
    case attached(schemes: Set<String>)
    case absent(schemes: Set<String>, reason: String)
    case navigated(NavigationOutcome)
    case acknowledged(response: Int64)
  }

  /// What to do once it is on disk.
  public struct Effects: Hashable {
    /// In the order in which they are to be written.
    public var lines: [Line] = []
    /// What to set going after that, in order; one navigation at most.
    public var errands: [Errand] = []
    /// The deliveries that are off the screen now.
    public var hidden: [String] = []
    /// Whether there are responses to send that were not there before.
    public var hasResponses = false
  }

  private var inbox: Inbox
  private let store: InboxStore

  /// How long what is over is remembered: a delivery's longest way through the relay's outbox is 30 days.
  public static let memory: Duration = .seconds(31 * 86_400)

  public init(store: InboxStore, manners: Manners) {
    self.store = store
    inbox = Inbox(manners: manners)
  }

  /// Whether `stored` is due.
  public var hasUnpresented: Bool { inbox.hasUnpresented }

  /// Takes up what the last run left.
  public func begin(at now: WallTime) throws(StoreError) -> Effects {
    let unfinished = try store.unfinished()
    return try transaction(at: now) { (handle) throws(StoreError) in
      try handle { _ in .began(unfinished: unfinished) }
    }
  }

  /// Decides on what happened, in order, in one transaction.
  ///
  /// - Throws: where nothing of it could be stored; then nothing of it has happened, and it may be handed in again.
  public func take(_ incoming: [Incoming], at now: WallTime) throws(StoreError) -> Effects {
    FaultPoint.reached("companion.arrived", if: incoming.contains(where: isMessage))
    if incoming.contains(where: ends) { FaultPoint.reached("companion.before-done") }
    let effects = try transaction(at: now) { (handle) throws(StoreError) in
      for one in incoming { try handle { (inbox) throws(StoreError) in try self.event(one, inbox, at: now) } }
    }
    FaultPoint.reached("companion.marked", if: incoming.contains(where: isMark))
    return effects
  }

  /// Forgets what has been over for long.
  public func prune(at now: WallTime) throws(StoreError) {
    try store.write { () throws(StoreError) in
      try store.prune(before: (now - InboxKeeper.memory).milliseconds)
    }
  }

  /// Whether this ends what has been started.
  private func ends(_ incoming: Incoming) -> Bool {
    switch incoming {
    case .presented: inbox.isShowing
    case .navigated: inbox.isNavigating
    default: false
    }
  }

  private func isMessage(_ incoming: Incoming) -> Bool {
    if case .message = incoming { true } else { false }
  }

  private func isMark(_ incoming: Incoming) -> Bool {
    if case .acknowledged = incoming { true } else { false }
  }

  private func event(
    _ incoming: Incoming, _ inbox: Inbox, at now: WallTime
  ) throws(StoreError) -> Inbox.Event {
    switch incoming {
    case .message(.notification(let notification)):
      .arrived(notification, known: try store.entry(notification.delivery))
    case .message(.withdrawal(let withdrawal)):
      .withdrawn(withdrawal, known: try store.entry(withdrawal.delivery))
    case .unreadable(let delivery, let id, let reason):
      .unreadable(delivery: delivery, id: id, reason: reason, known: try store.entry(delivery))
    case .stored: .stored
    case .presented: .presented
    case .ruled(let delivery, let presentation): .ruled(delivery: delivery, presentation)
    case .answered(let delivery, let action, let text):
      .answered(try store.entry(delivery), action: action, text: text)
    case .dismissed(let delivery): .dismissed(try store.entry(delivery))
    case .timedOut(let delivery): .timedOut(try store.entry(delivery))
    case .reconsider: .reconsidered(try undecided(inbox))
    case .unveil: .unveiled(try store.veiled())
    case .overdue: .overdue(try store.overdue(now.milliseconds))
    case .attached(let schemes): .attached(schemes)
    case .absent(let schemes, let reason): .absent(schemes, reason: reason)
    case .navigated(let outcome): .navigated(outcome)
    case .acknowledged(let sequence): .acknowledged(sequence)
    }
  }

  /// What waits until its publisher is decided on.
  private func undecided(_ inbox: Inbox) throws(StoreError) -> [InboxEntry] {
    var entries: [InboxEntry] = []
    for delivery in inbox.undecided {
      if let entry = try store.entry(delivery) { entries.append(entry) }
    }
    return entries
  }

  private func transaction(
    at now: WallTime,
    _ body: (((Inbox) throws(StoreError) -> Inbox.Event) throws(StoreError) -> Void) throws(StoreError) ->
      Void
  ) throws(StoreError) -> Effects {
    var changed = inbox
    var effects = Effects()
    var reached = Set<InboxEntry.State>()
    var isPresenting = false
    try store.write { () throws(StoreError) in
      try body { (event) throws(StoreError) in
        var actions = changed.handle(try event(changed), at: now)
        while !actions.isEmpty {
          for action in actions {
            try self.apply(action, at: now, &effects)
            if case .store(let entry) = action {
              reached.insert(entry.state)
              isPresenting =
                isPresenting || entry.state == .received && entry.isPresented && entry.opening == nil
            }
          }
          guard case .load(let delivery)? = actions.last else { break }
          actions = changed.handle(.turn(try self.store.entry(delivery)), at: now)
        }
      }
    }
    inbox = changed
    if reached.contains(.received) { FaultPoint.reached("companion.received") }
    FaultPoint.reached("companion.started", if: reached.contains(.started) || isPresenting)
    FaultPoint.reached("companion.done", if: reached.contains(.done) || reached.contains(.listed))
    return effects
  }

  private func apply(_ action: Inbox.Action, at now: WallTime, _ effects: inout Effects) throws(StoreError) {
    switch action {
    case .store(let entry): try store.put(entry, now: now.milliseconds)
    case .show(let delivery, let id): try store.show(delivery, id: id)
    case .hide(let delivery):
      try store.hide(delivery)
      effects.hidden.append(delivery)
    case .respond(let response):
      if try store.add(response, now: now.milliseconds) != nil { effects.hasResponses = true }
    case .forget(let sequence): try store.removeResponse(sequence)
    // Followed up once all else is done.
    case .load: break
    case .tell(let line): effects.lines.append(line)
    case .begin(let errand): effects.errands.append(errand)
    }
  }
}
