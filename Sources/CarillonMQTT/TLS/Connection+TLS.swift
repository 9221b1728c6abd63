import CMosquitto
import COpenSSL
import CPOSIX
import Glibc

// TLS inside the library's external loop. It takes the handshake further in each read; nothing ever blocks.
extension Connection {
  /// - Throws: where a file cannot be used.
  static func context(_ configuration: SessionConfiguration) throws(SessionFailure) -> TLSContext? {
    guard configuration.address.isSecure else { return nil }
    do { return try TLSContext(configuration.tls, host: configuration.address.host) } catch {
      throw .settings("tls" + (error.key.isEmpty ? "" : ".\(error.key)") + ": \(error)")
    }
  }

  func setTLS(_ context: TLSContext) throws(SessionFailure) {
    let results = [
      // Its own settings would take the place of ours.
      mosquitto_int_option(handle, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0),
      mosquitto_void_option(handle, MOSQ_OPT_SSL_CTX, UnsafeMutableRawPointer(context.handle)),
    ]
    guard results == [0, 0] else { throw .settings("the MQTT library has no TLS") }
  }

  /// Why there is no TCP connection, once it is known whether there is one; 0 where there is.
  ///
  /// The library begins the handshake before that is known, and the kernel tells an error once: to whoever writes first.
  var connectError: Int32 {
    let error = carillon_socket_error(socket)
    guard error == 0, tls != nil, !hasPeer else { return error }
    return [0, EINPROGRESS, EAGAIN, EPIPE].contains(firstError) ? ECONNREFUSED : firstError
  }

  private var hasPeer: Bool {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &length) == 0 }
    }
  }

  /// Whether the handshake is under way, from the start of the TCP connection on.
  var isHandshaking: Bool { connection.map { SSL_is_init_finished($0) == 0 } ?? false }

  /// The library forgets to take its wish back where the handshake first waited for room and then for an answer, and would
  /// keep the loop awake.
  var handshakeWantsToWrite: Bool { connection.map { SSL_want($0) == SSL_WRITING } ?? false }

  private var connection: OpaquePointer? {
    tls == nil ? nil : mosquitto_ssl_get(handle).map { OpaquePointer($0) }
  }

  /// Why it failed, where that is a matter of TLS.
  func tlsFailure(_ result: Int32) -> SessionFailure? {
    guard let tls else { return nil }
    let ending: TLSTrouble.Ending =
      switch mosq_err_t(result) {
      case MOSQ_ERR_TLS: .failed
      // What libssl reports of itself is logged; only a failed socket leaves nothing behind.
      case MOSQ_ERR_ERRNO where !isAccepted && tls.trouble.errors.isEmpty: .reset
      default: .otherwise
      }
    return tls.trouble.cause(ending).map { .tls($0, address: address) }
  }

  /// Why the connection is over that has just come about: the library begins the handshake by itself, and on one machine it
  /// may have failed by then. nil where nothing has been heard from the other side.
  var earlyFailure: SessionFailure? {
    guard let connection, BIO_number_read(SSL_get_rbio(connection)) > 0 else { return nil }
    // What the broker has said at last may still be there.
    read()
    if end == nil { abandonHandshake() }
    return end
  }

  /// The socket has failed in the middle of the handshake, which the library does not notice.
  func abandonHandshake() {
    abandon(tlsFailure(Int32(MOSQ_ERR_ERRNO.rawValue)) ?? .tls(.closed, address: address))
  }
}
