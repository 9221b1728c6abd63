import CarillonLinks
import CarillonModel
import CarillonTestSupport

/// How long it takes to find a link's way among many routes.
enum LinkResolving {
  static let measurement = Measurement(
    name: "link", summary: "Reading a link and resolving it against many routes.",
    options: [.init(name: "routes", value: 200, about: "Routes.")], short: [:], run: run)

  private static let (batch, passes) = (16, 50)
  /// Microseconds.
  private static let limit = 10.0

  private static func run(_ options: Options, _ report: Report) throws {
    let samples = (0..<options["routes"]).map { RouteSample($0) }
    let router = try Router(reading: ["routes": .array(samples.map(\.json))])
    let hits = samples.map(\.link)
    for (sample, link) in zip(samples, hits) {
      guard try router.resolve(try Link(parsing: link))?.steps.last?.to == sample.target else {
        throw TestFailure("\(link) does not lead to \(sample.target)")
      }
    }
    let misses = hits.map { $0.replacing("/go/", with: "/gone/") }
    report.table(
      "resolve",
      "Link(parsing:) and resolve(_:), µs a link, against \(samples.count) routes: each link in batches of \(batch), \(passes) passes after a warming one, CLOCK_MONOTONIC",
      [.init("links"), .init("median", "µs"), .init("p99", "µs"), .init("max", "µs")],
      [
        row("of a route", try times(hits, router)), row("of no route", try times(misses, router)),
      ])
  }

  private static func row(_ name: String, _ times: (links: Int, spread: Distribution)) -> Report.Row {
    let spread = times.spread
    return Report.Row(
      name, [.count(times.links), .number(spread.median), .number(spread.p99), .number(spread.max)],
      Report.Target("median ≤ \(Int(limit)) µs", spread.median <= limit))
  }

  private static func times(_ links: [String], _ router: Router) throws -> (links: Int, spread: Distribution)
  {
    var times: [Double] = []
    for pass in 0...passes {
      for link in links {
        let time = try Stopwatch.microseconds(each: batch) {
          for _ in 0..<batch {
            keep(Int64(try router.resolve(try Link(parsing: link))?.steps.count ?? 0))
          }
        }
        if pass > 0 { times.append(time) }
      }
    }
    return (links.count, Distribution(times))
  }
}
