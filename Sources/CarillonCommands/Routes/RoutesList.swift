import CarillonLinks
import CarillonModel

/// `carillon routes list`: shows the routes in the order in which they are tried.
enum RoutesList {
  static let verb = CommandLineVerb(
    "routes list", "Show the routes in the order in which they are tried",
    forms: ["[--routes FILE] [--json]"],
    configuration: .companion,
    groups: [OptionGroup("Output", [RoutesFile.option, SharedOptions.json])],
    examples: [
      .init("Those that the companion uses:", "carillon routes list"),
      .init("For a program:", "carillon routes list --routes routes.json5 --json"),
    ],
    run: run)

  private static func run(_ call: Invocation) throws -> ExitStatus {
    guard let routes = try RoutesFile(call) else { throw RoutesFile.none }
    let router = try routes.router()
    if call.settings.has("json") {
      for each in router.routes { call.console.print(json(each)) }
    } else {
      var table = Table(["LINK", "NAVIGATE", "RUN"])
      let rows = router.routes.map {
        [$0.pattern.text, $0.steps.joined(separator: " > "), ($0.command ?? []).joined(separator: " ")]
      }
      call.console.print(lines: table.page(rows))
      if router.routes.isEmpty { call.console.say("\(routes.file.path) holds no routes") }
    }
    return .done
  }

  private static func json(_ route: Route) -> JSON {
    [
      "link": .string(route.pattern.text), "navigate": .array(route.steps.map { .string($0) }),
      "run": route.command.map { .array($0.map { .string($0) }) } ?? .null,
      "timeout": .string(route.timeout.written), "wait": .bool(route.wait), "form": .bool(route.pattern.form),
    ]
  }
}
