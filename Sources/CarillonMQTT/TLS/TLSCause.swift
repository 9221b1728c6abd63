/// Why no TLS connection came about. The description is told behind the broker's address.
public enum TLSCause: Hashable, Sendable, CustomStringConvertible {
  /// The broker's certificate leads to no authority that is known here.
  case unknownAuthority
  /// It has ended, at that time.
  case expired(String)
  /// It begins at that time.
  case notYetValid(String)
  /// It is for other hosts than this one.
  case wrongHost(String)
  /// Another fault of it, in OpenSSL's words.
  case badCertificate(String)
  /// The broker wants a certificate, and there is none to show.
  case certificateWanted
  /// The broker does not take the one that it was shown; its own words.
  case certificateRefused(String)
  /// The broker speaks no version that is new enough.
  case version
  /// What answers there speaks something else.
  case notTLS
  /// The connection was closed in the middle.
  case closed
  /// Anything else, in the words of the broker or of OpenSSL.
  case other(String)

  public var description: String {
    switch self {
    case .unknownAuthority:
      "the broker's certificate is from an authority that is not known here; tls.ca names the file of one"
    case .expired(let time): "the broker's certificate has expired, at \(time)"
    case .notYetValid(let time): "the broker's certificate is not valid yet, but from \(time) on"
    case .wrongHost(let host): "the broker's certificate is not for the host \(host)"
    case .badCertificate(let text): "the broker's certificate is no good: \(text)"
    case .certificateWanted: "the broker wants a client certificate; tls.cert and tls.key name its files"
    case .certificateRefused(let text): "the broker refused the client certificate: \(text)"
    case .version: "the broker does not speak TLS 1.2 or newer"
    case .notTLS: "what answers does not speak TLS; is this the port for it?"
    case .closed: "the connection was closed during the TLS handshake; is this the port for TLS?"
    case .other(let text): "no TLS connection: \(text)"
    }
  }
}
