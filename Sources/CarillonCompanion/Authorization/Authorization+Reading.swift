import CarillonModel

extension Authorization {
  /// Reads `{ default: "authorized", rules: [ { publisher: "x", thread: "y", level: "passive", standing: "denied" } ] }`.
  ///
  /// - Throws: `unknown-field` or `invalid`, with the place.
  public init(reading fields: Fields) throws(Refusal) {
    try fields.allow(only: ["default", "rules"])
    self.init(
      standard: try fields.choice("default", Standing.self) ?? .authorized,
      rules: try Authorization.rules(fields))
  }

  /// The list `rules`; empty where there is none.
  static func rules(_ fields: Fields) throws(Refusal) -> [Rule] {
    var rules: [Rule] = []
    for (index, element) in (try fields.list("rules") ?? []).enumerated() {
      rules.append(try Rule(reading: Fields(element, at: fields.place("rules[\(index)]"))))
    }
    return rules
  }
}

extension Authorization.Rule {
  /// Reads one rule.
  ///
  /// - Throws: `unknown-field` or `invalid`, with the place.
  public init(reading fields: Fields) throws(Refusal) {
    try fields.allow(only: ["publisher", "thread", "level", "standing"])
    guard let standing = try fields.choice("standing", Authorization.Standing.self) else {
      throw fields.refusal("standing", "is missing: authorized, denied or ask")
    }
    self.init(
      publisher: try fields.string("publisher"), thread: try fields.string("thread"),
      level: try fields.string("level"), standing: standing)
    try check(at: fields)
    guard selectors > 0 else {
      throw Refusal(
        .invalid, at: fields.path,
        "one of publisher, thread, level is missing; the standing of everybody is \"default\"")
    }
  }

  /// Whether the selectors are such that something can fit them.
  private func check(at fields: Fields) throws(Refusal) {
    if let publisher, !publisher.isEmpty { _ = try Name(publisher, at: fields.place("publisher")) }
    if let thread {
      guard thread.utf8.count <= Limits.identifier else {
        throw fields.refusal("thread", "takes at most \(Limits.identifier) bytes")
      }
      guard !thread.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
        throw fields.refusal("thread", "holds a control character")
      }
    }
    _ = try fields.choice("level", Level.self)
  }

  /// The rule as an object.
  var json: JSON {
    var object = JSONObject()
    if let publisher { object.append("publisher", .string(publisher)) }
    if let thread { object.append("thread", .string(thread)) }
    if let level { object.append("level", .string(level)) }
    object.append("standing", .string(standing.rawValue))
    return .object(object)
  }
}
