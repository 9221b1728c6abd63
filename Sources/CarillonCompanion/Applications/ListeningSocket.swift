import CarillonLoop
import Glibc

/// The companion's socket and its file, which goes with it.
final class ListeningSocket {
  let path: String
  let descriptor: Int32
  /// Which file it is: at the end another companion may have put its own there.
  private let identity: (device: dev_t, file: ino_t)?
  private var isClosed = false

  init(_ path: String) throws(SocketFault) {
    self.path = path
    guard path.utf8.count <= UnixSocket.pathLimit else {
      throw SocketFault(
        "the socket's path has \(path.utf8.count) bytes, and the system takes \(UnixSocket.pathLimit); "
          + "a shorter XDG_RUNTIME_DIR helps: \(path)")
    }
    try SocketPlace.prepareFolder(of: path)
    try ListeningSocket.clear(path)
    do throws(LoopError) { descriptor = try UnixSocket.listen(at: path) } catch {
      throw SocketFault(error.description)
    }
    identity = ListeningSocket.identity(of: path)
  }

  deinit { close() }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    if let identity, let now = ListeningSocket.identity(of: path), now == identity { unlink(path) }
    Glibc.close(descriptor)
  }

  /// Removes the socket of a companion that was killed.
  private static func clear(_ path: String) throws(SocketFault) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw SocketFault("\(path) is in the way and is no socket; remove it")
    }
    do throws(LoopError) {
      Glibc.close(try UnixSocket.connect(to: path))
    } catch {
      switch error.number {
      case ECONNREFUSED:
        unlink(path)
        return
      case ENOENT: return
      case EAGAIN: break
      default: throw SocketFault(error.description)
      }
    }
    throw SocketFault("another companion listens at \(path)")
  }

  private static func identity(of path: String) -> (device: dev_t, file: ino_t)? {
    var status = stat()
    return lstat(path, &status) == 0 ? (status.st_dev, status.st_ino) : nil
  }
}
