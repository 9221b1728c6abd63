import COpenSSL

/// What was noticed of a handshake, from which follows why it failed.
///
/// libmosquitto reports every fault of TLS alike, and has let go of the connection by then. So libssl's callbacks note
/// what they see.
struct TLSTrouble: Equatable {
  /// The first fault of the broker's certificate.
  var certificate: TLSCause?
  /// The broker's last word before it closed (RFC 8446, 6).
  var alert: UInt8?
  /// Whether it has asked for a certificate.
  var isCertificateWanted = false
  /// Whether there is one.
  var hasCertificate = false
  /// libssl's own errors, by their reasons and texts.
  var errors: [(reason: Int32, text: String)] = []

  static func == (left: TLSTrouble, right: TLSTrouble) -> Bool {
    left.certificate == right.certificate && left.alert == right.alert
      && left.isCertificateWanted == right.isCertificateWanted && left.hasCertificate == right.hasCertificate
      && left.errors.map(\.reason) == right.errors.map(\.reason)
  }

  /// How the connection ended.
  enum Ending {
    /// The library says that TLS failed.
    case failed
    /// It broke: the broker closed it while something was on the way to it.
    case reset
    /// In any other way.
    case otherwise
  }

  /// nil where it does not look like a matter of TLS.
  func cause(_ ending: Ending) -> TLSCause? {
    if let certificate { return certificate }
    if let alert { return cause(ofAlert: alert) }
    // The alert may be lost where the broker closed before it had read all.
    if isCertificateWanted, !hasCertificate, ending == .reset { return .certificateWanted }
    guard ending == .failed else { return nil }
    let reasons = errors.map(\.reason)
    if reasons.contains(where: TLSTrouble.ofVersion.contains) { return .version }
    if reasons.contains(where: TLSTrouble.ofOtherProtocol.contains) { return .notTLS }
    if reasons.isEmpty || reasons.contains(SSL_R_UNEXPECTED_EOF_WHILE_READING) { return .closed }
    return .other(errors[0].text)
  }

  private static let ofVersion: Set<Int32> = [
    SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_NO_PROTOCOLS_AVAILABLE, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION,
    SSL_R_WRONG_SSL_VERSION,
  ]
  private static let ofOtherProtocol: Set<Int32> = [
    SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST, SSL_R_PACKET_LENGTH_TOO_LONG,
    SSL_R_BAD_RECORD_TYPE, SSL_R_UNEXPECTED_MESSAGE,
  ]

  private func cause(ofAlert alert: UInt8) -> TLSCause {
    let text = String(cString: SSL_alert_desc_string_long(Int32(alert)))
    switch Int32(alert) {
    case SSL_AD_CERTIFICATE_REQUIRED: return .certificateWanted
    case SSL_AD_PROTOCOL_VERSION: return .version
    // Before TLS 1.3 there is no word of its own for it.
    case SSL_AD_HANDSHAKE_FAILURE, SSL_AD_BAD_CERTIFICATE:
      if isCertificateWanted, !hasCertificate { return .certificateWanted }
    default: break
    }
    return isCertificateWanted && hasCertificate && TLSTrouble.ofCertificates.contains(Int32(alert))
      ? .certificateRefused(text) : .other("the broker says \(text)")
  }

  private static let ofCertificates: Set<Int32> = [
    SSL_AD_BAD_CERTIFICATE, SSL_AD_UNSUPPORTED_CERTIFICATE, SSL_AD_CERTIFICATE_REVOKED,
    SSL_AD_CERTIFICATE_EXPIRED, SSL_AD_CERTIFICATE_UNKNOWN, SSL_AD_UNKNOWN_CA, SSL_AD_ACCESS_DENIED,
    SSL_AD_DECRYPT_ERROR, SSL_AD_HANDSHAKE_FAILURE,
  ]
}

extension TLSTrouble {
  /// Notes a line of libmosquitto's log, which is where it puts libssl's errors: `OpenSSL Error[0]: error:0A00010B:…`.
  mutating func note(log line: String) {
    guard let start = line.firstRange(of: "error:") else { return }
    let rest = line[start.upperBound...]
    guard let code = UInt32(rest.prefix { $0 != ":" }, radix: 16), code >> 23 == UInt32(ERR_LIB_SSL) else {
      return
    }
    let text = rest.split(separator: ":", omittingEmptySubsequences: true).last.map(String.init) ?? ""
    errors.append((Int32(code & 0x7F_FFFF), text))
  }
}
