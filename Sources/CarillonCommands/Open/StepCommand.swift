import CarillonLoop
import Glibc

/// The command of one step: started, and waited for until it has ended well or its time is over.
struct StepCommand {
  private let arguments: [String]
  private let timeout: Duration
  private let wait: Bool

  /// How long a command that is told to end (TERM) may take before it is ended (KILL).
  private static let grace: Duration = .seconds(5)

  init(_ arguments: [String], timeout: Duration, wait: Bool) {
    self.arguments = arguments
    self.timeout = timeout
    self.wait = wait
  }

  /// - Returns: why it failed; nil where it ended well, or stays by design.
  func run() throws -> String? {
    let spawn = Spawn(arguments, environment: [Open.guardVariable: "1"])
    let pid: pid_t
    do { pid = try spawn.start() } catch { return error.description }
    guard wait else { return nil }
    return try end(of: pid)
  }

  private func end(of pid: pid_t) throws -> String? {
    let loop = try EventLoop()
    var exit: ChildExit?
    var isOver = false
    var isInterrupted = false
    let child = try loop.child(pid) { exit = $0 }
    let kill = try loop.timer(.elapsed) { _ = Glibc.kill(-pid, SIGKILL) }
    let limit = try loop.timer(.elapsed) {
      isOver = true
      _ = Glibc.kill(-pid, SIGTERM)
      kill.arm(after: StepCommand.grace)
    }
    // The command has a process group of its own, so the terminal's Ctrl-C reaches only this program.
    let signals = try [SIGINT, SIGTERM].map { number in
      try loop.signal(number) {
        isInterrupted = true
        _ = Glibc.kill(-pid, SIGTERM)
        kill.arm(after: StepCommand.grace)
      }
    }
    limit.arm(after: timeout)
    while exit == nil { try loop.turn(waiting: nil) }
    child.cancel()
    signals.forEach { $0.cancel() }
    if isInterrupted { return "interrupted" }
    if isOver { return "\(arguments[0]) took longer than \(timeout.written)" }
    switch exit {
    case .exited(0)?: return nil
    case .exited(let status)?: return "\(arguments[0]) ended with status \(status)"
    case .signaled(let signal)?: return "\(arguments[0]) was ended by signal \(signal)"
    case nil: return "\(arguments[0]) cannot be waited for"
    }
  }
}
