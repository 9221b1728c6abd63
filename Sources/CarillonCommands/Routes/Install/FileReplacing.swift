import CarillonLoop
import Glibc

/// Puts a file in another's place in one piece: whoever reads it finds the old one or the new one. A file that is a link
/// to another stays one; what it leads to is replaced.
///
/// - Throws: `Failure`; the old file is as it was then.
func replaceFile(_ path: String, with bytes: [UInt8]) throws {
  let target = realpath(path, nil)
  defer { free(target) }
  let path = target.map { String(cString: $0) } ?? path
  var old = stat()
  let mode = stat(path, &old) == 0 ? old.st_mode & 0o777 : 0o644
  var template = Array("\(path).XXXXXX".utf8CString)
  let descriptor = mkstemp(&template)
  guard descriptor >= 0 else { throw unwritten(path) }
  var isWritten = fchmod(descriptor, mode) == 0 && writeWhole(bytes, descriptor) && fsync(descriptor) == 0
  isWritten = close(descriptor) == 0 && isWritten
  guard isWritten, rename(template, path) == 0 else {
    let failure = unwritten(path)
    unlink(template)
    throw failure
  }
}

private func unwritten(_ path: String) -> Failure {
  Failure(.failure, "\(visible(path)) cannot be written: \(systemMessage(errno))")
}

private func writeWhole(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    if count <= 0 { return false }
    rest = rest.dropFirst(count)
  }
  return true
}
