import Glibc

/// The lines of a file that other processes append to, each once.
struct FileTail {
  private let path: String
  private var offset: off_t = 0
  private var rest: [UInt8] = []

  init(_ path: String) { self.path = path }

  /// The complete lines since the last call; none where the file is not there yet.
  mutating func read() -> [String] {
    let fd = open(path, O_RDONLY | O_CLOEXEC)
    guard fd >= 0 else { return [] }
    defer { close(fd) }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = pread(fd, &buffer, buffer.count, offset)
      guard count > 0 else { break }
      offset += off_t(count)
      rest += buffer.prefix(count)
    }
    guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    let lines = rest[..<end].split(separator: UInt8(ascii: "\n"))
    rest.removeFirst(end + 1)
    return lines.map { String(decoding: $0, as: UTF8.self) }
  }
}
