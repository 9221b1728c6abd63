import Glibc

/// A port of the loopback address that behaves as if packets to it were dropped: a connection neither succeeds nor
/// fails. Its queue of connections to be taken is full, so the kernel ignores further ones.
public final class Blackhole {
  public let port: UInt16
  private var descriptors: [Int32] = []

  public init() throws {
    let (listener, port) = try Loopback.listener(port: 0, backlog: 0)
    self.port = port
    descriptors.append(listener)
    for _ in 0..<4 {
      if let fd = Loopback.connect(port: port, waits: false) { descriptors.append(fd) }
    }
  }

  deinit { for fd in descriptors { close(fd) } }

  /// For `--broker` and the like.
  public var url: String { "mqtt://127.0.0.1:\(port)" }
}
