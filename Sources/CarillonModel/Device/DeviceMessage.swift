/// What the relay sends to a device: a notification, or its withdrawal (protocol §4).
public enum DeviceMessage: Hashable, Sendable {
  /// The value of the field `kind`.
  public enum Kind: String, Sendable, CaseIterable {
    case notification, withdrawal
  }

  case notification(Notification)
  case withdrawal(Withdrawal)

  /// Reads a payload of a device's notification topic.
  ///
  /// - Throws: `malformed` for what is not JSON; `invalid`, naming the field, for what is no such message.
  public init(parsing payload: [UInt8]) throws(Refusal) {
    try self.init(reading: try JSON(payload: payload))
  }

  /// - Throws: `invalid`, naming the field.
  public init(reading json: JSON) throws(Refusal) {
    let fields = try Fields(json)
    switch try fields.choice("kind", Kind.self) {
    case .notification: self = .notification(try Notification(reading: fields))
    case .withdrawal: self = .withdrawal(try Withdrawal(reading: fields))
    case nil: throw fields.refusal("kind", "is missing")
    }
  }

  public var delivery: String {
    switch self {
    case .notification(let notification): notification.delivery
    case .withdrawal(let withdrawal): withdrawal.delivery
    }
  }

  public var id: String {
    switch self {
    case .notification(let notification): notification.id
    case .withdrawal(let withdrawal): withdrawal.id
    }
  }

  /// Which delivery a payload speaks of, although the rest of it cannot be read: so it can still be answered, and
  /// is not sent again for ever.
  public static func identity(in json: JSON) -> (delivery: String, id: String)? {
    guard let fields = try? Fields(json),
      let delivery = try? fields.identifier("delivery", limit: deliveryLimit),
      let id = try? fields.identifier("id", limit: identifierLimit)
    else { return nil }
    return (delivery, id)
  }
}
