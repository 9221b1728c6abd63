import CarillonModel

/// `carillon routes uninstall`: gives schemes back to whoever opened them before.
enum RoutesUninstall {
  static let verb = CommandLineVerb(
    "routes uninstall", "Give a scheme's links back to the desktop", forms: ["SCHEME… [--json]"],
    operands: .init("SCHEME…", 1...Int.max), configuration: .nothing,
    groups: [OptionGroup("Options", [SharedOptions.json])],
    discussion:
      "The program that install took a scheme from opens it again. What was not installed is left alone.",
    examples: [.init("No more links that begin with home://:", "carillon routes uninstall home")],
    run: run)

  private static func run(_ call: Invocation) throws -> ExitStatus {
    let schemes = try RoutesInstall.schemes(call)
    let handlers = try SchemeHandlers(call.surroundings.environment)
    let installed = try handlers.installed()
    let ours = try schemes.filter { scheme in
      try installed.contains(scheme) || (try handlers.isDefault(scheme))
    }
    try handlers.uninstall(ours)
    for scheme in schemes {
      let owner = try handlers.claims.claim(on: scheme)
      tell(scheme, wasInstalled: ours.contains(scheme), owner, call)
    }
    return .done
  }

  private static func tell(_ scheme: String, wasInstalled: Bool, _ owner: SchemeClaim?, _ call: Invocation) {
    if call.settings.has("json") {
      call.console.print(
        [
          "scheme": .string(scheme), "installed": false, "was": .bool(wasInstalled),
          "now": owner.map { .string($0.identifier) } ?? .null,
        ])
      return
    }
    let now = owner.map { "opened by \($0.described)" } ?? "opened by nobody"
    call.console.print(wasInstalled ? "\(scheme): \(now) again" : "\(scheme): was not installed; \(now)")
  }
}
