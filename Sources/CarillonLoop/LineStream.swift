import Glibc

/// Lines over a socket, both ways, without ever holding up the loop.
public final class LineStream {
  /// Why it has ended.
  public enum Ending: Hashable, Sendable {
    /// The other side has closed, or has gone.
    case closed
    /// The other side sent a line beyond the limit.
    case tooLong
    /// The other side does not read, and more than the limit waits for it.
    case notRead
  }

  public enum Event {
    /// Without its line feed. What stands at the end without one is a line too.
    case line([UInt8])
    /// The last event; the descriptor is closed.
    case ended(Ending)
  }

  /// What is read at once: others have their turn before the next.
  private static let portion = 64 * 1024

  private let descriptor: Int32
  private let loop: EventLoop
  private let lineLimit: Int
  private let outputLimit: Int
  private let handler: (Event) -> Void
  private var watch: IOWatch?
  private var input: [UInt8] = []
  private var output: [UInt8] = []
  /// Whether nothing is sent any more, and the end is near.
  private var isGivenUp = false
  public private(set) var isClosed = false

  /// - Parameters:
  ///   - descriptor: a socket that does not wait; closed at the end, and where this fails.
  ///   - lineLimit: bytes of a line that is read.
  ///   - outputLimit: bytes that may wait for the other side.
  public init(
    _ descriptor: Int32, loop: EventLoop, lineLimit: Int, outputLimit: Int,
    handler: @escaping (Event) -> Void
  ) throws(LoopError) {
    self.descriptor = descriptor
    self.loop = loop
    self.lineLimit = lineLimit
    self.outputLimit = outputLimit
    self.handler = handler
    do throws(LoopError) {
      watch = try loop.watch(descriptor, reading: true, writing: false) { [weak self] in self?.ready($0) }
    } catch {
      Glibc.close(descriptor)
      isClosed = true
      throw error
    }
  }

  deinit { close() }

  /// Sends a line and its line feed. Where that ends the stream, the event comes after the handler that is running.
  public func send(_ line: [UInt8]) {
    guard !isClosed, !isGivenUp else { return }
    output += line
    output.append(UInt8(ascii: "\n"))
    write()
  }

  /// Closes at once, without an event. What the socket has taken still arrives.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    watch?.cancel()
    watch = nil
    Glibc.close(descriptor)
  }

  private func ready(_ readiness: IOReadiness) {
    if readiness.contains(.writable) { write() }
    if !isClosed, !readiness.isDisjoint(with: [.readable, .failed]) { _ = read() }
  }

  /// - Returns: whether there was something, and there may be more.
  private func read() -> Bool {
    var buffer = [UInt8](repeating: 0, count: LineStream.portion)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    if count < 0, errno == EAGAIN || errno == EINTR { return false }
    input += buffer.prefix(max(count, 0))
    let fresh = input.count - max(count, 0)
    splitLines(from: fresh)
    guard !isClosed else { return false }
    if count <= 0 {
      if !input.isEmpty { handler(.line(input)) }
      end(.closed)
    } else if input.count > lineLimit {
      end(.tooLong)
    }
    return !isClosed
  }

  /// Tells the lines that are complete. Before `fresh` there is no line feed.
  private func splitLines(from fresh: Int) {
    var start = 0
    var place = fresh
    while let end = input[place...].firstIndex(of: UInt8(ascii: "\n")) {
      guard end - start <= lineLimit else { return self.end(.tooLong) }
      handler(.line(Array(input[start..<end])))
      // The handler may have closed it.
      guard !isClosed else { return }
      start = end + 1
      place = start
    }
    input.removeFirst(start)
  }

  private func write() {
    var start = 0
    while start < output.count {
      let count = output[start...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0 {
        if errno != EAGAIN && errno != EINTR { giveUp(.closed) }
        break
      }
      start += count
    }
    if isGivenUp { return }
    output.removeFirst(start)
    watch?.setInterest(reading: true, writing: !output.isEmpty)
    if output.count > outputLimit { giveUp(.notRead) }
  }

  /// Sends nothing any more, and ends soon: after what the other side has said before it went.
  private func giveUp(_ ending: Ending) {
    isGivenUp = true
    output = []
    watch?.setInterest(reading: true, writing: false)
    loop.afterTurn { [weak self] in
      guard let self else { return }
      var portions = 0
      while !isClosed, portions < 16, read() { portions += 1 }
      end(ending)
    }
  }

  private func end(_ ending: Ending) {
    guard !isClosed else { return }
    close()
    handler(.ended(ending))
  }
}
