import CarillonModel

/// A deep link: an absolute URL with a scheme (RFC 3986), read once, split on bytes, and never written anew.
///
/// `text` is what travels. It is the given text byte for byte, except that non-ASCII characters are percent-encoded
/// as UTF-8 and a non-ASCII host is replaced by its A-label (UTS 46, non-transitional). Escapes are decoded only
/// after the split and only once: `%2F` stays inside its segment and `%252e` is the text `%2e`.
///
/// A value of this type is well formed. Whether it may be opened is for `LinkPolicy` to say.
public struct Link: Sendable {
  /// The most bytes that a link may have (protocol §3), measured as it travels.
  public static let lengthLimit = Limits.link

  /// The link as it travels; ASCII only.
  public let text: String
  /// In lower case (RFC 3986 section 3.1: schemes have no case), without the colon.
  public let scheme: String
  /// As hosts are compared: in lower case, as an A-label, an IPv6 literal in brackets and in its canonical form
  /// (RFC 5952). Empty in `myapp:///path`; `nil` in an opaque link.
  public let host: String?
  /// The port, where one is written. `effectivePort` counts the default in.
  public let port: UInt16?

  /// `text` once more, for the splitting and matching that goes byte by byte.
  let bytes: [UInt8]
  let pathRange: Range<Int>
  let queryRange: Range<Int>?
  let fragmentRange: Range<Int>?

  init(
    text: String, bytes: [UInt8], scheme: String, host: String?, port: UInt16?, path: Range<Int>,
    query: Range<Int>?, fragment: Range<Int>?
  ) {
    self.text = text
    self.bytes = bytes
    self.scheme = scheme
    self.host = host
    self.port = port
    pathRange = path
    queryRange = query
    fragmentRange = fragment
  }

  /// Whether there is no `//host` part, as in `tel:+4930123`.
  public var isOpaque: Bool { host == nil }

  /// Whether the scheme is `http` or `https`, whose host is a machine's name rather than an application's own word.
  public var isWeb: Bool { Link.isWeb(scheme: scheme) }

  /// The port that counts when links are compared: the one written, else the default of `http` and `https`.
  public var effectivePort: UInt16? { port ?? Link.defaultPort(scheme: scheme) }

  static func isWeb(scheme: String) -> Bool { scheme == "https" || scheme == "http" }

  static func defaultPort(scheme: String) -> UInt16? {
    switch scheme {
    case "https": 443
    case "http": 80
    default: nil
    }
  }
}

extension Link: Hashable {
  /// Two links are equal when they are the same bytes on the way.
  public static func == (left: Link, right: Link) -> Bool { left.bytes == right.bytes }
  /// As equality has it: by the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension Link: CustomStringConvertible {
  /// The link as it travels.
  public var description: String { text }
}
