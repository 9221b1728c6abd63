import CarillonModel

/// How a companion's lines look: for people, or one JSON object each (protocol §8).
public enum LineFormat: Hashable, Sendable {
  case text, json

  /// The line without its line feed; `nil` for what this format leaves out. Nothing in it can steer a terminal.
  public func line(_ line: Line) -> [UInt8]? {
    switch self {
    case .text: TextLine.text(line).map { Array($0.utf8) }
    case .json: JSONLine.bytes(line)
    }
  }
}

/// Lines for people: one a notification, one a navigation's step, one for what went wrong.
enum TextLine {
  /// Longer titles and texts are cut: it is a line.
  private static let limit = 1000

  static func text(_ line: Line) -> String? {
    switch line {
    case .notification(let notification): "notification  \(summary(notification))"
    case .navigate(let step): "step \(step.step) of \(step.of): \(safe(step.to))"
    // The steps have told it.
    case .opened(let notification, let url, _): url == nil ? "opened  \(safe(notification.id))" : nil
    case .failed(_, let id, let reason): "failed  \(safe(id)): \(safe(reason))"
    case .withdrawn(_, let id, let reason):
      "withdrawn  \(safe(id))\(reason.isEmpty ? "" : ": \(safe(reason))")"
    case .expired(let notification): "expired  \(summary(notification))"
    case .suppressed(_, let id, let reason): "suppressed  \(safe(id)): \(safe(reason))"
    case .acted(_, let id, let action, let text):
      "acted  \(safe(id)): \(safe(action))\(text.map { " \"\(safe($0))\"" } ?? "")"
    case .dismissed(_, let id): "dismissed  \(safe(id))"
    }
  }

  private static func summary(_ notification: Notification) -> String {
    let texts = [notification.title, notification.subtitle, notification.body]
    var line = texts.compactMap { $0 }.filter { !$0.isEmpty }.map(safe).joined(separator: " - ")
    if line.isEmpty { line = safe(notification.id) }
    if let url = notification.url { line += "  <\(safe(url))>" }
    if notification.firing.late { line += "  (late)" }
    if notification.firing.missed > 0 { line += "  (\(notification.firing.missed) missed)" }
    if let nag = notification.firing.nag { line += "  (\(nag.n) of \(nag.of))" }
    return line
  }

  /// A text on one line that cannot steer a terminal.
  static func safe(_ text: String) -> String { text.shown(limit: limit) }
}

/// Lines for programs.
enum JSONLine {
  static func bytes(_ line: Line) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    switch line {
    case .notification(let notification):
      event("notification", &writer)
      for member in notification.payload.members where member.name != "event" {
        writer.name(member.name)
        writer.value(member.value)
      }
    case .navigate(let step): write(step, &writer)
    case .opened(let notification, let url, let by):
      event("opened", notification.delivery, notification.id, &writer)
      if let url { text("url", url, &writer) }
      text("by", by.rawValue, &writer)
    case .failed(let delivery, let id, let reason):
      event("failed", delivery, id, &writer)
      text("reason", reason, &writer)
    case .withdrawn(let delivery, let id, let reason):
      event("withdrawn", delivery, id, &writer)
      if !reason.isEmpty { text("reason", reason, &writer) }
    case .expired(let notification):
      event("expired", notification.delivery, notification.id, &writer)
      if let expires = notification.firing.expires { text("expires", expires, &writer) }
    case .suppressed(let delivery, let id, let reason):
      event("suppressed", delivery, id, &writer)
      text("reason", reason, &writer)
    case .acted(let delivery, let id, let action, let words):
      event("acted", delivery, id, &writer)
      text("action", action, &writer)
      if let words { text("text", words, &writer) }
    case .dismissed(let delivery, let id): event("dismissed", delivery, id, &writer)
    }
    writer.endObject()
    return harmless(writer.bytes)
  }

  private static func write(_ step: NavigateLine, _ writer: inout JSONWriter) {
    event("navigate", step.delivery, step.id, &writer)
    text("url", step.url, &writer)
    text("route", step.route, &writer)
    writer.name("step")
    writer.integer(Int64(step.step))
    writer.name("of")
    writer.integer(Int64(step.of))
    text("to", step.to, &writer)
  }

  private static func event(_ event: String, _ writer: inout JSONWriter) { text("event", event, &writer) }

  private static func event(_ name: String, _ delivery: String, _ id: String, _ writer: inout JSONWriter) {
    event(name, &writer)
    text("delivery", delivery, &writer)
    text("id", id, &writer)
  }

  private static func text(_ name: String, _ value: String, _ writer: inout JSONWriter) {
    writer.name(name)
    writer.string(value)
  }

  /// JSON allows the control characters from U+0080 to U+009F in a text, and terminals obey them: they are escaped.
  /// Outside of texts no such byte occurs.
  static func harmless(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(0xC2) else { return bytes }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + 16)
    var index = 0
    while index < bytes.count {
      if bytes[index] == 0xC2, index + 1 < bytes.count, (0x80...0x9F).contains(bytes[index + 1]) {
        result += "\\u00\(String(bytes[index + 1], radix: 16))".utf8
        index += 2
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result
  }
}
