import COpenSSL
import CPOSIX
import CarillonLoop
import Glibc

/// The TLS side of one connection: what libssl is to demand of the broker, and what it noticed.
///
/// libmosquitto takes it as it is (MOSQ_OPT_SSL_CTX) and adds nothing. It connects to a numeric address, so the name is
/// put in here: into the certificate's check, and into what the broker is told (RFC 6066, 3).
final class TLSContext {
  let handle: OpaquePointer
  private(set) var trouble = TLSTrouble()
  private let host: String
  private let isName: Bool

  /// - Throws: where a file cannot be used.
  init(_ configuration: TLSConfiguration, host: String) throws(TLSFault) {
    ERR_clear_error()
    guard let handle = SSL_CTX_new(TLS_client_method()), carillon_tls_require_1_2(handle) == 1 else {
      throw TLSFault("", "cannot be prepared: \(TLSContext.error())")
    }
    self.handle = handle
    self.host = host
    isName = !Resolver.isNumeric(host)
    trouble.hasCertificate = configuration.cert != nil
    carillon_tls_save_memory(handle)
    SSL_CTX_set_ex_data(handle, 0, Unmanaged.passUnretained(self).toOpaque())
    try loadAuthorities(configuration)
    try loadCertificate(configuration)
    setCheck(configuration)
    setCallbacks()
  }

  /// libmosquitto holds the context, too, for as long as it needs it.
  deinit { SSL_CTX_free(handle) }

  func note(log line: String) { trouble.note(log: line) }

  // MARK: Files

  private func loadAuthorities(_ configuration: TLSConfiguration) throws(TLSFault) {
    guard !configuration.isInsecure else { return }
    guard let path = configuration.ca else {
      guard SSL_CTX_set_default_verify_paths(handle) == 1 else {
        throw TLSFault("ca", "the system's authorities cannot be read: \(TLSContext.error())")
      }
      return
    }
    let isFolder = try TLSContext.look(at: path, "ca")
    let isLoaded =
      isFolder ? SSL_CTX_load_verify_dir(handle, path) : SSL_CTX_load_verify_file(handle, path)
    guard isLoaded == 1 else {
      throw TLSFault("ca", "\(path) holds no certificate (PEM): \(TLSContext.error())")
    }
  }

  private func loadCertificate(_ configuration: TLSConfiguration) throws(TLSFault) {
    guard let cert = configuration.cert, let key = configuration.key else { return }
    // It would ask for a passphrase on the terminal.
    SSL_CTX_set_default_passwd_cb(handle) { _, _, _, _ in -1 }
    for (path, name) in [(cert, "cert"), (key, "key")] where try TLSContext.look(at: path, name) {
      throw TLSFault(name, "\(path) is a folder")
    }
    guard SSL_CTX_use_certificate_chain_file(handle, cert) == 1 else {
      throw TLSFault("cert", "\(cert) holds no certificate (PEM): \(TLSContext.error())")
    }
    guard SSL_CTX_use_PrivateKey_file(handle, key, SSL_FILETYPE_PEM) == 1 else {
      let error = TLSContext.error()
      throw TLSFault(
        "key", "\(key) holds no private key (PEM) without a passphrase, or another one's: \(error)")
    }
    guard SSL_CTX_check_private_key(handle) == 1 else {
      throw TLSFault("key", "\(key) is not the key of the certificate \(cert)")
    }
  }

  /// Whether a path is a folder.
  ///
  /// - Throws: where it cannot be read.
  private static func look(at path: String, _ key: String) throws(TLSFault) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, access(path, R_OK) == 0 else {
      throw TLSFault(key, "\(path) cannot be read: \(systemMessage(errno))")
    }
    return status.st_mode & S_IFMT == S_IFDIR
  }

  /// The newest error of libssl on this thread, in its words.
  private static func error() -> String {
    let code = ERR_peek_last_error()
    ERR_clear_error()
    return ERR_reason_error_string(code).map { String(cString: $0) } ?? "no reason is told"
  }

  // MARK: The check

  private func setCheck(_ configuration: TLSConfiguration) {
    guard !configuration.isInsecure else { return SSL_CTX_set_verify(handle, SSL_VERIFY_NONE, nil) }
    let parameters = SSL_CTX_get0_param(handle)
    X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    if isName || X509_VERIFY_PARAM_set1_ip_asc(parameters, host) != 1 {
      X509_VERIFY_PARAM_set1_host(parameters, host, 0)
    }
    SSL_CTX_set_verify(handle, SSL_VERIFY_PEER) { isGood, store in
      if isGood == 0, let store, let context = TLSContext.from(checking: store) { context.noteFault(store) }
      return isGood
    }
  }

  private func noteFault(_ store: OpaquePointer) {
    guard trouble.certificate == nil else { return }
    let code = X509_STORE_CTX_get_error(store)
    let certificate = X509_STORE_CTX_get_current_cert(store)
    trouble.certificate =
      switch code {
      case X509_V_ERR_CERT_HAS_EXPIRED: .expired(TLSContext.text(X509_get0_notAfter(certificate)))
      case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid(TLSContext.text(X509_get0_notBefore(certificate)))
      case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .wrongHost(host)
      case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
        X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
        X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
        .unknownAuthority
      default: .badCertificate(String(cString: X509_verify_cert_error_string(Int(code))))
      }
  }

  /// A certificate's time, in UTC.
  private static func text(_ time: UnsafePointer<ASN1_TIME>?) -> String {
    var parts = tm()
    guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return "an unknown time" }
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))T"
      + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
  }

  // MARK: Callbacks

  private func setCallbacks() {
    SSL_CTX_set_cert_cb(
      handle,
      { connection, _ in
        if let connection { TLSContext.from(connection)?.trouble.isCertificateWanted = true }
        return 1
      }, nil)
    SSL_CTX_set_info_callback(handle) { connection, place, value in
      guard let connection, let context = TLSContext.from(connection) else { return }
      if place & SSL_CB_HANDSHAKE_START != 0 { context.nameHost(connection) }
      if place & SSL_CB_ALERT != 0, place & SSL_CB_READ != 0 { context.noteAlert(value) }
    }
  }

  /// Before the first message is made: the library has put the numeric address there.
  private func nameHost(_ connection: OpaquePointer) {
    _ = isName ? carillon_tls_server_name(connection, host) : carillon_tls_server_name(connection, nil)
  }

  /// - Parameter value: the level, 2 for a fatal one, and in the lower byte what it is. TLS 1.3 means no level.
  private func noteAlert(_ value: Int32) {
    let alert = UInt8(truncatingIfNeeded: value)
    guard Int32(alert) != SSL_AD_CLOSE_NOTIFY, Int32(alert) != SSL_AD_USER_CANCELLED else { return }
    if value >> 8 == SSL3_AL_FATAL { trouble.alert = alert }
  }

  private static func from(checking store: OpaquePointer) -> TLSContext? {
    X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()).flatMap {
      from(OpaquePointer($0))
    }
  }

  private static func from(_ connection: OpaquePointer) -> TLSContext? {
    SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), 0).map {
      Unmanaged<TLSContext>.fromOpaque($0).takeUnretainedValue()
    }
  }
}
