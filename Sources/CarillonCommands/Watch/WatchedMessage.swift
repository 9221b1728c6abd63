import CarillonMQTT
import CarillonModel
import CarillonTime

/// A message under the prefix, as `watch` shows it.
struct WatchedMessage {
  private let message: IncomingMessage
  /// The topic without the prefix, in its levels.
  private let levels: [String]
  private let payload: JSON?

  init(_ message: IncomingMessage, prefix: String) {
    self.message = message
    let below = message.topic.utf8.dropFirst(prefix.utf8.count + 1)
    levels = String(decoding: Array(below), as: UTF8.self).split(separator: "/").map(String.init)
    payload = try? JSON(parsing: message.payload)
  }

  /// For programs: the payload as it is where it is JSON, else as a text.
  func json(at time: WallTime) -> JSON {
    [
      "at": .string(timestamp(utc: time)), "topic": .string(message.topic), "kept": .bool(message.isRetained),
      "payload": payload ?? .string(text),
    ]
  }

  /// For people: the time, who, what, and the words that matter most.
  func line(at time: WallTime) -> String {
    let clock = timestamp(utc: time, milliseconds: false).dropFirst(11).prefix(8)
    let kept = message.isRetained ? " (kept)" : ""
    let told = [column(who, 14), column(what, 12), summary].joined(separator: " ")
    let line = "\(clock)Z  \(told)\(kept)"
    return String(line.reversed().drop { $0 == " " }.reversed())
  }

  private var text: String { String(decoding: message.payload, as: UTF8.self) }

  private var who: String {
    switch levels.first {
    case "device": levels.count > 1 ? levels[1] : "device"
    case "command": levels.count > 1 ? levels[1] : "publisher"
    default: "relay"
    }
  }

  private var what: String {
    switch levels.first {
    case "command": (payload?["command"]?.text) ?? "schedule"
    case "reply": "reply"
    default: levels.last ?? "-"
    }
  }

  /// What stands at the end of the line; a payload that is not JSON stands there itself, cut.
  private var summary: String {
    guard let payload else { return printable(text, limit: 80) }
    switch (levels.first, levels.last) {
    case ("device", "notification"), ("device", "latest"): return notification(payload)
    case ("device", "response"):
      return parts([payload["id"], payload["event"], payload["by"], payload["action"], payload["detail"]])
    case ("device", "last"): return parts([payload["id"], payload["last"]])
    case ("device", "event"): return parts([payload["id"], payload["event_type"], payload["action"]])
    case ("relay", "summary"): return parts([payload["pending"], payload["next"]], ["pending", "next"])
    case ("reply", _): return reply(payload)
    case ("command", _): return command(payload)
    case ("relay", "state"): return parts([payload["pending"], payload["next"]], ["pending", "next"])
    case ("relay", "rejected"): return parts([payload["code"], payload["path"], payload["message"]])
    default: return printable(payload.encodedText, limit: 80)
    }
  }

  private func notification(_ payload: JSON) -> String {
    if payload["kind"]?.text == "withdrawal" {
      return "withdraws " + parts([payload["id"], payload["reason"]])
    }
    return parts([payload["id"], payload["title"] ?? payload["body"], payload["url"]])
  }

  private func command(_ payload: JSON) -> String {
    if let elements = payload.elements { return "\(elements.count) commands" }
    return parts([
      payload["id"] ?? payload["ids"] ?? payload["thread"], payload["title"], payload["url"],
      payload["trigger"],
    ])
  }

  private func reply(_ payload: JSON) -> String {
    if let elements = payload.elements { return "\(elements.count) replies" }
    if let error = payload["error"] { return parts([error["code"], error["path"], error["message"]]) }
    return "ok " + parts([payload["command"], payload["id"] ?? payload["ids"], payload["next"]])
  }

  private func parts(_ values: [JSON?], _ names: [String] = []) -> String {
    values.enumerated().compactMap { index, value in
      let cell = Listings.cell(value)
      guard !cell.isEmpty else { return nil }
      return (names.indices.contains(index) ? names[index] + " " : "") + printable(cell, limit: 80)
    }.joined(separator: "  ")
  }

  private func column(_ text: String, _ width: Int) -> String {
    let text = printable(text, limit: 40)
    return text + String(repeating: " ", count: max(0, width - text.count))
  }
}
