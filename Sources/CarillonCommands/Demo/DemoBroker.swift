import CarillonLoop
import Glibc

/// The demo's broker: where its program is, what it is told, and whether it listens.
enum DemoBroker {
  /// The broker's program; nil where it is not installed. Debian keeps it where only root looks for programs.
  static func program(_ path: String?) -> String? {
    let folders = (path ?? "").split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
    return folders.map { $0 + "/mosquitto" }.first { access($0, X_OK) == 0 }
  }

  /// On this machine alone, with nothing kept.
  static func configuration(_ port: UInt16) -> String {
    """
    listener \(port) 127.0.0.1
    allow_anonymous true
    persistence false
    log_dest stderr
    log_type error

    """
  }

  /// A port that nobody listens on at this moment.
  static func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else { throw Failure(.failure, "there is no free port: \(systemMessage(errno))") }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Whether somebody listens there.
  static func answers(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(port)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
