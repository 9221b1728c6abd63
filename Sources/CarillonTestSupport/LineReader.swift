import Glibc

/// A file that a process writes to and the test reads line by line as it grows.
struct LineReader {
  /// For the process; close-on-exec in this one.
  let writingEnd: Int32
  private let readingEnd: Int32
  private var lines: [String] = []
  private var rest: [UInt8] = []
  private let closer: Closer

  /// The descriptors go with the last copy.
  private final class Closer {
    let ends: [Int32]
    init(_ ends: [Int32]) { self.ends = ends }
    deinit { for end in ends { close(end) } }
  }

  /// - Parameter name: a number is appended where the file is there already.
  init(directory: TemporaryDirectory, name: String) throws {
    var path = directory.file(name)
    var number = 1
    var fd: Int32 = -1
    repeat {
      fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
      number += 1
      if fd < 0 { path = directory.file("\(name)-\(number)") }
    } while fd < 0 && errno == EEXIST && number < 1000
    writingEnd = fd
    readingEnd = open(path, O_RDONLY | O_CLOEXEC)
    guard writingEnd >= 0, readingEnd >= 0 else { throw TestFailure("cannot create \(path)") }
    closer = Closer([writingEnd, readingEnd])
  }

  /// All complete lines so far, without their line feeds.
  mutating func read() -> [String] {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(readingEnd, &buffer, buffer.count)
      guard count > 0 else { return lines }
      rest += buffer.prefix(count)
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        lines.append(String(decoding: rest[..<end], as: UTF8.self))
        rest.removeFirst(end + 1)
      }
    }
  }
}
