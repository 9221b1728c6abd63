import CarillonModel

/// Who may notify on this device: a standing for everybody, and rules for publishers, threads and levels.
public struct Authorization: Hashable, Sendable {
  public enum Standing: String, Hashable, Sendable, CaseIterable {
    /// Its notifications are presented.
    case authorized
    /// They are received and listed, and not presented.
    case denied
    /// A person is asked at the first one.
    case ask
  }

  /// The standing of what fits every selector that is given.
  public struct Rule: Hashable, Sendable {
    /// The publisher's name; the empty text for commands on the bare topic, which names none.
    public var publisher: String?
    /// The thread; the empty text for notifications without one.
    public var thread: String?
    /// The level; a notification that names none is `active`.
    public var level: String?
    public var standing: Standing

    public init(
      publisher: String? = nil, thread: String? = nil, level: String? = nil, standing: Standing
    ) {
      self.publisher = publisher
      self.thread = thread
      self.level = level
      self.standing = standing
    }
  }

  /// The standing of what no rule fits. Default `authorized`.
  public var standard: Standing
  /// The newer behind the older.
  public var rules: [Rule]

  public init(standard: Standing = .authorized, rules: [Rule] = []) {
    self.standard = standard
    self.rules = rules
  }

  /// The standing of a notification, and the rule that gives it; `nil` where it is the one for everybody.
  /// Of the rules that fit, the one with the most selectors counts, of several such the newest.
  public func verdict(publisher: String?, thread: String?, level: String?) -> (Standing, Rule?) {
    var found: Rule?
    for rule in rules where rule.fits(publisher: publisher, thread: thread, level: level) {
      if rule.selectors >= found?.selectors ?? 0 { found = rule }
    }
    return (found?.standing ?? standard, found)
  }

  /// These rules with those that were decided on this device, which come before them.
  public func overruled(by decisions: AuthorizationDecisions) -> Authorization {
    Authorization(standard: decisions.standard ?? standard, rules: rules + decisions.rules)
  }
}

extension Authorization.Rule {
  /// How many selectors it has.
  var selectors: Int { [publisher, thread, level].count { $0 != nil } }

  func fits(publisher: String?, thread: String?, level: String?) -> Bool {
    func isSame(_ selector: String?, _ value: String) -> Bool { selector?.isIdentical(to: value) ?? true }
    return isSame(self.publisher, publisher ?? "") && isSame(self.thread, thread ?? "")
      && isSame(self.level, level ?? Level.active.rawValue)
  }

  /// Whether another rule is for the same notifications.
  func hasSelectors(of other: Authorization.Rule) -> Bool {
    publisher == other.publisher && thread == other.thread && level == other.level
  }
}
