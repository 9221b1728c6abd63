import CarillonModel

/// What a companion knows of one delivery: one row of its inbox.
public struct InboxEntry: Hashable, Sendable {
  /// How far a delivery is. Each step is on disk before what follows it is done: that is how a delivery is acted on at
  /// most once, whenever the companion is killed.
  public enum State: Int64, Hashable, Sendable, CaseIterable {
    /// It is here and nothing has been done about it: after a crash it is acted on.
    case received = 1
    /// Acting on it has begun: after a crash nobody knows how far it came, so it is not begun again.
    case started = 2
    /// It is over: a repeat is answered, not acted on.
    case done = 3
    /// It was presented, or listed only, and a person may still answer it.
    case listed = 4
    /// A person has asked for its link, or its arrival has; it waits for its turn, or for the application that takes it.
    case held = 5
  }

  /// What opens a link, and which one.
  public struct Opening: Hashable, Sendable {
    public var by: OpenedBy
    /// The button whose link it is; `nil` for the notification's own.
    public var action: String?

    public init(by: OpenedBy, action: String? = nil) {
      self.by = by
      self.action = action
    }
  }

  public var delivery: String
  public var id: String
  public var state: State
  /// Whether its line has been printed, or was about to be.
  public var isPresented: Bool
  /// Whether it was taken back while it was being acted on.
  public var isWithdrawn: Bool
  /// How it was presented.
  public var presentation: Presentation
  /// Whether it is presented with less than it would be, since the seat is locked.
  public var isVeiled: Bool
  /// What opens its link; `nil` where nothing has yet.
  public var opening: Opening?
  /// When it ends, wall time in milliseconds.
  public var expires: Int64?
  /// The notification as it came; dropped once it is over and off the screen.
  public var payload: [UInt8]?
  /// The newest response to it, with which a repeat is answered.
  public var answer: Response?

  public init(
    delivery: String, id: String, state: State = .received, isPresented: Bool = false,
    isWithdrawn: Bool = false, presentation: Presentation = [], isVeiled: Bool = false,
    opening: Opening? = nil, expires: Int64? = nil, payload: [UInt8]? = nil, answer: Response? = nil
  ) {
    self.delivery = delivery
    self.id = id
    self.state = state
    self.isPresented = isPresented
    self.isWithdrawn = isWithdrawn
    self.presentation = presentation
    self.isVeiled = isVeiled
    self.opening = opening
    self.expires = expires
    self.payload = payload
    self.answer = answer
  }

  /// The notification that it is about; `nil` where it is kept no more, or cannot be read.
  public var notification: Notification? {
    guard let payload, case .notification(let notification)? = try? DeviceMessage(parsing: payload) else {
      return nil
    }
    return notification
  }
}

extension InboxEntry.Opening {
  /// As a row has it: `tap`, `arrival`, or `tap` and the button behind a blank.
  var stored: String { action.map { "\(by.rawValue) \($0)" } ?? by.rawValue }

  init?(stored: String) {
    let parts = stored.split(separator: " ", maxSplits: 1)
    guard let first = parts.first, let by = OpenedBy(rawValue: String(first)) else { return nil }
    self.init(by: by, action: parts.count > 1 ? String(parts[1]) : nil)
  }
}
