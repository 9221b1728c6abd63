/// One firing of a request, as a device gets it (protocol §4).
public struct Notification: Hashable, Sendable {
  /// A button of a notification.
  public struct Action: Hashable, Sendable {
    public var id: String
    public var title: String?
    /// The link that the button opens, instead of the notification's.
    public var url: String?
    /// How long the button puts the notification off, as it was written.
    public var snooze: String?

    public init(id: String, title: String? = nil, url: String? = nil, snooze: String? = nil) {
      self.id = id
      self.title = title
      self.url = url
      self.snooze = snooze
    }
  }

  public var firing: Firing
  public var title: String?
  public var subtitle: String?
  public var body: String?
  /// The deep link, as it was sent. Nothing has checked it yet: anyone may publish to a device's topic.
  public var url: String?
  public var actions: [Action]
  public var sound: String?
  public var badge: Int64?
  public var image: String?
  public var thread: String?
  public var category: String?
  /// `passive`, `active`, `timeSensitive` or `critical`; a newer relay may send another.
  public var level: String?
  public var userInfo: JSON?
  /// The whole object as it came, fields that have no meaning here included.
  public var payload: JSONObject

  public var delivery: String { firing.delivery }
  public var id: String { firing.id }
}

extension Notification {
  /// Reads a notification as receivers must: fields that are unknown are ignored, known ones checked for their kind.
  ///
  /// - Throws: `invalid`, naming the field.
  public init(reading fields: Fields) throws(Refusal) {
    firing = try Firing(reading: fields)
    title = try fields.string("title")
    subtitle = try fields.string("subtitle")
    body = try fields.string("body")
    url = try fields.string("url")
    actions = try Notification.actions(in: fields)
    sound = try fields.string("sound")
    badge = try fields.integer("badge", in: 0...Int64.max)
    image = try fields.string("image")
    thread = try fields.string("thread")
    category = try fields.string("category")
    level = try fields.string("level")
    userInfo = fields["userInfo"]
    payload = fields.object
  }

  private static func actions(in fields: Fields) throws(Refusal) -> [Action] {
    var actions: [Action] = []
    for (index, element) in (try fields.list("actions") ?? []).enumerated() {
      let action = try Fields(element, at: fields.place("actions[\(index)]"))
      actions.append(
        Action(
          id: try action.identifier("id", limit: identifierLimit), title: try action.string("title"),
          url: try action.string("url"), snooze: try action.writtenDuration("snooze")))
    }
    return actions
  }

  /// The payload as JSON text.
  public var encoded: [UInt8] { JSON.object(payload).encoded }
}

extension Fields {
  /// A duration left as it was written, a number too: the relay alone counts with it.
  fileprivate func writtenDuration(_ name: String) throws(Refusal) -> String? {
    switch self[name] {
    case nil: return nil
    case .string(let text): return text
    case .integer(let number): return String(number)
    case .number(let number): return String(number)
    case let other?: throw refusal(name, "expected a duration, got \(other.kind)")
    }
  }
}
