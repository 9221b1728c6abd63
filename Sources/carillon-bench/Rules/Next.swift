import CarillonModel
import CarillonSchedule

/// How long rules take to find their next firing: what is asked for at each command and each firing.
enum Next {
  static let measurement = Measurement(
    name: "next", summary: "Finding the next firing of rules, alone.",
    options: [.init(name: "rules", value: 240, about: "Rules of each kind.")], run: run)

  private static func run(_ options: Options, _ report: Report) throws {
    measure(try RuleSamples(count: options["rules"]), report)
  }

  /// Of each kind every rule in every zone is asked for the firings after 16 instants, drawn anew each time.
  static func measure(_ samples: RuleSamples, _ report: Report) {
    let rows = samples.kinds.map { kind in
      var times: [Double] = []
      for pass in 0...Rules.passes {
        for rule in kind.rules {
          for zone in samples.zones {
            let instants = samples.instants(Rules.batch)
            let time = Stopwatch.microseconds(each: Rules.batch) {
              for instant in instants { keep(rule.next(after: instant, in: zone)?.milliseconds ?? 0) }
            }
            // The first pass warms the caches.
            if pass > 0 { times.append(time) }
          }
        }
      }
      let spread = Distribution(times)
      let target = kind.limit.map { Report.Target("median ≤ \(Int($0)) µs", spread.median <= $0) }
      return Report.Row(kind.name, [.count(kind.rules.count)] + Rules.cells(spread), target)
    }
    report.table(
      "next",
      "next(after:in:), µs a call: each rule in \(samples.zones.count) zones, batches of \(Rules.batch) instants of 100 years, \(Rules.passes) passes after a warming one, CLOCK_MONOTONIC",
      [.init("rules")] + Rules.columns("µs"), rows)
  }
}
