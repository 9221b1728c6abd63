import CarillonCompanion
import CarillonLinks
import CarillonLoop
import CarillonModel
import Glibc

/// Takes the steps of a navigation as the companion does, printing each, and running its command where that
/// is asked for.
final class Walk {
  private let navigation: Navigation
  private let call: Invocation
  private var outcome: NavigationOutcome?

  /// How long a command has to end after TERM when this program is told to end.
  private static let patience: Duration = .seconds(2)

  init(_ navigation: Navigation, _ call: Invocation) {
    self.navigation = navigation
    self.call = call
  }

  func run() throws -> ExitStatus {
    let loop = try EventLoop()
    let executes = call.settings.has("execute")
    // The commands' own output must not come between lines that a program reads.
    let output = call.settings.has("json") ? STDERR_FILENO : nil
    let navigator = Navigator(loop: loop, execute: executes, output: output)
    // A command has a process group of its own, so the terminal's Ctrl-C reaches only this program.
    let signals =
      executes
      ? try [SIGINT, SIGTERM].map { try loop.signal($0) { navigator.stop(patience: Walk.patience) } } : []
    navigator.run(navigation, tell: { [unowned self] in show($0) }, then: { [unowned self] in outcome = $0 })
    while outcome == nil { try loop.turn(waiting: nil) }
    for signal in signals { signal.cancel() }
    return try finish(executes)
  }

  private func finish(_ executes: Bool) throws -> ExitStatus {
    if case .failed(let reason) = outcome {
      tell(["event": "failed", "url": .string(navigation.link.text), "reason": .string(reason)])
      throw Failure(.failure, reason)
    }
    if executes {
      tell(["event": "opened", "url": .string(navigation.link.text), "route": .string(navigation.route)])
    }
    return .done
  }

  private func show(_ index: Int) {
    let step = navigation.steps[index]
    let count = navigation.steps.count
    guard call.settings.has("json") else {
      let command = step.command.map { "  (runs \($0.joined(separator: " ")))" } ?? ""
      return call.console.print("step \(index + 1) of \(count): \(step.to)\(command)")
    }
    tell(
      [
        "event": "navigate", "url": .string(navigation.link.text), "route": .string(navigation.route),
        "step": .integer(Int64(index + 1)), "of": .integer(Int64(count)), "to": .string(step.to),
        "run": step.command.map { .array($0.map { .string($0) }) } ?? .null,
      ])
  }

  private func tell(_ event: JSON) {
    if call.settings.has("json") { call.console.print(event) }
  }
}
