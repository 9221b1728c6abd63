/// What a recurring request does about firings missed (protocol §3).
public enum CatchUp: String, Sendable, CaseIterable {
  /// Once for the newest missed occurrence, with their number.
  case latest
  /// Once for each, at most the 100 newest.
  case all
  /// Not at all.
  case none
}

/// To whom a request goes: devices and groups by name, everyone, or both.
public struct Recipients: Hashable, Sendable {
  /// Every device that has announced itself.
  public var everyone: Bool
  /// Devices and groups, in the order given, each once.
  public var names: [Name]

  public init(everyone: Bool = false, names: [Name] = []) {
    self.everyone = everyone
    self.names = names
  }

  public static let all = Recipients(everyone: true)

  public var json: JSON {
    if everyone, names.isEmpty { return .string(Name.everyone) }
    let everyone: [JSON] = everyone ? [.string(Name.everyone)] : []
    return .array(everyone + names.map { .string($0.text) })
  }

  /// One name, or a list of names; absent means everyone.
  ///
  /// - Throws: `invalid`, with the place.
  public init(reading fields: Fields, _ field: String) throws(Refusal) {
    self.init()
    // A list may hold as many names as a command has room for, so none is looked for among all before it.
    var known: Set<Name> = []
    switch fields[field] {
    case nil: everyone = true
    case .string(let text): try add(text, at: fields.place(field), besides: &known)
    case .array(let elements):
      guard !elements.isEmpty else {
        throw fields.refusal(field, "names nobody; \"all\" is every device")
      }
      for (index, element) in elements.enumerated() {
        let place = fields.place("\(field)[\(index)]")
        guard case .string(let text) = element else {
          throw Refusal(.invalid, at: place, "expected a name, got \(element.kind)")
        }
        try add(text, at: place, besides: &known)
      }
    case let value?:
      throw fields.refusal(field, "expected a name or a list of names, got \(value.kind)")
    }
  }

  private mutating func add(
    _ text: String, at place: String, besides known: inout Set<Name>
  ) throws(Refusal) {
    if text == Name.everyone {
      everyone = true
    } else {
      let name = try Name(text, at: place)
      if known.insert(name).inserted { names.append(name) }
    }
  }
}

/// A request: content and trigger under an identifier (protocol §3).
public struct Request: Hashable, Sendable {
  /// `nil` where the publisher gave none; the relay then makes one.
  public var id: String?
  public var to: Recipients
  public var content: Content
  public var trigger: Trigger
  /// The IANA name as given.
  public var timezone: String?
  /// Life after the due time; endless without.
  public var expires: Duration?
  public var catchUp: CatchUp
  public var revision: Int64?
  public var nag: Nag?
  /// The trigger as it was written, for listings and the store.
  public var triggerText: JSON?
  /// The nag as it was written, likewise.
  public var nagText: JSON?

  static let scheduleNames = Set(Content.names).union([
    "id", "to", "trigger", "timezone", "expires", "catchUp", "revision", "nag",
  ])

  /// - Throws: `invalid` or `unknown-field`, with the place.
  public init(reading fields: Fields) throws(Refusal) {
    id = try fields.string("id")
    if let id { try Request.checkIdentifier(id, at: fields.place("id")) }
    to = try Recipients(reading: fields, "to")
    content = try Content(reading: fields)
    triggerText = fields["trigger"]
    trigger =
      try triggerText.map { value throws(Refusal) in
        try Trigger.read(value, at: fields.place("trigger"))
      } ?? .now
    nagText = fields["nag"]
    nag = try nagText.map { value throws(Refusal) in try Nag.read(value, at: fields.place("nag")) }
    timezone = try fields.string("timezone")
    expires = try fields.duration("expires")
    catchUp = try fields.choice("catchUp", CatchUp.self) ?? .latest
    revision = try fields.integer("revision", in: 0...Limits.revision)
  }

  /// 1 to 256 bytes without control characters (protocol §3).
  public static func checkIdentifier(_ text: String, at path: String) throws(Refusal) {
    guard !text.isEmpty else { throw Refusal(.invalid, at: path, "must not be empty") }
    guard text.utf8.count <= Limits.identifier else {
      throw Refusal(.invalid, at: path, "\(text.utf8.count) bytes; at most \(Limits.identifier) are taken")
    }
    guard !text.holdsControl else {
      throw Refusal(.invalid, at: path, "must not hold control characters")
    }
  }
}
