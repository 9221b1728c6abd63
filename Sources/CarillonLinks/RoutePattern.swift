import CarillonModel

/// What the links of a route look like: one description that both matches a link and writes one.
///
/// `:name` in the place of a path segment or of a query value binds it; `*name` at the end of the path binds what
/// remains, be it nothing. Everything else is compared after one decoding: scheme and host without case, the path
/// and query keys with case. The query's order does not matter, the first of repeated keys counts, keys that the
/// pattern does not name are ignored, and so is the fragment. A key without `=` has the empty text as its value. One
/// trailing slash does not matter, an empty segment does.
public struct RoutePattern: Hashable, Sendable {
  enum Segment: Hashable, Sendable {
    /// As written, and as compared.
    case literal(raw: [UInt8], decoded: [UInt8])
    case parameter(String)
  }

  enum Value: Hashable, Sendable {
    /// `raw` is `nil` where the key stands without `=`.
    case literal(raw: [UInt8]?, decoded: [UInt8])
    case parameter(String)
  }

  struct Requirement: Hashable, Sendable {
    let rawName: [UInt8]
    let name: [UInt8]
    let value: Value
  }

  /// As it was written.
  public let text: String
  /// Whether `+` in a query means a blank (`form: true`); by default it is a plus.
  public let form: Bool
  /// The names that it binds, in the order of the text.
  public let parameters: [String]

  let scheme: String
  /// `nil` in the pattern of an opaque link.
  let host: String?
  /// With the scheme's default counted in.
  let port: UInt16?
  /// What stands before the path, as written.
  let prefix: [UInt8]
  let segments: [Segment]
  /// The name that binds the remaining path.
  let rest: String?
  let query: [Requirement]

  var isOpaque: Bool { host == nil }
}
