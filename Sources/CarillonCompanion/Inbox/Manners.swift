import CarillonModel
import CarillonStore

/// What a device does at the moment: its settings, permissions, do not disturb, the seat, and who is attached.
public struct Manners {
  /// What becomes of a notification that has arrived.
  public var ruling: (Notification) -> Ruling
  /// What becomes of a link that is to be opened.
  public var target: (_ url: String) -> Target

  public init(ruling: @escaping (Notification) -> Ruling, target: @escaping (_ url: String) -> Target) {
    self.ruling = ruling
    self.target = target
  }
}

/// What becomes of a notification.
public enum Ruling: Hashable, Sendable {
  /// It is listed and not shown, for this reason.
  case suppress(String)
  /// Nobody has said yet whether this publisher may: a person is asked.
  case ask
  case present(Manner)

  /// How it is presented.
  public struct Manner: Hashable, Sendable {
    public var presentation: Presentation
    /// What opens its link.
    public var opens: OpenedBy
    /// Whether it is less than it would be, since the seat is locked.
    public var isVeiled: Bool
    /// Whether an attached application has the last word.
    public var consults: Bool

    public init(
      _ presentation: Presentation, opens: OpenedBy, isVeiled: Bool = false, consults: Bool = false
    ) {
      self.presentation = presentation
      self.opens = opens
      self.isVeiled = isVeiled
      self.consults = consults
    }
  }
}

/// Where a link leads.
public struct Way: Hashable, Sendable {
  /// The route's link as its file has it.
  public var route: String
  /// The screens from the root to the target.
  public var steps: [String]

  public init(route: String, steps: [String]) {
    self.route = route
    self.steps = steps
  }

  /// In words.
  var text: String { "\(route): \(steps.joined(separator: " > "))" }
}

/// What becomes of a link.
public enum Target: Hashable, Sendable {
  /// It is not opened: no route, a denied scheme.
  case refused(String)
  /// Whoever takes its steps is there.
  case ready(Way)
  /// The application for its scheme has to be started first, and to attach.
  case absent(scheme: String)
}

/// Something to set going once what was decided is on disk.
public enum Errand: Hashable {
  /// The navigation to a link; `navigated` must follow. One at a time.
  case navigate(Opened)
  /// A bubble on the desktop, with a sound or without.
  case show(Notification, Presentation)
  /// No bubble of this request is to be on the screen.
  case clear(id: String)
  /// The attached application is asked; `ruled` must follow.
  case consult(Notification, Presentation)
  /// The person is asked whether a publisher may show notifications; nil is the one without a name.
  case ask(publisher: String?)
  /// The application for a scheme is to be started; it will attach, or `absent` follows.
  case launch(scheme: String, delivery: String)

  /// What is opened.
  public struct Opened: Hashable {
    public var notification: Notification
    /// The notification's link, or one of its buttons'.
    public var url: String
    public var by: OpenedBy
  }
}
