import CarillonLinks
import CarillonModel

/// `carillon open`: resolves one link against the routes, here and now. Needs no broker.
enum Open {
  static let verb = CommandLineVerb(
    "open", "Resolve one link here and now, without a broker",
    forms: ["URL [--routes FILE] [--execute] [--json]"],
    operands: .init("URL", 1...1), configuration: .companion,
    groups: [
      OptionGroup(
        "Options",
        [
          RoutesFile.option,
          Option("execute", "Run the route's command for each step; without it nothing is run."),
          SharedOptions.json,
        ])
    ],
    discussion:
      "Prints the steps from the root screen to the link's target. Ends with 1 where no route matches, and "
      + "with 65 where the link is bad or denied.",
    examples: [
      .init("Where a link would lead:", "carillon open 'home://chores/bins?due=today'"),
      .init("Go there:", "carillon open --execute 'home://chores/bins'"),
    ],
    run: run)

  /// What programs that a route has started carry, so that a link cannot open itself for ever (protocol §7).
  static let guardVariable = "CARILLON_OPEN"

  private static func run(_ call: Invocation) throws -> ExitStatus {
    if call.surroundings.environment[guardVariable]?.isEmpty == false {
      throw Failure(
        .failure,
        "a route has started this program (\(guardVariable) is set); opening a link from there could go round in circles"
      )
    }
    do {
      let link = try Link(parsing: call.operands[0])
      let navigation = try navigation(to: link, call)
      return try Walk(navigation, call).run()
    } catch let refusal as Refusal {
      throw denied(refusal, call)
    }
  }

  /// - Throws: `Refusal` for a link that is bad or denied; `Failure` where there is no route, or the file is bad.
  private static func navigation(to link: Link, _ call: Invocation) throws -> Navigation {
    guard let routes = try RoutesFile(call) else {
      try LinkPolicy.relayDefault.check(link)
      throw noRoute(link, "there is no routes file; --routes names one", call)
    }
    let router = try routes.router()
    try policy(router, call.settings.configuration).check(link)
    guard let navigation = try router.resolve(link) else {
      throw noRoute(link, "none in \(routes.file.path) matches", call)
    }
    return navigation
  }

  /// What this machine's companion allows.
  private static func policy(_ router: Router, _ configuration: Configuration) throws -> LinkPolicy {
    do {
      return try router.policy(reading: try Fields(configuration.object).object("links"))
    } catch {
      throw configuration.failure(error)
    }
  }

  private static func noRoute(_ link: Link, _ reason: String, _ call: Invocation) -> Failure {
    tell("no route", link.text, call)
    return Failure(.failure, "no route for \(visible(link.text)): \(reason)")
  }

  private static func denied(_ refusal: Refusal, _ call: Invocation) -> Failure {
    let text = call.operands[0]
    tell("\(refusal.code.rawValue): \(refusal.message)", text, call)
    let place = refusal.path.isEmpty ? "" : " at \(refusal.path)"
    return Failure(
      .data, "\(refusal.code.rawValue)\(place): \(refusal.message)",
      details: Caret.lines(text, column: 1, length: text.count), refusal: refusal)
  }

  private static func tell(_ reason: String, _ link: String, _ call: Invocation) {
    guard call.settings.has("json") else { return }
    call.console.print(["event": "failed", "url": .string(link), "reason": .string(reason)])
  }
}
