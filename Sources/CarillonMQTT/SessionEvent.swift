/// What happened in a session, in the order in which it happened.
public enum SessionEvent: Hashable, Sendable {
  /// The broker has taken the connection.
  /// - Parameters:
  ///   - sessionPresent: it kept the session of before, with its subscriptions and unacknowledged messages.
  ///   - protocolVersion: 5, or 4 for MQTT 3.1.1.
  ///   - brokerReceiveMaximum: how many unacknowledged QoS 1 publications it takes; 65,535 where it does not say.
  ///   - brokerMaximumPacket: the largest packet that it takes; nil where it does not say.
  case connected(
    sessionPresent: Bool, protocolVersion: Int, brokerReceiveMaximum: UInt16, brokerMaximumPacket: UInt32?)
  /// A SUBACK: for each filter the granted QoS, or a reason from 0x80 on.
  case subscribed(packetID: UInt16, reasons: [UInt8])
  case unsubscribed(packetID: UInt16)
  case message(IncomingMessage)
  /// A PUBACK. A reason from 0x80 on is a refusal; with MQTT 3.1.1 it is always 0.
  case acknowledged(packetID: UInt16, reason: UInt8)
  /// A connection that was established has ended. Nothing queued on it is known to have arrived. Attempts follow by
  /// themselves, except with `once`.
  case disconnected(SessionFailure)
  /// An attempt to connect has failed; the next one follows after `retryIn`; nil: none (`once`).
  case failed(SessionFailure, retryIn: Duration?)
}
