/// A method call to a service on the bus.
struct BusCall: Hashable, Sendable {
  /// A well-known name, or the unique name of a connection.
  var destination: String
  var path: String
  var interface: String
  var member: String
  var arguments: [BusValue] = []
  /// Whether the bus may start the service, where it knows how.
  var mayStart = false
}

/// What came of a call.
enum BusReply: Hashable, Sendable {
  /// The values, and the unique name of who answered. Values that cannot be read are none.
  case values([BusValue], sender: String)
  /// The error's name (`org.freedesktop.DBus.Error.…`), and its words for people.
  case failure(name: String, message: String)
}

/// A signal that has come in, valid while it is handled.
struct BusSignal {
  /// The unique name of who sent it, which the bus vouches for; `org.freedesktop.DBus` for the bus itself.
  var sender: String
  var path: String
  var interface: String
  var member: String
  /// Reads what it carries; what cannot be read is nothing.
  var arguments: () -> [BusValue]
}

/// Names of the D-Bus specification.
enum BusName {
  static let bus = "org.freedesktop.DBus"
  static let path = "/org/freedesktop/DBus"
  static let properties = "org.freedesktop.DBus.Properties"

  /// A rule for the signal by which the bus tells that a name has got, changed or lost its owner.
  static func ownerRule(_ name: String) -> String {
    "type='signal',sender='\(bus)',interface='\(bus)',member='NameOwnerChanged',arg0='\(name)'"
  }

  /// Whether an error says that whom the call was for has gone, or answers no more.
  static func saysGone(_ error: String) -> Bool {
    ["NoReply", "ServiceUnknown", "NameHasNoOwner", "Disconnected", "Timeout"].contains {
      error == "\(bus).Error.\($0)"
    }
  }
}

extension BusSignal {
  /// The owners of a name before and after, where this is the bus's own word on it; empty for nobody.
  func owners(of name: String) -> (old: String, new: String)? {
    guard sender == BusName.bus, interface == BusName.bus, member == "NameOwnerChanged" else { return nil }
    let texts = arguments().compactMap(\.text)
    return texts.count == 3 && texts[0] == name ? (texts[1], texts[2]) : nil
  }
}
