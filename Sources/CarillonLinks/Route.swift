import CarillonModel

/// What a companion does with the links of one form (protocol §7).
public struct Route: Hashable, Sendable {
  /// How long a step's command may take unless the route says otherwise.
  public static let defaultTimeout = Duration.seconds(15 * 60)

  /// Which links it is for, and what it binds in them.
  public let pattern: RoutePattern
  /// How long a step's command may take; default `defaultTimeout`.
  public let timeout: Duration
  /// Whether a step waits until the one before has ended well; default true.
  public let wait: Bool
  let navigate: [TextTemplate]
  let run: RunTemplate?

  /// The steps' texts as the file has them.
  public var steps: [String] { navigate.map(\.text) }
  /// The command's arguments as the file has them; `nil` where nothing is run.
  public var command: [String]? { run?.arguments.map(\.text) }

  /// The navigation to a link that the pattern has matched.
  ///
  /// - Throws: as `RunTemplate.fill` does, at `run[n]`.
  func navigation(to link: Link, binding parameters: [String: String]) throws(Refusal) -> Navigation {
    var steps: [NavigationStep] = []
    steps.reserveCapacity(navigate.count)
    for template in navigate {
      let step = template.fill { name in .parameter(parameters[name] ?? "") }
      let command = try run?.fill(step: step, url: link.text, parameters: parameters)
      steps.append(NavigationStep(to: step.text, command: command))
    }
    return Navigation(
      link: link, route: pattern.text, parameters: parameters, steps: steps, timeout: timeout, wait: wait)
  }
}
