import Glibc

/// The service manager's end of readiness (sd_notify(3)): give its `path` to a program as NOTIFY_SOCKET.
public final class ServiceManager {
  public let path: String
  private let descriptor: Int32

  /// - Parameter directory: where its socket is.
  public init(in directory: TemporaryDirectory) throws {
    path = directory.file("notify")
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8CString)
    withUnsafeMutableBytes(of: &address.sun_path) { room in
      bytes.withUnsafeBytes { room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(room.count))) }
    }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    guard descriptor >= 0, bound == 0 else { throw TestFailure("no socket \(path): \(errno)") }
  }

  deinit { close(descriptor) }

  /// Waits for a message that holds a line beginning like that.
  ///
  /// - Returns: the line.
  @discardableResult
  public func wait(for beginning: String, within limit: Duration = .seconds(20)) throws -> String {
    var found: String?
    try eventually("\(beginning)…", within: limit) {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      guard count > 0 else { return false }
      let lines = String(decoding: buffer.prefix(count), as: UTF8.self).split(separator: "\n")
      found = lines.first { $0.hasPrefix(beginning) }.map(String.init)
      return found != nil
    }
    return found ?? ""
  }
}
