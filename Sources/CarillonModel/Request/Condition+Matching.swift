extension Condition {
  /// Whether a message passes the test. Nothing passes `silent`, and a device has no messages.
  public func matches(payload: [UInt8]) -> Bool {
    false
  }
}
