extension Trigger {
  /// The smallest interval of `every`.
  public static let shortestInterval: Duration = .seconds(1)

  static let kinds = ["after", "every", "at", "calendar", "cron", "rrule", "sun", "when"]

  /// The fields that stand beside some kinds only, and those kinds.
  private static let companions: [(field: String, kinds: [String])] = [
    ("from", ["every"]), ("start", ["rrule"]), ("except", ["rrule"]), ("offset", ["sun"]),
    ("weekday", ["sun"]),
    ("holdoff", ["when"]), ("repeats", ["calendar", "sun", "when"]),
  ]

  private static let known = Set(kinds).union(companions.map(\.field)).union(["count", "until"])

  /// Reads the `trigger` field. The text of a cron expression or a recurrence rule is left to its rule.
  ///
  /// - Throws: `invalid` or `unknown-field`, with the place.
  public static func read(_ value: JSON, at path: String) throws(Refusal) -> Trigger {
    let fields = try Fields(value, at: path)
    for member in fields.object.members where Condition.fields.contains(member.name) {
      throw Refusal(.unknownField, at: fields.place(member.name), "\(member.name) stands inside when")
    }
    try fields.allow(only: known)
    let given = fields.object.members.map(\.name).filter { kinds.contains($0) && fields.has($0) }
    guard let kind = given.first else {
      throw Refusal(.invalid, at: path, "a trigger needs one of \(kinds.joined(separator: ", "))")
    }
    guard given.count == 1 else {
      throw Refusal(
        .invalid, at: path, "exactly one kind of trigger, not \(given.joined(separator: " and "))")
    }
    try checkCompanions(of: kind, fields)
    let repeats = try fields.bool("repeats") ?? false
    var trigger = Trigger(try readKind(kind, fields), repeats: repeats)
    try trigger.readEnding(fields)
    return trigger
  }

  private static func checkCompanions(of kind: String, _ fields: Fields) throws(Refusal) {
    for (field, kinds) in companions where fields.has(field) && !kinds.contains(kind) {
      if field == "repeats", ["every", "cron", "rrule"].contains(kind) {
        throw fields.refusal(
          field, "\(kind) repeats by nature; leave repeats out, and end it with count or until")
      }
      let owners = kinds.count == 1 ? kinds[0] : "calendar, sun and when"
      let hint = field == "repeats" ? "; \(kind) fires once" : ""
      throw fields.refusal(field, "\(field) belongs to \(owners)\(hint)")
    }
  }

  private static func readKind(_ kind: String, _ fields: Fields) throws(Refusal) -> Kind {
    let value = fields[kind] ?? .null
    let place = fields.place(kind)
    switch kind {
    case "after": return .after(try Duration.read(value, at: place, zero: true))
    case "every":
      let interval = try Duration.read(value, at: place)
      guard interval >= shortestInterval else {
        throw fields.refusal(kind, "an interval is at least 1s")
      }
      return .every(interval, from: try fields.time("from"))
    case "calendar": return .calendar(try CalendarComponents.read(value, at: place))
    case "cron": return .cron(try fields.expression(kind) ?? "")
    case "rrule":
      return .recurrence(
        try fields.expression(kind) ?? "", start: try fields.time("start"), except: try fields.times("except")
      )
    case "sun":
      return .sun(
        try fields.choice(kind, SunEvent.self) ?? .noon, offset: try readOffset(fields),
        weekdays: try readWeekdays(fields))
    case "when":
      var condition = try Condition.read(value, at: place)
      condition.holdoff = try fields.duration("holdoff")
      return .when(condition)
    default: return .at(try WrittenTime.read(value, at: place))
    }
  }

  /// - Throws: `invalid` for what only a repeating trigger has, beside one that fires once.
  private mutating func readEnding(_ fields: Fields) throws(Refusal) {
    count = try fields.integer("count", in: 1...Limits.revision)
    until = try fields.time("until")
    guard !repeats, let field = ["count", "until", "holdoff"].first(where: fields.has) else { return }
    let remedy = kind.mayRepeat ? "; add repeats: true, or leave it out" : ""
    let purpose =
      field == "holdoff" ? "keeps a repeating trigger quiet after a firing" : "ends a repeating trigger"
    throw fields.refusal(field, "\(field) \(purpose); this one fires once\(remedy)")
  }
}
