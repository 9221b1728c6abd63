/// Where a broker is: `mqtt://[user@]host[:port]`, or `mqtts://` where TLS is spoken.
public struct BrokerAddress: Hashable, Sendable, CustomStringConvertible {
  /// A name, or an address; an IPv6 address without its brackets.
  public var host: String
  /// Default 1883, the port registered for MQTT, or 8883 with TLS.
  public var port: UInt16
  /// The user name of the URL, with its escapes taken out.
  public var username: String?
  /// Whether TLS is spoken. Default false.
  public var isSecure: Bool

  /// The ports registered for MQTT (IANA).
  public static func defaultPort(isSecure: Bool) -> UInt16 { isSecure ? 8883 : 1883 }

  public init(host: String, port: UInt16? = nil, username: String? = nil, isSecure: Bool = false) {
    self.host = host
    self.port = port ?? BrokerAddress.defaultPort(isSecure: isSecure)
    self.username = username
    self.isSecure = isSecure
  }

  /// Reads `mqtt://[user@]host[:port]` or `mqtts://…`; a slash at the end does not matter.
  ///
  /// - Throws: where it is another URL, or holds a password: that comes from a file.
  public init(parsing text: String) throws(AddressError) {
    let (isSecure, after) = try BrokerAddress.afterScheme(text)
    var rest = after
    if rest.hasSuffix("/") { rest.removeLast() }
    if rest.utf8.contains(where: { "/?#".utf8.contains($0) }) { throw BrokerAddress.trailing }
    var username: String?
    if let at = rest.lastIndex(of: "@") {
      username = try BrokerAddress.user(rest[..<at])
      rest = rest[rest.index(after: at)...]
    }
    let (host, port) = try BrokerAddress.hostAndPort(rest)
    self.init(host: host, port: port, username: username, isSecure: isSecure)
  }

  /// The address as it is written, without the user name.
  public var description: String {
    let name = host.contains(":") ? "[\(host)]" : host
    let isUsual = port == BrokerAddress.defaultPort(isSecure: isSecure)
    return (isSecure ? "mqtts://" : "mqtt://") + name + (isUsual ? "" : ":\(port)")
  }
}

/// Why a text is no broker address. The description holds no password.
public struct AddressError: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String

  init(_ description: String) { self.description = description }
}

extension BrokerAddress {
  private static func afterScheme(_ text: String) throws(AddressError) -> (isSecure: Bool, rest: Substring) {
    guard let colon = text.firstRange(of: "://") else {
      throw AddressError("a broker is given as mqtt://host or mqtt://host:port, or with mqtts:// for TLS")
    }
    switch text[..<colon.lowerBound].lowercased() {
    case "mqtt": return (false, text[colon.upperBound...])
    case "mqtts": return (true, text[colon.upperBound...])
    default:
      throw AddressError("a broker's address begins with mqtt://, or with mqtts:// for TLS")
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

  private static func hostAndPort(_ text: Substring) throws(AddressError) -> (String, UInt16?) {
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
    guard let port else { return (String(host), nil) }
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
