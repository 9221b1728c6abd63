/// The envelope of a notification: which firing of which request it is (protocol §4).
///
/// Times are kept as the RFC 3339 texts that travel, since their offset tells the request's zone.
public struct Firing: Hashable, Sendable {
  /// A repetition's place in a series that goes on until somebody answers.
  public struct Nag: Hashable, Sendable {
    /// Which repetition, counted from 1.
    public var n: Int64
    /// How many there are at most.
    public var of: Int64

    public init(n: Int64, of: Int64) {
      self.n = n
      self.of = of
    }
  }

  /// One text a firing, the same on every device and every retry, never used twice.
  public var delivery: String
  /// The request that fired.
  public var id: String
  /// The publisher of the request; `nil` for the bare command topic.
  public var from: String?
  /// When it was due. The relay always tells; whoever publishes to a device by hand need not.
  public var due: String?
  /// When it fired.
  public var fired: String?
  /// Whether it fired noticeably after it was due.
  public var late: Bool
  /// How many occurrences before this one did not fire.
  public var missed: Int64
  /// The instant from which on nobody wants it any more; `nil` for never.
  public var expires: String?
  public var nag: Nag?

  public init(
    delivery: String, id: String, from: String? = nil, due: String? = nil, fired: String? = nil,
    late: Bool = false, missed: Int64 = 0, expires: String? = nil, nag: Nag? = nil
  ) {
    self.delivery = delivery
    self.id = id
    self.from = from
    self.due = due
    self.fired = fired
    self.late = late
    self.missed = missed
    self.expires = expires
    self.nag = nag
  }
}

extension Firing {
  /// The instant of `expires`; `nil` where there is none.
  public var expiry: WallTime? {
    guard let expires, case .instant(let time)? = try? WrittenTime(parsing: expires) else { return nil }
    return time
  }

  /// Whether nobody wants it any more. At the very instant of `expires` it is over.
  public func isExpired(at now: WallTime) -> Bool { expiry.map { now >= $0 } ?? false }

  /// Reads the envelope's fields; unknown ones are left alone.
  ///
  /// - Throws: `invalid` where `delivery` or `id` is missing or a field is of the wrong kind.
  init(reading fields: Fields) throws(Refusal) {
    self.init(
      delivery: try fields.identifier("delivery", limit: deliveryLimit),
      id: try fields.identifier("id", limit: identifierLimit),
      from: try fields.string("from"), due: try fields.string("due"), fired: try fields.string("fired"),
      late: try fields.bool("late") ?? false,
      missed: try fields.integer("missed", in: 0...Int64.max) ?? 0,
      expires: try fields.instant("expires"),
      nag: try Nag(reading: try fields.object("nag")))
  }

  /// Writes the envelope's members, `kind` first, into an object that is open. The content's members follow.
  public func writeMembers(into writer: inout JSONWriter) {
    writer.name("kind")
    writer.string(DeviceMessage.Kind.notification.rawValue)
    writer.name("delivery")
    writer.string(delivery)
    writer.name("id")
    writer.string(id)
    writer.text("from", from)
    writer.text("due", due)
    writer.text("fired", fired)
    writer.name("late")
    writer.bool(late)
    writer.name("missed")
    writer.integer(missed)
    writer.text("expires", expires)
    if let nag { nag.write(into: &writer) }
  }
}

extension Fields {
  /// A time that names an instant, as it was written: whether something has expired cannot hang on a zone to be guessed.
  fileprivate func instant(_ name: String) throws(Refusal) -> String? {
    guard let text = try string(name) else { return nil }
    guard case .instant? = try? WrittenTime(parsing: text) else {
      throw refusal(name, "\"\(printable(text))\" is not an RFC 3339 time with an offset")
    }
    return text
  }
}

extension Firing.Nag {
  fileprivate init?(reading fields: Fields?) throws(Refusal) {
    guard let fields else { return nil }
    self.init(
      n: try fields.integer("n", in: 0...Int64.max) ?? 0,
      of: try fields.integer("of", in: 0...Int64.max) ?? 0)
  }

  fileprivate func write(into writer: inout JSONWriter) {
    writer.name("nag")
    writer.beginObject()
    writer.name("n")
    writer.integer(n)
    writer.name("of")
    writer.integer(of)
    writer.endObject()
  }
}
