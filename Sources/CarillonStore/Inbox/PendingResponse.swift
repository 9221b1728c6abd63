/// A response that the broker has not acknowledged yet.
public struct PendingResponse: Hashable, Sendable {
  /// Its place in the order in which responses are sent.
  public var sequence: Int64
  /// The response as it is published.
  public var payload: [UInt8]
}
