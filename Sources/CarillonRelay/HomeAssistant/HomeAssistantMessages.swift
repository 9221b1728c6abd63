import CarillonModel
import CarillonStore

// What the relay tells beyond the protocol's own topics, for entities. Every object has all its keys always; times are whole
// seconds of UTC.

/// The newest thing that went wrong, on `relay/summary`.
struct LastError: Hashable {
  var code: String
  var path = ""
  var message: String
  /// The topic of what was refused or said.
  var topic: String
  /// The publisher or the device; `nil` where there is none to name.
  var from: String?
  var at: WallTime

  /// A refusal, as administrators are told of it.
  init(_ refusal: Refusal, topic: String, from: String?, at: WallTime) {
    self.init(
      code: refusal.code.rawValue, path: refusal.path, message: refusal.message, topic: topic, from: from,
      at: at)
  }

  init(code: String, path: String = "", message: String, topic: String, from: String?, at: WallTime) {
    self.code = code
    self.path = path
    self.message = message
    self.topic = topic
    self.from = from
    self.at = at
  }

  /// As an entity's state: at most 255 characters.
  var text: String {
    let place = path.isEmpty ? "" : " at \(path)"
    return "\(code)\(place): \(message)".shown(limit: HomeAssistantLimits.state)
  }
}

enum HomeAssistantLimits {
  /// Characters of an entity's state, as Home Assistant has it.
  static let state = 255
  /// Characters of a text among an entity's attributes; its database keeps 16 KiB of them together.
  static let attribute = 1000
}

/// What `relay/summary` says.
struct RelaySummary: Hashable {
  var pending: Int64
  var next: WallTime?
  var lastFired: WallTime?
  var oldestUnreceived: WallTime?
  var error: LastError?
  var store: String
  var version: String

  var json: JSON {
    [
      "pending": .integer(pending), "next": .wholeSeconds(next), "lastFired": .wholeSeconds(lastFired),
      "oldestUnreceived": .wholeSeconds(oldestUnreceived),
      "lastError": error.map { .string($0.text) } ?? .null,
      "error": [
        "code": .text(error?.code), "path": .text(error?.path), "message": .text(error?.message),
        "topic": .text(error?.topic), "from": .text(error?.from), "at": .wholeSeconds(error?.at),
      ],
      "store": .string(store), "version": .string(version),
    ]
  }
}

extension Discovery {
  /// What `device/<device>/last` says of the newest notification that went out to a device.
  ///
  /// - Parameter id: the delivery's.
  static func last(_ delivery: OutgoingDelivery?, id: String?) -> JSON {
    let content = delivery.flatMap {
      try? JSON(parsing: [UInt8(ascii: "{")] + $0.content + [UInt8(ascii: "}")])
    }
    func text(_ name: String) -> JSON { .text(content?[name]?.text) }
    let shown = ["title", "body", "url"].lazy.compactMap { content?[$0]?.text }.first { !$0.isEmpty }
    return [
      "last": shown.map { .string($0.shown(limit: HomeAssistantLimits.state)) } ?? .null,
      "id": .text(delivery?.id), "delivery": .text(id), "from": .text(delivery?.publisher?.text),
      "title": text("title"), "subtitle": text("subtitle"), "body": text("body"), "url": text("url"),
      "thread": text("thread"),
      "level": .text(delivery.map { _ in content?["level"]?.text ?? Level.active.rawValue }),
      "due": .wholeSeconds(delivery?.firing.due), "fired": .wholeSeconds(delivery?.firing.fired),
      "late": .string(delivery?.firing.late == true ? "ON" : "OFF"), "ended": .text(delivery?.firing.ended),
      "endedBy": .text(delivery?.firing.endedBy),
    ]
  }

  /// What `device/<device>/event` says of an event.
  static func event(_ response: Response, id: String?, at moment: WallTime) -> JSON {
    [
      "event_type": .string(response.event.rawValue), "id": .text(id), "delivery": .string(response.delivery),
      "by": .text(response.by?.rawValue), "action": .text(response.action), "text": .text(response.text),
      "detail": .text(response.detail), "at": .wholeSeconds(moment),
    ]
  }
}

extension JSON {
  fileprivate static func wholeSeconds(_ time: WallTime?) -> JSON {
    time.map { .string(timestamp(utc: $0, milliseconds: false)) } ?? .null
  }

  /// A text among attributes; null where there is none.
  fileprivate static func text(_ text: String?) -> JSON {
    text.map { .string($0.shown(limit: HomeAssistantLimits.attribute, keepsLines: true)) } ?? .null
  }
}
