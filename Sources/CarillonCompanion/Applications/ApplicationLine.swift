import CarillonModel

/// What the companion says on its socket: one JSON object a line, in which nothing can steer a terminal.
enum ApplicationLine {
  /// The most bytes of a line, either way. A notification has at most 64 KiB.
  static let limit = 256 * 1024

  static func attached(_ device: Name) -> [UInt8] { event("attached", "device", device.text) }

  static func refused(_ reason: String) -> [UInt8] { event("refused", "reason", reason) }

  /// The answer to `reload`, after which the change holds.
  static func reloaded(_ what: String) -> [UInt8] { event("reloaded", "what", what) }

  /// A notification, as on the companion's standard output, with how it is usually presented; or one that is only told.
  static func notification(_ notification: Notification, asking usual: Presentation?) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.name("event")
    writer.string("notification")
    if let usual {
      writer.name("presentation")
      writer.beginArray()
      for name in usual.names { writer.string(name) }
      writer.endArray()
    } else {
      writer.name("held")
      writer.bool(true)
    }
    let own = ["event", "presentation", "held"]
    for member in notification.payload.members where !own.contains(member.name) {
      writer.name(member.name)
      writer.value(member.value)
    }
    writer.endObject()
    return JSONLine.harmless(writer.bytes)
  }

  private static func event(_ name: String, _ member: String, _ value: String) -> [UInt8] {
    JSONLine.harmless(JSON.object(["event": .string(name), member: .string(value)]).encoded)
  }
}
