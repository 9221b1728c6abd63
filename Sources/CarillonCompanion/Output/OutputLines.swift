import CarillonLoop
import Glibc

/// Lines on a descriptor, in order, without ever holding up the loop: what a slow reader does not take waits here.
public final class OutputLines {
  /// What may wait, in bytes. Beyond it lines are dropped and counted: a reader that has stopped reading must not
  /// take the memory of the machine.
  static let limit = 8 * 1024 * 1024
  /// Once poll says that a pipe takes something it takes this much without blocking (POSIX: PIPE_BUF).
  private static let portion = 4096

  private let descriptor: Int32
  private let loop: EventLoop
  private var waiting: [UInt8] = []
  private var watch: IOWatch?
  /// Lines that were dropped since the beginning.
  public private(set) var dropped = 0
  /// Whether the other side has closed; nothing is written any more.
  public private(set) var isClosed = false

  /// - Parameter descriptor: stays open; default standard output.
  public init(loop: EventLoop, descriptor: Int32 = STDOUT_FILENO) {
    self.loop = loop
    self.descriptor = descriptor
  }

  /// Writes a line and its line feed.
  public func write(_ line: [UInt8]) {
    guard !isClosed else { return }
    guard waiting.count + line.count < OutputLines.limit else {
      dropped += 1
      return
    }
    waiting += line
    waiting.append(UInt8(ascii: "\n"))
    if watch == nil { drain() }
  }

  /// Writes what waits as far as it can without waiting, and leaves the rest to the loop.
  private func drain() {
    var start = 0
    while start < waiting.count, isReady {
      let end = min(start + OutputLines.portion, waiting.count)
      let count = waiting[start..<end].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR || errno == EAGAIN { break }
        isClosed = true
        waiting = []
        watch = nil
        return
      }
      start += count
    }
    waiting.removeFirst(start)
    settle()
  }

  private func settle() {
    if waiting.isEmpty {
      watch?.isEnabled = false
      watch = nil
    } else if watch == nil {
      // A descriptor that cannot be watched is a file, which is always ready, so nothing waits for it.
      watch = try? loop.watch(descriptor, reading: false, writing: true) { [unowned self] _ in
        loop.afterTurn { [weak self] in self?.drain() }
      }
    }
  }

  private var isReady: Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&request, 1, 0) > 0
  }
}
