extension Condition {
  private static let tests = ["equals", "above", "below", "matches", "silent"]

  /// The fields of `when`.
  static let fields = Set(tests).union(["topic", "pointer", "for", "delay", "device", "status", "presence"])

  /// Fields of a trigger that are easily taken for fields of its condition.
  private static let besides = ["repeats", "holdoff", "count", "until"]

  /// Reads the `when` field of a trigger; `holdoff` stands beside it and is left `nil`.
  ///
  /// - Throws: `invalid` or `unknown-field`, with the place.
  public static func read(_ value: JSON, at path: String) throws(Refusal) -> Condition {
    let fields = try Fields(value, at: path)
    for member in fields.object.members where besides.contains(member.name) {
      throw Refusal(
        .unknownField, at: fields.place(member.name), "\(member.name) stands beside when, not inside")
    }
    try fields.allow(only: Condition.fields)
    var condition: Condition
    switch (fields.has("topic"), fields.has("device")) {
    case (true, false): condition = try ofTopic(fields)
    case (false, true): condition = try ofDevice(fields)
    case (true, true): throw Refusal(.invalid, at: path, "a condition is about topic or device, not both")
    case (false, false): throw Refusal(.invalid, at: path, "a condition needs topic or device")
    }
    condition.hold = try fields.duration("for")
    condition.delay = try fields.duration("delay")
    return condition
  }

  private static func ofDevice(_ fields: Fields) throws(Refusal) -> Condition {
    for name in tests + ["pointer"] where fields.has(name) {
      throw fields.refusal(name, "\(name) belongs to topic; a device has status or presence")
    }
    let device = try Name(try fields.string("device") ?? "", at: fields.place("device"))
    return Condition(source: .device(device, try deviceTest(fields)))
  }

  private static func deviceTest(_ fields: Fields) throws(Refusal) -> DeviceTest {
    let status = try fields.choice("status", DeviceStatus.self)
    let presence = try fields.choice("presence", Profile.Presence.self)
    switch (status, presence) {
    case (let status?, nil): return .status(status)
    case (nil, .unknown?):
      throw fields.refusal("presence", "nobody waits for what is unknown; write active, idle or locked")
    case (nil, let presence?): return .presence(presence)
    case (nil, nil):
      throw fields.refusal(
        "status", "a device needs status: online or offline; or presence: active, idle or locked")
    default: throw Refusal(.invalid, at: fields.path, "a condition is about status or presence, not both")
    }
  }

  private static func ofTopic(_ fields: Fields) throws(Refusal) -> Condition {
    for name in ["status", "presence"] where fields.has(name) {
      throw fields.refusal(name, "\(name) belongs to device")
    }
    let topic = try fields.string("topic") ?? ""
    try Topics.checkName(topic, at: fields.place("topic"))
    var given = tests.filter { fields.has($0) }
    // A null that stands alone is what the value is compared with, not a field left out.
    if given.isEmpty, fields.object["equals"] != nil { given = ["equals"] }
    guard let name = given.first else {
      throw Refusal(
        .invalid, at: fields.path, "a topic needs a test, one of \(tests.joined(separator: ", "))")
    }
    guard given.count == 1 else {
      throw Refusal(
        .invalid, at: fields.path, "exactly one test of a topic, not \(given.joined(separator: " and "))")
    }
    if name == "silent", let other = ["pointer", "for"].first(where: fields.has) {
      throw fields.refusal(other, "silent hears any message and has its own time; leave \(other) out")
    }
    let pointer = try fields.string("pointer").map { text throws(Refusal) in
      try JSONPointer.tokens(text, at: fields.place("pointer"))
    }
    return Condition(source: .topic(topic), pointer: pointer, test: try test(name, fields))
  }

  private static func test(_ name: String, _ fields: Fields) throws(Refusal) -> Test {
    switch name {
    case "above": return .above(try fields.bound(name))
    case "below": return .below(try fields.bound(name))
    case "matches": return .matches(Pattern(try fields.expression(name) ?? ""))
    case "silent": return .silent(try Duration.read(fields[name] ?? .null, at: fields.place(name)))
    default:
      let value = fields.object[name] ?? .null
      switch value {
      case .array, .object:
        throw fields.refusal(name, "expected a text, a number, true, false or null, got \(value.kind)")
      default: return .equals(value)
      }
    }
  }
}

extension Fields {
  /// A finite number, also as text, because templating publishers send text.
  fileprivate func bound(_ name: String) throws(Refusal) -> Double {
    let value = self[name] ?? .null
    guard let number = value.numeric else {
      let given = value.text.map { "\"\(printable($0))\"" } ?? value.kind
      throw refusal(name, "expected a number, got \(given)")
    }
    return number
  }
}
