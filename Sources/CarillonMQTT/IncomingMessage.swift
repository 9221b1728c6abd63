/// A message from the broker.
public struct IncomingMessage: Hashable, Sendable {
  public var topic: String
  public var payload: [UInt8]
  public var qos: Int32
  /// As published, where that was asked for; else whether the broker had stored it.
  public var isRetained: Bool
  /// 0 at QoS 0.
  public var packetID: UInt16
  public var responseTopic: String?
  public var correlationData: [UInt8]?
  /// Seconds of life that are left.
  public var expiry: UInt32?

  public init(
    topic: String, payload: [UInt8], qos: Int32 = 1, isRetained: Bool = false, packetID: UInt16 = 0,
    responseTopic: String? = nil, correlationData: [UInt8]? = nil, expiry: UInt32? = nil
  ) {
    self.topic = topic
    self.payload = payload
    self.qos = qos
    self.isRetained = isRetained
    self.packetID = packetID
    self.responseTopic = responseTopic
    self.correlationData = correlationData
    self.expiry = expiry
  }
}
