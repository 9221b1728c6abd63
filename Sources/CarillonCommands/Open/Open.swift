import CarillonCompanion
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
    let navigation = try navigation(to: call.operands[0], call)
    return try Walk(navigation, call).run()
  }

  /// - Throws: `Failure` where the link is bad or denied, there is no route, or a file is bad.
  private static func navigation(to url: String, _ call: Invocation) throws -> Navigation {
    let routes = try RoutesFile(call)
    let opener = try opener(routes, call)
    do throws(LinkOpener.Fault) { return try opener.navigation(to: url) } catch {
      switch error {
      case .refused(let refusal): throw denied(refusal, call)
      case .noRoute:
        let reason =
          routes.map { "none in \($0.file.path) matches" } ?? "there is no routes file; --routes names one"
        throw noRoute(url, reason, call)
      }
    }
  }

  /// What this machine's companion opens. Without routes nothing is opened, so what the relay takes is told apart from
  /// what nobody takes.
  private static func opener(_ routes: RoutesFile?, _ call: Invocation) throws -> LinkOpener {
    guard let routes else { return LinkOpener(router: Router(), policy: .relayDefault) }
    let router = try routes.router()
    let configuration = call.settings.configuration
    do throws(Refusal) {
      return try LinkOpener(
        router: router, links: try Fields(configuration.object).object("links")?.object)
    } catch { throw configuration.failure(error) }
  }

  private static func noRoute(_ url: String, _ reason: String, _ call: Invocation) -> Failure {
    tell("no route", url, call)
    return Failure(.failure, "no route for \(visible(url)): \(reason)")
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
