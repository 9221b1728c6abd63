import Glibc

/// Sockets on the loopback address.
public enum Loopback {
  /// A port that nobody listens on at this moment, drawn at random from below those that the kernel gives to
  /// connections: a broker that is down for a while finds it free again.
  public static func freePort() throws -> UInt16 {
    for _ in 0..<100 {
      guard let (fd, port) = try? listener(port: UInt16.random(in: 10_000...32_000)) else { continue }
      close(fd)
      return port
    }
    throw TestFailure("no port is free")
  }

  /// A listening TCP socket on 127.0.0.1; port 0 takes a free one.
  public static func listener(port: UInt16, backlog: Int32 = 16) throws -> (fd: Int32, port: UInt16) {
    let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard fd >= 0 else { throw TestFailure("no socket: \(errno)") }
    var reuse: Int32 = 1
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
    var (address, size) = self.address(port)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(fd, address, size) == 0 && listen(fd, backlog) == 0 && getsockname(fd, address, &size) == 0
      }
    }
    guard bound else {
      let number = errno
      close(fd)
      throw TestFailure("cannot listen on port \(port): \(number)")
    }
    return (fd, UInt16(bigEndian: address.sin_port))
  }

  /// A connected TCP socket to 127.0.0.1; nil where nobody listens.
  ///
  /// - Parameter waits: false: the connection may still be under way.
  public static func connect(port: UInt16, waits: Bool = true) -> Int32? {
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | (waits ? 0 : SOCK_NONBLOCK.rawValue)
    let fd = socket(AF_INET, Int32(kind), 0)
    guard fd >= 0 else { return nil }
    var (address, size) = self.address(port)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(fd, $0, size) }
    }
    guard result == 0 || errno == EINPROGRESS else {
      close(fd)
      return nil
    }
    return fd
  }

  private static func address(_ port: UInt16) -> (sockaddr_in, socklen_t) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    return (address, socklen_t(MemoryLayout<sockaddr_in>.size))
  }
}
