/// How urgent a notification is, in Apple's terms.
public enum Level: String, Sendable, CaseIterable {
  case passive, active, timeSensitive, critical
}

/// What a request shows and opens: the part that travels to the devices.
///
/// It is checked once, at acceptance, and kept as the JSON members that a notification carries, in the protocol's order.
public struct Content: Hashable, Sendable {
  public var members: JSONObject

  public static let names = [
    "title", "subtitle", "body", "url", "actions", "sound", "badge", "image", "thread", "category", "level",
    "userInfo",
  ]

  public var title: String? { members["title"]?.text }
  public var url: String? { members["url"]?.text }
  public var thread: String? { members["thread"]?.text }

  /// The places and texts of all links: the request's own and its actions'.
  public var links: [(path: String, text: String)] {
    var found: [(path: String, text: String)] = []
    if let url { found.append((path: "url", text: url)) }
    for (index, action) in (members["actions"]?.elements ?? []).enumerated() {
      if let url = action["url"]?.text { found.append((path: "actions[\(index)].url", text: url)) }
    }
    return found
  }

  /// The shortest time for which an action puts a notification off.
  public static let shortestSnooze: Duration = .seconds(1)

  /// For how long an action puts the notification off; `nil` where it does not, or there is no such action.
  public func snooze(of action: String) -> Duration? {
    let actions = members["actions"]?.elements ?? []
    let chosen = actions.first { $0["id"]?.text?.isIdentical(to: action) == true }
    return chosen?["snooze"]?.text.flatMap { try? Duration(parsing: $0) }
  }

  /// The content with every link replaced.
  ///
  /// - Parameter replace: gets the place and the text of each.
  public func replacingLinks(
    _ replace: (_ path: String, _ text: String) throws(Refusal) -> String
  ) throws(Refusal) -> Content {
    var changed = self
    if let url { changed.members["url"] = .string(try replace("url", url)) }
    if let actions = members["actions"]?.elements {
      var replaced: [JSON] = []
      for (index, action) in actions.enumerated() {
        guard case .object(var object) = action, let url = action["url"]?.text else {
          replaced.append(action)
          continue
        }
        object["url"] = .string(try replace("actions[\(index)].url", url))
        replaced.append(.object(object))
      }
      changed.members["actions"] = .array(replaced)
    }
    return changed
  }

  public init(members: JSONObject) {
    self.members = members
  }

  /// - Throws: `invalid` or `unknown-field`, with the place.
  public init(reading fields: Fields) throws(Refusal) {
    members = JSONObject()
    members.reserveCapacity(4)
    for name in Content.names {
      guard let value = fields[name] else { continue }
      switch name {
      case "badge": members.append(name, .integer(try fields.integer(name, in: 0...Limits.revision) ?? 0))
      case "level": members.append(name, .string(try fields.choice(name, Level.self)?.rawValue ?? ""))
      case "userInfo": members.append(name, value)
      case "actions": members.append(name, .array(try Content.actions(fields)))
      default: members.append(name, .string(try Content.text(name, fields)))
      }
    }
    let shown = ["title", "body", "url"].contains { members[$0]?.text?.isEmpty == false }
    guard shown else {
      throw Refusal(.invalid, at: fields.path, "a request needs at least one of title, body and url")
    }
  }

  private static func text(_ name: String, _ fields: Fields) throws(Refusal) -> String {
    let text = try fields.string(name) ?? ""
    let limit: Int? =
      switch name {
      case "url": Limits.link
      case "thread", "category": Limits.identifier
      default: nil
      }
    guard let limit else { return text }
    guard text.utf8.count <= limit else {
      throw fields.refusal(name, "\(text.utf8.count) bytes; at most \(limit) are taken")
    }
    guard !text.isEmpty else { throw fields.refusal(name, "must not be empty; leave it out instead") }
    return text
  }

  private static func actions(_ fields: Fields) throws(Refusal) -> [JSON] {
    let elements = try fields.list("actions") ?? []
    guard elements.count <= Limits.actions else {
      throw fields.refusal("actions", "\(elements.count) actions; at most \(Limits.actions) are taken")
    }
    var seen: Set<String> = []
    var actions: [JSON] = []
    for (index, element) in elements.enumerated() {
      let action = try Fields(element, at: fields.place("actions[\(index)]"))
      let (identifier, object) = try self.action(action)
      guard seen.insert(identifier).inserted else {
        throw action.refusal("id", "two actions have the id \"\(printable(identifier))\"")
      }
      actions.append(.object(object))
    }
    return actions
  }

  private static func action(_ fields: Fields) throws(Refusal) -> (String, JSONObject) {
    try fields.allow(only: ["id", "title", "url", "snooze"])
    guard let identifier = try fields.string("id") else {
      throw fields.refusal("id", "an action needs an id")
    }
    guard let title = try fields.string("title"), !title.isEmpty else {
      throw fields.refusal("title", "an action needs a title")
    }
    try Request.checkIdentifier(identifier, at: fields.place("id"))
    var object = JSONObject()
    object.append("id", .string(identifier))
    object.append("title", .string(title))
    if fields.has("url") { object.append("url", .string(try text("url", fields))) }
    if let snooze = try fields.duration("snooze") {
      guard snooze >= shortestSnooze else { throw fields.refusal("snooze", "a snooze lasts at least 1s") }
      object.append("snooze", .string(snooze.written))
    }
    return (identifier, object)
  }
}
