/// A message to be published.
public struct Publication: Hashable, Sendable {
  public var topic: String
  public var payload: [UInt8]
  /// 0 or 1. Default 1.
  public var qos: Int32
  public var retain: Bool
  /// Seconds that the broker may keep it for somebody who is away (MQTT 5). nil: for ever.
  public var expiry: UInt32?
  /// Where an answer is wanted (MQTT 5).
  public var responseTopic: String?
  /// What the answer is to carry, so that it can be told from others (MQTT 5). At most 65,535 bytes.
  public var correlationData: [UInt8]?

  public init(
    topic: String, payload: [UInt8], qos: Int32 = 1, retain: Bool = false, expiry: UInt32? = nil,
    responseTopic: String? = nil, correlationData: [UInt8]? = nil
  ) {
    self.topic = topic
    self.payload = payload
    self.qos = qos
    self.retain = retain
    self.expiry = expiry
    self.responseTopic = responseTopic
    self.correlationData = correlationData
  }
}

/// Why a publication was not queued. Nothing was sent, and the connection is as it was.
public enum PublicationError: Error, Hashable, Sendable {
  /// There is no connection, or the session is stopping.
  case notConnected
  /// The packet would have that many bytes; the broker takes no more than `limit`, and would end the connection.
  case tooLarge(Int, limit: UInt32)
  /// The topic, or the response topic, is empty, too long, or holds a wildcard or a NUL; or the correlation data is
  /// too long.
  case badTopic
  /// The library's own error number, for what is left (no memory).
  case library(Int32)
}

/// A topic filter to subscribe to.
public struct Subscription: Hashable, Sendable {
  public var filter: String
  /// The highest QoS at which messages are wanted. Default 1.
  public var qos: Int32
  /// Keep the retain flag as the publisher set it (MQTT 5); without it the flag only marks what was stored. Default true.
  public var retainAsPublished: Bool
  public var retainHandling: RetainHandling
  /// Leave out what this client publishes itself (MQTT 5). Default false.
  public var noLocal: Bool

  public init(
    _ filter: String, qos: Int32 = 1, retainAsPublished: Bool = true,
    retainHandling: RetainHandling = .always,
    noLocal: Bool = false
  ) {
    self.filter = filter
    self.qos = qos
    self.retainAsPublished = retainAsPublished
    self.retainHandling = retainHandling
    self.noLocal = noLocal
  }
}

/// When stored messages are sent for a subscription (MQTT 5, 3.8.3.1). A 3.1.1 broker always sends them.
public enum RetainHandling: UInt8, Hashable, Sendable {
  /// At every subscribe.
  case always = 0
  /// Only if the subscription is new to the session.
  case ifNew = 1
  case never = 2
}
