/// A device's word on a delivery (protocol §5).
public struct Response: Hashable, Sendable {
  /// A reason is cut to so many bytes: it is for a person to read, not a log.
  public static let detailLimit = 1024
  /// The longest text that a person may answer with, in bytes.
  public static let textLimit = 4096

  public var delivery: String
  /// The request; a client may leave it out, since the delivery tells.
  public var id: String?
  public var event: ResponseEvent
  /// With `opened`: what opened it.
  public var by: OpenedBy?
  /// With `acted`: the button.
  public var action: String?
  /// With `acted`: what the person wrote.
  public var text: String?
  /// When it happened by the device's clock, RFC 3339.
  public var at: String?
  /// With `failed` and `suppressed`: why. With `opened`: the way, for a person to read.
  public var detail: String?
  /// With `opened`: the route's link as its file has it.
  public var route: String?
  /// With `opened`: the screens on the way, from the root to the target.
  public var steps: [String]

  public init(
    delivery: String, id: String? = nil, event: ResponseEvent, by: OpenedBy? = nil, action: String? = nil,
    text: String? = nil, at: String? = nil, detail: String? = nil, route: String? = nil, steps: [String] = []
  ) {
    self.delivery = delivery
    self.id = id
    self.event = event
    self.by = by
    self.action = action
    self.text = text
    self.at = at
    self.detail = detail.map { cut($0, to: Response.detailLimit) }
    self.route = route
    self.steps = steps
  }
}

extension Response {
  /// How far along a delivery is with this event. States only move forward: an event counts if its rank is above the
  /// one before, so the first final one stays. `failed` is below the answers: a person may still put away what the
  /// device could not open.
  public var rank: Int {
    switch event {
    case .received: 1
    case .presented, .suppressed: 2
    case .opened: by == .tap ? 5 : 3
    case .failed: 4
    case .acted, .dismissed, .withdrawn, .expired: 5
    }
  }

  /// Whether the device has done with the delivery: a withdrawal needs not be sent again after it.
  public var isFinal: Bool { rank >= 4 }

  /// Whether a person answered: the first answer takes the notification away from the other devices.
  public var isAnswer: Bool {
    switch event {
    case .acted, .dismissed: true
    case .opened: by == .tap
    default: false
    }
  }
}

extension Response {
  /// Reads a payload of a device's response topic. Fields that are unknown are ignored.
  ///
  /// - Throws: `malformed` for what is not JSON; `invalid`, naming the field, for what is no response.
  public init(parsing payload: [UInt8]) throws(Refusal) {
    let fields = try Fields(try JSON(payload: payload))
    guard let event = try fields.choice("event", ResponseEvent.self) else {
      throw fields.refusal("event", "is missing")
    }
    let text = try fields.string("text")
    guard (text?.utf8.count ?? 0) <= Response.textLimit else {
      throw fields.refusal("text", "takes at most \(Response.textLimit) bytes")
    }
    self.init(
      delivery: try fields.identifier("delivery", limit: deliveryLimit),
      id: try fields.optionalIdentifier("id", limit: identifierLimit), event: event,
      by: try fields.choice("by", OpenedBy.self),
      action: try fields.optionalIdentifier("action", limit: identifierLimit), text: text,
      at: try fields.string("at").map { cut($0, to: 64) }, detail: try fields.string("detail"),
      route: try fields.string("route"), steps: try fields.strings("steps") ?? [])
  }

  /// The response as JSON text.
  public var encoded: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.name("delivery")
    writer.string(delivery)
    writer.optional("id", id)
    writer.name("event")
    writer.string(event.rawValue)
    writer.optional("by", by?.rawValue)
    writer.optional("action", action)
    writer.optional("text", text)
    writer.optional("at", at)
    writer.optional("detail", detail)
    writer.optional("route", route)
    if !steps.isEmpty {
      writer.name("steps")
      writer.beginArray()
      for step in steps { writer.string(step) }
      writer.endArray()
    }
    writer.endObject()
    return writer.bytes
  }
}

/// The longest beginning of a text that takes at most `limit` bytes, whole characters only.
private func cut(_ text: String, to limit: Int) -> String {
  guard text.utf8.count > limit else { return text }
  var kept = String.UnicodeScalarView()
  var count = 0
  for scalar in text.unicodeScalars {
    count += UTF8.width(scalar)
    if count > limit { break }
    kept.append(scalar)
  }
  return String(kept)
}
