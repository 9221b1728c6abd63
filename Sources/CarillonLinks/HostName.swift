import CIdn2
import CarillonModel

/// Hosts as they are compared (RFC 3986 section 3.2.2): lower case, A-labels, IP literals in one form.
enum HostName {
  /// The form in which two spellings of one host are equal.
  ///
  /// The host of a web link is a machine's name: letters, digits, hyphens, underscores, dots, or an address. In other
  /// schemes it is the application's word and takes whatever RFC 3986 allows without escapes.
  ///
  /// - Throws: `invalid` for escapes, other characters, empty labels, broken A-labels, and addresses in disguise
  ///   (`2130706433` and `0x7f.1` are what some programs call 127.0.0.1).
  static func canonical(_ host: ArraySlice<UInt8>, isWeb: Bool) throws(Refusal) -> String {
    if host.first == UInt8(ascii: "[") { return try literal(host) }
    for byte in host where !isAllowed(byte, isWeb: isWeb) { throw unfit(byte) }
    let lower = host.map(lowercased)
    let labels = lower.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    if labels.contains(where: { $0.starts(with: "xn--".utf8) }) { _ = try aLabels(lower[...]) }
    if isWeb { try inspectWeb(labels) }
    return String(decoding: lower, as: UTF8.self)
  }

  /// The A-labels of a host with non-ASCII characters (UTS 46, non-transitional, STD 3 rules), in lower case.
  ///
  /// - Throws: `invalid` where the name, or what it maps to, is no host name.
  static func aLabels(_ host: ArraySlice<UInt8>) throws(Refusal) -> [UInt8] {
    let name = Array(host) + [0]
    let labels = try lookup(name, IDN2_NONTRANSITIONAL.rawValue)
    // Told to apply STD 3, libidn2 2.3.3 leaves out what the rules forbid instead of refusing it: a full-width
    // slash would vanish and join two names to one. So a name is good only if the rules change nothing about it.
    let strict = try lookup(name, IDN2_NONTRANSITIONAL.rawValue | IDN2_USE_STD3_ASCII_RULES.rawValue)
    guard labels == strict, !labels.isEmpty else {
      throw Refusal(.invalid, "the host holds, or maps to, a character that no host name has")
    }
    return labels
  }

  /// - Parameter name: ends with a NUL.
  private static func lookup(_ name: [UInt8], _ flags: UInt32) throws(Refusal) -> [UInt8] {
    var result: UnsafeMutablePointer<UInt8>?
    let status = name.withUnsafeBufferPointer { idn2_lookup_u8($0.baseAddress, &result, Int32(flags)) }
    defer { idn2_free(result) }
    guard status == IDN2_OK.rawValue, let result else {
      throw Refusal(.invalid, "the host is no name under UTS 46 (\(String(cString: idn2_strerror(status))))")
    }
    let labels = Array(String(cString: result).utf8)
    for byte in labels where !isAllowed(byte, isWeb: true) { throw unfit(byte) }
    return labels
  }

  private static func unfit(_ byte: UInt8) -> Refusal {
    if byte == UInt8(ascii: "%") {
      return Refusal(.invalid, "an escape in the host; write the name itself")
    }
    let character = printable(String(decoding: [byte], as: UTF8.self))
    return Refusal(.invalid, "a host cannot hold the character \"\(character)\"")
  }

  /// RFC 3986 reg-name without escapes, or the narrower set of names on the web.
  private static func isAllowed(_ byte: UInt8, isWeb: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "~"), UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"),
      UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","),
      UInt8(ascii: ";"), UInt8(ascii: "="):
      !isWeb
    default: PercentEncoding.isUnreserved(byte)
    }
  }

  private static func inspectWeb(_ labels: [ArraySlice<UInt8>]) throws(Refusal) {
    // A single empty label at the end is the root of the name system: "example.org." is a name.
    let named = labels.count > 1 && labels[labels.count - 1].isEmpty ? labels.dropLast() : labels[...]
    if named.contains(where: \.isEmpty), labels.count > 1 {
      throw Refusal(.invalid, "the host has an empty label between its dots")
    }
    if let last = named.last, isNumber(last), !isIPv4(named) {
      throw Refusal(.invalid, "the host is a number but no address in four decimal parts")
    }
  }

  private static func isNumber(_ label: ArraySlice<UInt8>) -> Bool {
    guard !label.isEmpty else { return false }
    if label.starts(with: "0x".utf8) {
      return label.dropFirst(2).allSatisfy { PercentEncoding.digit($0) != nil }
    }
    return label.allSatisfy(isDigit)
  }

  private static func isIPv4(_ labels: ArraySlice<ArraySlice<UInt8>>) -> Bool {
    labels.count == 4 && labels.allSatisfy { IPv6Literal.octet($0) != nil }
  }

  private static func literal(_ host: ArraySlice<UInt8>) throws(Refusal) -> String {
    guard host.last == UInt8(ascii: "]"), let address = IPv6Literal(host.dropFirst().dropLast()) else {
      throw Refusal(.invalid, "what stands in brackets is no IPv6 address (zones are not taken)")
    }
    return "[\(address.text)]"
  }
}
