import FoundationEssentials

extension Request {
  /// A new identifier for a request that came without one: a random UUID in lower case.
  public static func newIdentifier() -> String { UUID().uuidString.lowercased() }
}
