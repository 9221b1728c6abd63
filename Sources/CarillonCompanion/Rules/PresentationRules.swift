import CarillonModel

/// The settings under `presentation`: how notifications are presented in each state of the device, and when their links
/// are opened.
public struct PresentationRules: Hashable, Sendable {
  /// The states of a device.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// An application that takes the link is attached.
    case foreground
    case background
    /// The seat is locked.
    case locked
  }

  /// An exception. It holds for a notification that has all it names; the first that holds and has a word on the matter
  /// counts.
  public struct Rule: Hashable, Sendable {
    public var publisher: String?
    public var thread: String?
    public var level: String?
    public var presentations: [State: Presentation] = [:]
    public var open: OpenedBy?

    func holds(for notification: Notification) -> Bool {
      (publisher == nil || publisher == notification.firing.from)
        && (thread == nil || thread == notification.thread)
        && (level == nil || level == notification.level ?? "active")
    }
  }

  /// Without an exception. By default all of it, and while the seat is locked only the list.
  public var presentations: [State: Presentation] = [
    .foreground: .whole, .background: .whole, .locked: .list,
  ]
  /// What opens a link; nil: a tap where there is a desktop to tap on, else the arrival.
  public var open: OpenedBy?
  public var rules: [Rule] = []

  public init() {}

  /// How a notification is presented. A passive one only on the list, unless a rule says otherwise.
  public func presentation(of notification: Notification, in state: State) -> Presentation {
    for rule in rules where rule.holds(for: notification) {
      if let presentation = rule.presentations[state] { return presentation }
    }
    let usual = presentations[state] ?? .whole
    return notification.level == "passive" ? usual.subtracting([.banner, .sound]) : usual
  }

  /// What opens a notification's link, where the settings say so.
  public func opening(of notification: Notification) -> OpenedBy? {
    for rule in rules where rule.holds(for: notification) {
      if let open = rule.open { return open }
    }
    return open
  }
}

extension PresentationRules {
  /// Reads `{ foreground, background, locked, rules: [{ publisher, thread, level, foreground, …, open }] }`.
  ///
  /// - Throws: `unknown-field` or `invalid`, with the place.
  public init(reading fields: Fields) throws(Refusal) {
    try fields.allow(only: ["foreground", "background", "locked", "rules"])
    presentations.merge(try PresentationRules.presentations(in: fields)) { $1 }
    for (index, element) in (try fields.list("rules") ?? []).enumerated() {
      rules.append(try Rule(reading: try Fields(element, at: fields.place("rules[\(index)]"))))
    }
  }

  fileprivate static func presentations(in fields: Fields) throws(Refusal) -> [State: Presentation] {
    var found: [State: Presentation] = [:]
    for state in State.allCases {
      guard let names = try fields.strings(state.rawValue) else { continue }
      found[state] = try Presentation(reading: names, at: fields.place(state.rawValue))
    }
    return found
  }
}

extension PresentationRules.Rule {
  fileprivate init(reading fields: Fields) throws(Refusal) {
    try fields.allow(only: ["publisher", "thread", "level", "foreground", "background", "locked", "open"])
    publisher = try fields.string("publisher")
    thread = try fields.string("thread")
    level = try fields.choice("level", Level.self)?.rawValue
    presentations = try PresentationRules.presentations(in: fields)
    open = try fields.choice("open", OpenedBy.self)
    guard !presentations.isEmpty || open != nil else {
      throw Refusal(
        .invalid, at: fields.path, "says nothing; give it foreground, background, locked or open")
    }
  }
}
