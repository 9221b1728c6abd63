/// Where a broker is: `mqtt://[user@]host[:port]`.
public struct BrokerAddress: Hashable, Sendable, CustomStringConvertible {
  /// A name, or an address; an IPv6 address without its brackets.
  public var host: String
  /// Default 1883, the port registered for MQTT.
  public var port: UInt16
  /// The user name of the URL, with its escapes taken out.
  public var username: String?

  /// The port registered for MQTT (IANA).
  public static let defaultPort: UInt16 = 1883

  public init(host: String, port: UInt16 = BrokerAddress.defaultPort, username: String? = nil) {
    self.host = host
    self.port = port
    self.username = username
  }

  /// Reads `mqtt://[user@]host[:port]`; a slash at the end does not matter.
  ///
  /// - Throws: where it is another URL, or holds a password: that comes from a file.
  public init(parsing text: String) throws(AddressError) {
    var rest = try BrokerAddress.afterScheme(text)
    if rest.hasSuffix("/") { rest.removeLast() }
    if rest.utf8.contains(where: { "/?#".utf8.contains($0) }) { throw BrokerAddress.trailing }
    var username: String?
    if let at = rest.lastIndex(of: "@") {
      username = try BrokerAddress.user(rest[..<at])
      rest = rest[rest.index(after: at)...]
    }
    let (host, port) = try BrokerAddress.hostAndPort(rest)
    self.init(host: host, port: port, username: username)
  }

  /// The address as it is written, without the user name.
  public var description: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == BrokerAddress.defaultPort ? "mqtt://\(name)" : "mqtt://\(name):\(port)"
  }
}

/// Why a text is no broker address. The description holds no password.
public struct AddressError: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String

  init(_ description: String) { self.description = description }
}

extension BrokerAddress {
  private static func afterScheme(_ text: String) throws(AddressError) -> Substring {
    guard let colon = text.firstRange(of: "://") else {
      throw AddressError("a broker is given as mqtt://host or mqtt://host:port")
    }
    switch text[..<colon.lowerBound].lowercased() {
    case "mqtt": return text[colon.upperBound...]
    case "mqtts": throw AddressError("mqtts:// is not accepted; mqtt:// is")
    default:
      throw AddressError("a broker's address begins with mqtt://")
    }
  }

  private static func user(_ text: Substring) throws(AddressError) -> String {
    if text.contains(":") {
      throw AddressError("a password does not belong in the broker's address; it comes from a file")
    }
    guard let name = percentDecoded(text), !name.isEmpty, !name.utf8.contains(0) else {
      throw AddressError("the user name in the broker's address is empty or badly escaped")
    }
    return name
  }

  /// It does not show what follows: where a password was written there after all, that may be the end of it.
  private static let trailing = AddressError(
    "nothing can follow host and port in the broker's address, and what is / ? or # before them is escaped")

  private static func hostAndPort(_ text: Substring) throws(AddressError) -> (String, UInt16) {
    var host = text
    var port: Substring?
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else {
        throw AddressError("the bracket in the broker's address is not closed")
      }
      host = text[text.index(after: text.startIndex)..<end]
      let after = text[text.index(after: end)...]
      guard after.isEmpty || after.hasPrefix(":") else {
        throw trailing
      }
      port = after.isEmpty ? nil : after.dropFirst()
    } else if let colon = text.firstIndex(of: ":") {
      guard text.lastIndex(of: ":") == colon else {
        throw AddressError("an IPv6 address is written in brackets: mqtt://[::1]")
      }
      host = text[..<colon]
      port = text[text.index(after: colon)...]
    }
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw AddressError("the broker's address has no host")
    }
    guard let port else { return (String(host), defaultPort) }
    guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(port), number > 0 else {
      throw AddressError("the port of the broker's address is a number from 1 to 65535")
    }
    return (String(host), number)
  }

  private static func percentDecoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
