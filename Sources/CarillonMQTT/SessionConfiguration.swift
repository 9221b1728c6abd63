/// How a session connects. Every attempt reads it anew, so a password file may change meanwhile.
public struct SessionConfiguration: Sendable {
  public var address: BrokerAddress
  /// Two clients with one id throw each other out for ever.
  public var clientID: String
  /// nil: the one of the address, where there is one.
  public var username: String?
  /// Read at each attempt; one line feed at its end does not count. nil: no password.
  public var passwordFile: String?
  /// How the broker proves who it is, where the address is `mqtts://`.
  public var tls: TLSConfiguration
  /// The longest silence in either direction before the broker, or this side, takes the connection for dead: this
  /// side notices after one to two of it. Whole seconds, 5 s to 18 hours. Default 60 s.
  public var keepAlive: Duration
  /// True: the broker forgets what it held for this client before. Default true.
  public var cleanStart: Bool
  /// How long the broker keeps the session once the connection is lost. Default `atEnd`.
  public var sessionExpiry: SessionExpiry
  /// What the broker publishes when the connection ends without a DISCONNECT. Default none.
  public var will: Will?
  /// How many unacknowledged QoS 1 messages the broker may send (MQTT 5, 3.1.2.11.3). It bounds a batch.
  public var receiveMaximum: UInt16
  /// The longest wait for the name, the connection and the CONNACK together. Default 10 s.
  public var connectTimeout: Duration
  /// True: flush after each turn and each call, for owners to whom an acknowledgement means nothing. Default false.
  public var autoFlush: Bool
  /// True: no second attempt after the first failure, and none after a lost connection. For the command line.
  public var once: Bool

  public init(
    address: BrokerAddress, clientID: String, username: String? = nil, passwordFile: String? = nil,
    tls: TLSConfiguration = TLSConfiguration(), keepAlive: Duration = .seconds(60), cleanStart: Bool = true,
    sessionExpiry: SessionExpiry = .atEnd,
    will: Will? = nil, receiveMaximum: UInt16 = 1000, connectTimeout: Duration = .seconds(10),
    autoFlush: Bool = false, once: Bool = false
  ) {
    self.address = address
    self.clientID = clientID
    self.username = username
    self.passwordFile = passwordFile
    self.tls = tls
    self.keepAlive = keepAlive
    self.cleanStart = cleanStart
    self.sessionExpiry = sessionExpiry
    self.will = will
    self.receiveMaximum = receiveMaximum
    self.connectTimeout = connectTimeout
    self.autoFlush = autoFlush
    self.once = once
  }

  /// The largest packet that the broker may send (protocol §1), announced in CONNECT.
  public static let maximumPacketSize: UInt32 = 1_048_576
}

/// How long a broker keeps a session whose connection is gone (MQTT 5, 3.1.2.11.2).
public enum SessionExpiry: Hashable, Sendable {
  /// It ends with the connection.
  case atEnd
  /// It is kept for ever.
  case never
}

/// What the broker publishes, at QoS 1 and without delay, when the client is gone without saying so.
public struct Will: Hashable, Sendable {
  public var topic: String
  public var payload: [UInt8]
  public var retain: Bool

  public init(topic: String, payload: [UInt8], retain: Bool = true) {
    self.topic = topic
    self.payload = payload
    self.retain = retain
  }
}
