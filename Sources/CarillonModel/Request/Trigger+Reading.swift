extension Trigger {
  /// The smallest interval of `every`.
  public static let shortestInterval: Duration = .seconds(1)

  /// Kinds of the protocol that this relay does not offer; refused by name, so that nothing is accepted and ignored.
  static let notOffered: Set<String> = ["calendar", "cron", "rrule", "sun", "when"]
  static let kinds: Set<String> = ["after", "every", "at"]
  static let companions: Set<String> = ["from", "count", "until"]
  /// Fields that belong to the kinds above.
  static let notOfferedFields: Set<String> = ["repeats", "start", "except", "offset", "weekday", "holdoff"]

  /// Reads the `trigger` field.
  ///
  /// - Throws: `invalid` or `unknown-field`, with the place.
  public static func read(_ value: JSON, at path: String) throws(Refusal) -> Trigger {
    let fields = try Fields(value, at: path)
    for member in fields.object.members where notOffered.contains(member.name) {
      throw fields.refusal(
        member.name, "this relay has no \(member.name) trigger; it has after, every and at")
    }
    for member in fields.object.members where notOfferedFields.contains(member.name) {
      throw fields.refusal(member.name, "\(member.name) does not belong to after, every or at")
    }
    try fields.allow(only: kinds.union(companions))
    let given = fields.object.members.map(\.name).filter { kinds.contains($0) && fields.has($0) }
    guard let kind = given.first else {
      throw Refusal(.invalid, at: path, "a trigger needs one of after, every, at")
    }
    guard given.count == 1 else {
      throw Refusal(
        .invalid, at: path, "exactly one kind of trigger, not \(given.joined(separator: " and "))")
    }
    var trigger = Trigger(try readKind(kind, fields))
    try trigger.readEnding(fields)
    return trigger
  }

  private static func readKind(_ kind: String, _ fields: Fields) throws(Refusal) -> Kind {
    let value = fields[kind] ?? .null
    let place = fields.place(kind)
    if kind != "every", fields.has("from") { throw fields.refusal("from", "from belongs to every") }
    switch kind {
    case "after": return .after(try Duration.read(value, at: place, zero: true))
    case "every":
      let interval = try Duration.read(value, at: place)
      guard interval >= shortestInterval else {
        throw fields.refusal(kind, "an interval is at least 1s")
      }
      return .every(interval, from: try fields.time("from"))
    default: return .at(try WrittenTime.read(value, at: place))
    }
  }

  private mutating func readEnding(_ fields: Fields) throws(Refusal) {
    count = try fields.integer("count", in: 1...Limits.revision)
    until = try fields.time("until")
    guard repeats else {
      if let field = count != nil ? "count" : until != nil ? "until" : nil {
        throw fields.refusal(field, "\(field) ends a repeating trigger; this one fires once")
      }
      return
    }
  }
}

extension Fields {
  /// A date-time (protocol §3).
  public func time(_ name: String) throws(Refusal) -> WrittenTime? {
    guard let value = self[name] else { return nil }
    return try WrittenTime.read(value, at: place(name))
  }

  /// A duration (protocol §3).
  public func duration(_ name: String) throws(Refusal) -> Duration? {
    guard let value = self[name] else { return nil }
    return try Duration.read(value, at: place(name))
  }
}
