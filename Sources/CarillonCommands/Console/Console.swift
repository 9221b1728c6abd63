import CarillonModel
import Glibc

/// Where a verb writes: results to standard output, talk to standard error.
///
/// Text that came from outside is freed of control characters on the way (`visible`), so that no title can
/// move a terminal's cursor.
public final class Console {
  public enum Channel: Sendable { case output, errors }

  /// Takes bytes; gives false when they could not be written.
  public typealias Sink = (Channel, [UInt8]) -> Bool

  private let sink: Sink
  /// Whether standard output still takes what it is given.
  public private(set) var isWhole = true

  public init(_ sink: @escaping Sink) {
    self.sink = sink
  }

  /// The process's own standard output and standard error, unbuffered.
  public static func standard() -> Console {
    Console { channel, bytes in writeAll(bytes, to: channel == .output ? STDOUT_FILENO : STDERR_FILENO) }
  }

  /// One line of result.
  public func print(_ line: String) { emit(.output, line) }

  /// Lines of result.
  public func print(lines: [String]) {
    for line in lines { print(line) }
  }

  /// One line of talk.
  public func say(_ line: String) { emit(.errors, line) }

  /// Lines of talk.
  public func say(lines: [String]) {
    for line in lines { say(line) }
  }

  /// One JSON text on a line of its own.
  public func print(_ value: JSON) { isWhole = sink(.output, value.encoded + [0x0A]) && isWhole }

  private func emit(_ channel: Channel, _ line: String) {
    let written = sink(channel, Array(visible(line).utf8) + [0x0A])
    if channel == .output { isWhole = written && isWhole }
  }
}

/// The text with everything that a terminal would obey shown as an escape, at its full length.
func visible(_ text: String) -> String {
  let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
  return isPlain ? text : printable(text, limit: Int.max)
}

/// Writes everything; gives false at the first error, such as a full disk or a reader that has gone.
private func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0 {
      if errno == EINTR { continue }
      guard errno == EAGAIN else { return false }
      // Somebody else has made the descriptor one that does not wait.
      var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      poll(&request, 1, -1)
      continue
    }
    rest = rest.dropFirst(count)
  }
  return true
}
