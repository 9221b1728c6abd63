import CPOSIX
import Glibc

/// Stream sockets in the file system. None of these calls waits.
public enum UnixSocket {
  /// The longest path in bytes: the kernel's structure has 108, one of them for the end.
  public static let pathLimit = 107

  /// A socket that is bound to a path and listens there. Nobody can connect before its file is for this user alone.
  ///
  /// - Parameter waiting: how many may wait to be accepted.
  /// - Throws: `EADDRINUSE` where there is a file already; `ENAMETOOLONG` beyond the limit.
  public static func listen(at path: String, waiting: Int32 = 32) throws(LoopError) -> Int32 {
    let action = "cannot listen at \(path)"
    let descriptor = try make(action)
    var result = try call(path, action) { bind(descriptor, $0, $1) }
    if result == 0 { result = chmod(path, 0o600) }
    if result == 0 { result = Glibc.listen(descriptor, waiting) }
    guard result == 0 else { throw failure(action, descriptor) }
    return descriptor
  }

  /// A socket that is connected to the one that listens at a path.
  ///
  /// - Throws: `ENOENT` where there is no such file, `ECONNREFUSED` where nobody listens any more, `EAGAIN` where too many
  ///   wait there.
  public static func connect(to path: String) throws(LoopError) -> Int32 {
    let action = "cannot connect to \(path)"
    let descriptor = try make(action)
    let result = try call(path, action) { Glibc.connect(descriptor, $0, $1) }
    guard result == 0 else { throw failure(action, descriptor) }
    return descriptor
  }

  /// The next that has connected; `nil` where there is none.
  ///
  /// - Throws: where the process or the machine has no descriptor left.
  public static func accept(_ listener: Int32) throws(LoopError) -> Int32? {
    let descriptor = Glibc.accept(listener, nil, nil)
    if descriptor >= 0 {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      return descriptor
    }
    switch errno {
    case EAGAIN, EINTR, ECONNABORTED: return nil
    default: throw LoopError("cannot accept a connection", errno)
    }
  }

  /// The user at the other end, as it was when the connection was made; `nil` where the kernel does not tell.
  public static func peer(of descriptor: Int32) -> uid_t? {
    var user: uid_t = 0
    return carillon_peer_user(descriptor, &user) == 0 ? user : nil
  }

  private static func make(_ action: String) throws(LoopError) -> Int32 {
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let descriptor = socket(AF_UNIX, Int32(kind), 0)
    try LoopError.check(descriptor < 0 ? -errno : 0, action)
    return descriptor
  }

  private static func call(
    _ path: String, _ action: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws(LoopError) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count <= pathLimit, !bytes.contains(0) else { throw LoopError(action, ENAMETOOLONG) }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// The system's last error; the socket is given up.
  private static func failure(_ action: String, _ descriptor: Int32) -> LoopError {
    let number = errno
    close(descriptor)
    return LoopError(action, number)
  }
}
