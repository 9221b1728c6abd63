import Glibc

/// Reads a password from its file; one line feed at the end does not count.
///
/// - Throws: where the file cannot be read or holds no password.
func password(from path: String) throws(SessionFailure) -> [UInt8] {
  let fd = open(path, O_RDONLY | O_CLOEXEC)
  guard fd >= 0 else { throw .passwordFileUnreadable(path: path, error: errno) }
  defer { close(fd) }
  // One byte more than MQTT can carry, so that a longer one is noticed.
  var bytes = [UInt8](repeating: 0, count: 65_536)
  var length = 0
  while length < bytes.count {
    let count = bytes.withUnsafeMutableBytes { read(fd, $0.baseAddress! + length, $0.count - length) }
    if count < 0 {
      if errno == EINTR { continue }
      throw .passwordFileUnreadable(path: path, error: errno)
    }
    if count == 0 { break }
    length += count
  }
  guard length < bytes.count else { throw .settings("the password file \(path) is longer than 65,535 bytes") }
  bytes.removeLast(bytes.count - length)
  if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
  if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
  if bytes.contains(0) { throw .settings("the password in \(path) holds a NUL") }
  return bytes
}
