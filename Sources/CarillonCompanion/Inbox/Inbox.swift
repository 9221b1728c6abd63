import CarillonModel
import CarillonStore

/// Decides what becomes of each delivery: what is stored, answered, shown and opened, in which order.
///
/// A value without clock, file or socket. Whoever drives it hands in what happened, puts all `store`, `show`, `hide`
/// and `respond` actions of that into one transaction, and carries out the others once it is committed. Where the
/// transaction fails, the value from before is taken back and the same event is handed in again later.
///
/// Opening a link takes three steps, each on disk before the next: received or held, started, done. Killed at any
/// instant, a companion opens what it had received, answers for what was done, and reports what it had started as
/// `failed: interrupted`, for nobody knows how far that came.
public struct Inbox {
  /// What happened.
  public enum Event {
    /// The companion has started; these deliveries were not over when the last run ended, in their order.
    case began(unfinished: [InboxEntry])
    /// A notification came; with what is known of its delivery already.
    case arrived(Notification, known: InboxEntry?)
    /// A withdrawal came.
    case withdrawn(Withdrawal, known: InboxEntry?)
    /// A message came that tells its delivery but cannot be read.
    case unreadable(delivery: String, id: String, reason: String, known: InboxEntry?)
    /// What arrived is on disk and may be shown.
    case stored
    /// The lines of what was to be shown are written.
    case presented
    /// The application that was consulted has said how to present a delivery; `nil` where it has said nothing.
    case ruled(delivery: String, Presentation?)
    /// A person has tapped a delivery, or pressed one of its buttons.
    case answered(InboxEntry?, action: String?, text: String?)
    /// A person has put a delivery away.
    case dismissed(InboxEntry?)
    /// A bubble has gone by itself.
    case timedOut(InboxEntry?)
    /// What publishers may do has changed; with what waited for that.
    case reconsidered([InboxEntry])
    /// The seat is unlocked; with what was presented with less meanwhile.
    case unveiled([InboxEntry])
    /// These have ended without an answer.
    case overdue([InboxEntry])
    /// An application has attached for these schemes.
    case attached(Set<String>)
    /// The application for these schemes cannot be started.
    case absent(Set<String>, reason: String)
    /// The navigation that was asked for last has ended.
    case navigated(NavigationOutcome)
    /// It is the turn of a delivery that waited; with what is stored of it.
    case turn(InboxEntry?)
    /// The broker has a response.
    case acknowledged(Int64)
  }

  /// What to do about it.
  public enum Action: Hashable {
    /// In the transaction: a delivery's state.
    case store(InboxEntry)
    /// In the transaction: it is on the list, in the place of older firings of its id.
    case show(delivery: String, id: String)
    /// In the transaction: it is off the list. After it: off the screen.
    case hide(delivery: String)
    /// In the transaction, to be sent after it.
    case respond(Response)
    /// In the transaction: the response needs not be kept any more.
    case forget(response: Int64)
    /// In the transaction, after all else: what is stored of the delivery; `turn` must follow in the same one.
    case load(delivery: String)
    /// After the transaction: a line for the person or program that watches.
    case tell(Line)
    /// After the transaction: something to set going.
    case begin(Errand)
  }

  /// A delivery that is not over.
  struct Item {
    var entry: InboxEntry
    var notification: Notification
  }

  /// A delivery whose application is not there.
  struct Parked {
    var item: Item
    var scheme: String
  }

  /// What this device does at the moment.
  let manners: Manners
  /// Stored, their lines not yet written.
  var unpresented: [Item] = []
  /// Their publisher was not decided on yet. Their content is on disk.
  var undecided: [String] = []
  /// Their lines are being written; and whether an application is consulted then.
  var showing: [(item: Item, consults: Bool)] = []
  /// An application has been consulted.
  var consulted: [Item] = []
  /// With a link to be opened, in the order in which that was asked for. Their content is on disk: behind a long command
  /// there is room for any number of them.
  var waiting = Queue<String>()
  /// With a link whose application is not there, in order.
  var parked: [Parked] = []
  /// Being navigated to.
  var current: (item: Item, way: Way)?

  /// - Parameter manners: what this device does with a notification and with a link, asked at each.
  public init(manners: Manners) {
    self.manners = manners
  }

  /// Whether `stored` is due: something arrived whose line has not been written.
  public var hasUnpresented: Bool { !unpresented.isEmpty }

  /// Whether lines are being written of what is over with that, but for a person's answer.
  var isShowing: Bool { showing.contains { $0.item.entry.opening == nil } }

  /// Whether a navigation goes on.
  public var isNavigating: Bool { current != nil }

  /// Decides. The time is only compared with what expires, and told in responses.
  public mutating func handle(_ event: Event, at now: WallTime) -> [Action] {
    var decision = Decision(now: now)
    switch event {
    case .began(let unfinished): begin(unfinished, &decision)
    case .arrived(let notification, let known): arrive(notification, known, &decision)
    case .withdrawn(let withdrawal, let known): withdraw(withdrawal, known, &decision)
    case .unreadable(let delivery, let id, let reason, let known):
      refuse(delivery, id, reason, known, &decision)
    case .stored: present(&decision)
    case .presented: finishShowing(&decision)
    case .ruled(let delivery, let presentation): rule(delivery, presentation, &decision)
    case .answered(let entry, let action, let text): answer(entry, action, text, &decision)
    case .dismissed(let entry): dismiss(entry, &decision)
    case .timedOut(let entry): timeOut(entry, &decision)
    case .reconsidered(let entries): reconsider(entries, &decision)
    case .unveiled(let entries): unveil(entries, &decision)
    case .overdue(let entries): expire(entries, &decision)
    case .attached(let schemes): attached(schemes, &decision)
    case .absent(let schemes, let reason): absent(schemes, reason, &decision)
    case .navigated(let outcome): finishNavigation(outcome, &decision)
    case .turn(let entry): turn(entry, &decision)
    case .acknowledged(let sequence): decision.actions.append(.forget(response: sequence))
    }
    return decision.actions
  }
}

/// How a navigation ended.
public enum NavigationOutcome: Hashable, Sendable {
  case opened
  /// With the reason, for a person to read.
  case failed(String)
}

/// The actions that add up while one event is decided on.
struct Decision {
  let now: WallTime
  var actions: [Inbox.Action] = []

  /// The delivery is over with this response, which is stored, sent and, with `line`, shown.
  mutating func finish(_ entry: inout InboxEntry, _ response: Response, hides: Bool, line: Line?) {
    answer(&entry, response)
    end(&entry, hides: hides, line: line)
  }

  /// The delivery is over, and has been answered before.
  mutating func end(_ entry: inout InboxEntry, hides: Bool, line: Line?) {
    entry.state = .done
    actions.append(.store(entry))
    if hides { actions.append(.hide(delivery: entry.delivery)) }
    if let line { actions.append(.tell(line)) }
  }

  /// Responds with the time, and remembers the response for repeats.
  mutating func answer(_ entry: inout InboxEntry, _ response: Response) {
    var response = response
    response.at = timestamp(utc: now)
    entry.answer = response
    actions.append(.respond(response))
  }
}
