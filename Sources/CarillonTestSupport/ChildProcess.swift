import CarillonLoop
import Glibc

/// A process of a test, which ends with it. Ended by its number, never by its name.
public final class ChildProcess {
  public let pid: pid_t
  private var end: ChildExit?

  public init(_ spawn: Spawn) throws {
    pid = try spawn.start()
  }

  deinit {
    guard status == nil else { return }
    kill(SIGKILL)
    // After SIGKILL the end is certain; the zombie has to be taken away.
    var status: Int32 = 0
    waitpid(pid, &status, 0)
  }

  /// How it ended; nil while it runs.
  public var status: ChildExit? {
    if end == nil {
      var status: Int32 = 0
      if waitpid(pid, &status, WNOHANG) == pid { end = ChildExit(waitStatus: status) }
    }
    return end
  }

  /// Sends a signal to it alone, where it still runs.
  public func kill(_ signal: Int32) {
    if status == nil { _ = Glibc.kill(pid, signal) }
  }

  /// - Throws: `TestFailure` where it still runs after `limit`.
  @discardableResult
  public func waitForExit(within limit: Duration = .seconds(30)) throws -> ChildExit {
    try eventually("the end of process \(pid)", within: limit) { status != nil }
    guard let status else { throw TestFailure("process \(pid) has not ended") }
    return status
  }
}

extension ChildExit {
  /// Takes apart what waitpid tells.
  init(waitStatus status: Int32) {
    let signal = status & 0x7F
    self = signal == 0 ? .exited(status >> 8 & 0xFF) : .signaled(signal)
  }
}
