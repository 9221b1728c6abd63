import CarillonModel
import CarillonStore

/// Decides what becomes of each delivery: what is stored, answered, shown and opened, in which order.
///
/// A value without clock, file or socket. Whoever drives it hands in what happened, puts all `store`, `show`, `hide`
/// and `respond` actions of that into one transaction, and carries out the others once it is committed. Where the
/// transaction fails, the value from before is taken back and the same event is handed in again later.
///
/// Acting on a delivery takes three steps, each on disk before the next: received, started, done. Killed at any
/// instant, a companion acts on what it had received, answers for what was done, and reports what it had started as
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
    /// In the transaction: it is on the screen, in the place of older firings of its id.
    case show(delivery: String, id: String)
    /// In the transaction: it is off the screen.
    case hide(delivery: String)
    /// In the transaction, to be sent after it.
    case respond(Response)
    /// In the transaction: the response needs not be kept any more.
    case forget(response: Int64)
    /// In the transaction, after all else: what is stored of the delivery; `turn` must follow in the same one.
    case load(delivery: String)
    /// After the transaction: a line for the person or program that watches.
    case tell(Line)
    /// After the transaction: the link's navigation; `navigated` must follow. One at a time.
    case navigate(Notification)
  }

  /// A delivery that is not over.
  struct Item {
    var entry: InboxEntry
    var notification: Notification
  }

  /// Why a link may not be opened; `nil` where it may.
  let refusal: (_ url: String) -> String?
  /// Stored, their lines not yet written.
  var unpresented: [Item] = []
  /// Without a link: their lines are being written.
  var showing: [Item] = []
  /// With a link, in the order in which they came. Their content is on disk: behind a long command there is room for
  /// any number of them.
  var waiting = Queue<String>()
  /// Being navigated to.
  var current: Item?

  /// - Parameter refusal: the reason for which a link cannot be opened (no route, a denied scheme), or `nil`.
  public init(refusal: @escaping (_ url: String) -> String?) {
    self.refusal = refusal
  }

  /// Whether `stored` is due: something arrived whose line has not been written.
  public var hasUnpresented: Bool { !unpresented.isEmpty }

  /// Whether lines of notifications without a link are being written.
  var isShowing: Bool { !showing.isEmpty }

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
    entry.state = .done
    answer(&entry, response)
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
