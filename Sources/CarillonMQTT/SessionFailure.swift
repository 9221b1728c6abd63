import CarillonLoop

/// Why there is no connection. Each description is one sentence for people, without any secret.
public enum SessionFailure: Error, Hashable, Sendable {
  /// The host name has no address, or the name server gives no answer.
  case nameNotResolved(host: String, reason: String)
  /// No TCP connection; the system's error number.
  case unreachable(address: BrokerAddress, error: Int32)
  /// No CONNACK in time.
  case noAnswer(address: BrokerAddress, after: Duration)
  /// The user name or password is wrong (0x86; code 4 of 3.1.1).
  case badLogin
  /// The broker wants a login, or this one may not connect (0x87; code 5 of 3.1.1).
  case notAuthorized
  /// Another refusal in the CONNACK, as an MQTT 5 reason code.
  case refused(reason: UInt8)
  /// The password file cannot be read; the system's error number.
  case passwordFileUnreadable(path: String, error: Int32)
  /// The connection was closed without a reason.
  case closed
  /// The broker sent a DISCONNECT with that reason code.
  case dismissed(reason: UInt8)
  /// Nothing was heard for the time of the keep-alive.
  case silent
  /// The connection broke; the system's error number.
  case broken(error: Int32)
  /// What arrived is not MQTT.
  case notMQTT
  /// There is no TLS connection.
  case tls(TLSCause, address: BrokerAddress)
  /// The settings cannot be put into a CONNECT packet.
  case settings(String)
  /// The owner asked for a new connection.
  case reset(String)
}

extension SessionFailure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .nameNotResolved(let host, let reason): "the name \(host) cannot be resolved: \(reason)"
    case .unreachable(let address, let error): "\(address) cannot be reached: \(systemMessage(error))"
    case .noAnswer(let address, let time): "\(address) gives no answer within \(time)"
    case .badLogin: "the broker refused the user name or password"
    case .notAuthorized: "the broker refused the login: not authorized"
    case .refused(let reason): "the broker refused the connection: \(reasonText(reason))"
    case .passwordFileUnreadable(let path, let error):
      "the password file \(path) cannot be read: \(systemMessage(error))"
    case .closed: "the broker closed the connection"
    case .dismissed(let reason): "the broker ended the connection: \(reasonText(reason))"
    case .silent: "the broker has fallen silent"
    case .broken(let error): "the connection broke: \(systemMessage(error))"
    case .notMQTT: "the broker's answer is not MQTT"
    case .tls(let cause, let address): "\(address): \(cause)"
    case .settings(let fault): fault
    case .reset(let reason): reason
    }
  }

  /// Whether a user name or password, or another one, would help.
  public var concernsLogin: Bool {
    switch self {
    case .badLogin, .notAuthorized: true
    default: false
    }
  }
}
