import CarillonLoop
import Glibc

/// A program of the demo: what it writes is handed on line by line, and it can be ended.
final class DemoProcess {
  let name: String
  let pid: pid_t
  /// Everything that it has written so far, in lines.
  private(set) var lines: [String] = []
  /// How it ended; nil while it runs.
  private(set) var exit: ChildExit?
  /// Whether its output has been read to the end.
  private(set) var isRead = false

  private let descriptor: Int32
  private let show: (String) -> Void
  private var partial: [UInt8] = []
  private var output: IOWatch?
  private var child: ChildWatch?

  /// - Parameter show: called with each line.
  init(
    _ name: String, _ arguments: [String], environment: [String: String], loop: EventLoop,
    show: @escaping (String) -> Void
  ) throws {
    self.name = name
    self.show = show
    var ends: [Int32] = [-1, -1]
    // Children inherit neither end: a spawned program gets its three standard descriptors only.
    guard pipe(&ends) == 0 else { throw Failure(.failure, "cannot make a pipe: \(systemMessage(errno))") }
    defer { close(ends[1]) }
    descriptor = ends[0]
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    var spawn = Spawn(arguments, environment: environment)
    spawn.standardOutput = ends[1]
    spawn.standardError = ends[1]
    do { pid = try spawn.start() } catch {
      close(descriptor)
      throw error
    }
    child = try loop.child(pid) { [unowned self] in exit = $0 }
    output = try loop.watch(descriptor, reading: true, writing: false) { [unowned self] _ in readSome() }
  }

  deinit {
    output?.cancel()
    child?.cancel()
    close(descriptor)
  }

  var isOver: Bool { exit != nil && isRead }

  /// To the process and what it has started.
  func send(_ signal: Int32) {
    if exit == nil { kill(-pid, signal) }
  }

  private func readSome() {
    var chunk = [UInt8](repeating: 0, count: 16_384)
    let count = read(descriptor, &chunk, chunk.count)
    if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
    guard count > 0 else {
      if !partial.isEmpty { take(partial) }
      partial = []
      isRead = true
      output?.cancel()
      return
    }
    partial += chunk.prefix(count)
    while let end = partial.firstIndex(of: 0x0A) {
      take(Array(partial[..<end]))
      partial.removeFirst(end + 1)
    }
  }

  private func take(_ bytes: [UInt8]) {
    let line = String(decoding: bytes, as: UTF8.self)
    lines.append(line)
    show(line)
  }
}
