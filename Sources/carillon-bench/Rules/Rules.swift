import CarillonModel
import CarillonSchedule
import CarillonTime

/// How long rules take: to be read, to find their next firing, and to be found to have none.
enum Rules {
  static let measurement = Measurement(
    name: "rules", summary: "Reading rules, finding their next firing, finding that there is none.",
    options: [.init(name: "rules", value: 240, about: "Rules of each kind.")], short: ["rules": 24], run: run)

  /// Calls that are timed together: a call may be shorter than the clock is precise.
  static let batch = 16
  static let passes = 3

  private static func run(_ options: Options, _ report: Report) throws {
    let samples = try RuleSamples(count: options["rules"])
    Next.measure(samples, report)
    try parse(samples, report)
    try NeverRules.measure(report)
  }

  private static func parse(_ samples: RuleSamples, _ report: Report) throws {
    func row(_ name: String, _ count: Int, _ parse: (Int) throws -> Void) rethrows -> Report.Row {
      var times: [Double] = []
      for pass in 0...passes {
        for rule in 0..<count {
          let time = try Stopwatch.microseconds(each: batch) {
            for _ in 0..<batch { try parse(rule) }
          }
          if pass > 0 { times.append(time) }
        }
      }
      return Report.Row(name, [.count(count)] + cells(Distribution(times)))
    }
    let (crons, recurrences) = (samples.crons, samples.recurrences)
    let rows = [
      try row("cron", crons.count) { place in
        keep(try CronRule(parsing: crons[place]).whyNever == nil ? 1 : 0)
      },
      try row("rrule", recurrences.count) { place in
        let rule = try RecurrenceRule(parsing: recurrences[place].text, start: recurrences[place].start)
        keep(rule.whyNever == nil ? 1 : 0)
      },
    ]
    report.table(
      "read",
      "from text to a rule, µs a rule: batches of \(batch) of the same, \(passes) passes after a warming one",
      [.init("rules")] + columns("µs"), rows)
  }

  static func columns(_ unit: String) -> [Report.Column] {
    [.init("median", unit), .init("p99", unit), .init("max", unit)]
  }

  static func cells(_ spread: Distribution) -> [Report.Cell] {
    [.number(spread.median), .number(spread.p99), .number(spread.max)]
  }
}
