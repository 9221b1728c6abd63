import CarillonLinks
import CarillonLoop
import CarillonModel

/// Takes the steps of a navigation one after another, printing each, and running its command where that is asked for.
struct Walk {
  private let navigation: Navigation
  private let call: Invocation

  init(_ navigation: Navigation, _ call: Invocation) {
    self.navigation = navigation
    self.call = call
  }

  func run() throws -> ExitStatus {
    let executes = call.settings.has("execute")
    for (index, step) in navigation.steps.enumerated() {
      show(step, index + 1)
      guard executes, let command = step.command else { continue }
      if let reason = try StepCommand(command, timeout: navigation.timeout, wait: navigation.wait).run() {
        throw failed(step, reason)
      }
    }
    if executes, call.settings.has("json") {
      call.console.print(["event": "opened", "url": .string(navigation.link.text), "route": .string(navigation.route)])
    }
    return .done
  }

  private func show(_ step: NavigationStep, _ number: Int) {
    guard call.settings.has("json") else {
      let command = step.command.map { "  (runs \($0.joined(separator: " ")))" } ?? ""
      return call.console.print("step \(number) of \(navigation.steps.count): \(step.to)\(command)")
    }
    call.console.print(
      [
        "event": "navigate", "url": .string(navigation.link.text), "route": .string(navigation.route),
        "step": .integer(Int64(number)), "of": .integer(Int64(navigation.steps.count)), "to": .string(step.to),
        "run": step.command.map { .array($0.map { .string($0) }) } ?? .null,
      ])
  }

  private func failed(_ step: NavigationStep, _ reason: String) -> Failure {
    if call.settings.has("json") {
      call.console.print(["event": "failed", "url": .string(navigation.link.text), "reason": .string(reason)])
    }
    return Failure(.failure, "the step to \(visible(step.to)) failed: \(reason)")
  }
}
