/// What a publisher asks of the relay (protocol §2).
public enum Command: Hashable, Sendable {
  case schedule(Request)
  case cancel(Selection)
  case withdraw(Selection)
  case pending(Listing)
  case delivered(Listing)
  case devices(Listing)
  case fire(id: String)
  /// Fires whatever is due next.
  case fireNext
  case pause(Selection)
  case resume(Selection)
  case forget(Name)
  case focus(FocusChange)
}

extension Command {
  /// The word that names it.
  public var verb: Verb {
    switch self {
    case .schedule: .schedule
    case .cancel: .cancel
    case .withdraw: .withdraw
    case .pending: .pending
    case .delivered: .delivered
    case .devices: .devices
    case .fire, .fireNext: .fire
    case .pause: .pause
    case .resume: .resume
    case .forget: .forget
    case .focus: .focus
    }
  }

  /// Whether it only asks, and changes nothing.
  public var isListing: Bool {
    switch self {
    case .pending, .delivered, .devices: true
    default: false
    }
  }
}

/// The words that name a command.
public enum Verb: String, Sendable, CaseIterable {
  case schedule, cancel, withdraw, pending, delivered, devices, fire, pause, resume, forget, focus
}

/// Which requests a command is about.
public enum Selection: Hashable, Sendable {
  case ids([String])
  case thread(String)
  case all
}

/// What a listing is asked for.
public struct Listing: Hashable, Sendable {
  public var ids: [String]?
  public var device: Name?
  /// Entries a page.
  public var limit: Int
  /// The cursor of the page before.
  public var after: String?

  public init(
    ids: [String]? = nil, device: Name? = nil, limit: Int = Limits.pageEntries, after: String? = nil
  ) {
    self.ids = ids
    self.device = device
    self.limit = limit
    self.after = after
  }
}
