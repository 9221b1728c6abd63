/// When a request fires (protocol §3).
public struct Trigger: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// No trigger: as soon as the request is on disk.
    case now
    /// Once, so much elapsed time after acceptance.
    case after(Duration)
    /// At `from` + k · interval on the elapsed clock; without `from`, acceptance + interval is the first.
    case every(Duration, from: WrittenTime?)
    /// Once, at a date-time.
    case at(WrittenTime)
    /// When the wall clock matches every given component.
    case calendar(CalendarComponents)
    /// A cron expression, not parsed yet.
    case cron(String)
    /// An RFC 5545 recurrence rule (`rrule`), not parsed yet; without `start` it begins at acceptance.
    case recurrence(String, start: WrittenTime?, except: [WrittenTime])
    /// So long after what the sun does, or before it where `offset` is negative; `weekdays` are ascending, each once, and
    /// `nil` for every day.
    case sun(SunEvent, offset: Duration, weekdays: [Weekday]?)
    /// When a condition becomes true.
    case when(Condition)
  }

  public let kind: Kind
  /// Whether more than one occurrence is possible.
  public let repeats: Bool
  /// How many occurrences there are in all, missed ones included; endless without.
  public var count: Int64?
  /// The last moment at which an occurrence may lie (inclusive); endless without.
  public var until: WrittenTime?

  /// - Parameter repeats: asked of calendar, sun and when; the other kinds repeat or not by nature.
  public init(_ kind: Kind, repeats: Bool = false, count: Int64? = nil, until: WrittenTime? = nil) {
    self.kind = kind
    self.repeats = kind.nature ?? repeats
    self.count = count
    self.until = until
  }

  public static let now = Trigger(.now)

  /// Whether it lives on the clock of elapsed time, which no setting of the wall clock moves.
  public var isElapsed: Bool {
    switch kind {
    case .after, .every, .when: true
    case .now, .at, .calendar, .cron, .recurrence, .sun: false
    }
  }
}

extension Trigger.Kind {
  /// Whether the publisher says if it repeats.
  var mayRepeat: Bool { nature == nil }

  /// Whether it repeats by nature; `nil` where the publisher says.
  fileprivate var nature: Bool? {
    switch self {
    case .now, .after, .at: false
    case .every, .cron, .recurrence: true
    case .calendar, .sun, .when: nil
    }
  }
}

extension Trigger.Kind {
  /// The field of a trigger that it is written in (protocol §3); `now` for none.
  public var name: String {
    switch self {
    case .now: "now"
    case .after: "after"
    case .every: "every"
    case .at: "at"
    case .calendar: "calendar"
    case .cron: "cron"
    case .recurrence: "rrule"
    case .sun: "sun"
    case .when: "when"
    }
  }
}
