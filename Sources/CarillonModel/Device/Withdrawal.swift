/// The relay takes a notification back from a device (protocol §4).
public struct Withdrawal: Hashable, Sendable {
  public var delivery: String
  public var id: String
  /// Why: the event that answered it elsewhere (`opened`, `acted`, `dismissed`), `withdrawn`, `cancelled`, ….
  public var reason: String?
  /// The device that answered, where one did.
  public var by: String?

  public init(delivery: String, id: String, reason: String? = nil, by: String? = nil) {
    self.delivery = delivery
    self.id = id
    self.reason = reason
    self.by = by
  }

  /// - Throws: `invalid`, naming the field.
  public init(reading fields: Fields) throws(Refusal) {
    self.init(
      delivery: try fields.identifier("delivery", limit: deliveryLimit),
      id: try fields.identifier("id", limit: identifierLimit),
      reason: try fields.string("reason"), by: try fields.string("by"))
  }

  /// The message as JSON text.
  public var encoded: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.name("kind")
    writer.string(DeviceMessage.Kind.withdrawal.rawValue)
    writer.name("delivery")
    writer.string(delivery)
    writer.name("id")
    writer.string(id)
    writer.optional("reason", reason)
    writer.optional("by", by)
    writer.endObject()
    return writer.bytes
  }
}
