import CarillonLoop
import CarillonModel
import Glibc

/// One step's command while it runs: its end, its time limit, and what is done to those that pass it.
final class StepProcess {
  /// How long the process group has between TERM and KILL.
  static let patience: Duration = .seconds(5)

  private let loop: EventLoop
  private let program: String
  private let process: pid_t
  private let limit: Duration
  private var child: ChildWatch?
  private var timer: Timer?
  /// Why it is being ended; the first reason counts.
  private var ending: Ending?
  private let then: (NavigationOutcome) -> Void

  private enum Ending { case overdue, interrupted }

  /// - Parameter limit: how long it may take.
  /// - Throws: where it cannot be started.
  init(
    _ spawn: Spawn, loop: EventLoop, limit: Duration, then: @escaping (NavigationOutcome) -> Void
  ) throws(LoopError) {
    self.loop = loop
    self.limit = limit
    self.then = then
    program = printable(spawn.arguments.first ?? "", limit: 200)
    process = try spawn.start()
    child = try loop.child(process) { [unowned self] in ended($0) }
    timer = try loop.timer(.elapsed) { [unowned self] in end(.overdue, patience: StepProcess.patience) }
    timer?.arm(after: limit)
  }

  /// Ends the process group although it has time left: TERM, and KILL if it is still there after `patience`.
  func interrupt(patience: Duration) { end(.interrupted, patience: patience) }

  private func end(_ reason: Ending, patience: Duration) {
    guard ending == nil else {
      signal(SIGKILL)
      return
    }
    ending = reason
    signal(SIGTERM)
    timer?.arm(after: patience)
  }

  private func signal(_ number: Int32) { _ = kill(-process, number) }

  /// The process is a zombie still, so its number and its group's mean nobody else.
  private func ended(_ exit: ChildExit) {
    if ending != nil { signal(SIGKILL) }
    timer?.cancel()
    let outcome = outcome(of: exit)
    loop.afterTurn { [then] in then(outcome) }
  }

  private func outcome(of exit: ChildExit) -> NavigationOutcome {
    switch ending {
    case .overdue: return .failed("\(program) did not end within \(limit.written)")
    case .interrupted: return .failed("\(program) was interrupted")
    case nil: break
    }
    return switch exit {
    case .exited(0): .opened
    case .exited(let status): .failed("\(program) ended with status \(status)")
    case .signaled(let number): .failed("\(program) was ended by signal \(number)")
    }
  }
}
