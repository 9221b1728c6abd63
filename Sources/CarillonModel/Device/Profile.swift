/// What a companion tells about itself, retained under `device/<device>/profile` (protocol §1).
public struct Profile: Hashable, Sendable {
  /// Whether somebody is there.
  public enum Presence: String, Hashable, Sendable, CaseIterable {
    case active, idle, locked, unknown
  }

  /// The largest profile that is taken, in bytes.
  public static let limit = 4096

  /// The device's name, as in its topics.
  public var name: String
  /// Whether notifications may be shown: `authorized`, `denied`.
  public var authorization: String
  /// Whether do not disturb is on.
  public var focus: Bool
  /// How notifications are shown at present: any of `banner`, `list`, `sound`, `badge`.
  public var presentation: [String]
  public var presence: Presence
  /// The schemes of the links that this device can open.
  public var schemes: [String]
  /// The program's version.
  public var version: String
  /// A new random text a run, so that two programs with one client id find out about each other.
  public var instance: String

  public init(
    name: String, authorization: String = "authorized", focus: Bool = false, presentation: [String] = [],
    presence: Presence = .unknown, schemes: [String] = [], version: String = "", instance: String = ""
  ) {
    self.name = name
    self.authorization = authorization
    self.focus = focus
    self.presentation = presentation
    self.presence = presence
    self.schemes = schemes
    self.version = version
    self.instance = instance
  }
}

extension Profile {
  /// Reads a payload of a device's profile topic. Only `name` must be there; fields that are unknown, and a presence
  /// that is, are ignored.
  ///
  /// - Throws: `too-large`, `malformed`, or `invalid` naming the field.
  public init(parsing payload: [UInt8]) throws(Refusal) {
    guard payload.count <= Profile.limit else {
      throw Refusal(.tooLarge, "a profile takes at most \(Profile.limit) bytes, not \(payload.count)")
    }
    let fields = try Fields(try JSON(payload: payload))
    guard let name = try fields.string("name") else { throw fields.refusal("name", "is missing") }
    self.init(
      name: name, authorization: try fields.string("authorization") ?? "authorized",
      focus: try fields.bool("focus") ?? false, presentation: try fields.strings("presentation") ?? [],
      presence: try fields.string("presence").flatMap(Presence.init(rawValue:)) ?? .unknown,
      schemes: try fields.strings("schemes") ?? [], version: try fields.string("version") ?? "",
      instance: try fields.string("instance") ?? "")
  }

  /// The profile as JSON text, within the limit: where it would be too long, schemes are left out from the end.
  public var encoded: [UInt8] {
    var profile = self
    var bytes = profile.whole
    while bytes.count > Profile.limit, profile.schemes.popLast() != nil { bytes = profile.whole }
    return bytes
  }

  private var whole: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.text("name", name)
    writer.text("authorization", authorization)
    writer.name("focus")
    writer.bool(focus)
    writer.list("presentation", presentation)
    writer.text("presence", presence.rawValue)
    writer.list("schemes", schemes)
    writer.text("version", version)
    writer.text("instance", instance)
    writer.endObject()
    return writer.bytes
  }
}

extension JSONWriter {
  fileprivate mutating func list(_ name: String, _ texts: [String]) {
    self.name(name)
    beginArray()
    for text in texts { string(text) }
    endArray()
  }
}
