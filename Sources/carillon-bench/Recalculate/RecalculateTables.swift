/// What was measured, and the targets.
struct RecalculateTables {
  let requests: Int
  /// Bytes.
  let store: Int64
  let usual: Distribution
  let passes: [Recalculate.Pass]

  /// Seconds for all, and milliseconds by which a firing may be later than usual.
  private static let (longest, delay) = (60.0, 5.0)

  func print(_ report: Report) {
    report.table(
      "time",
      "from the relay's line that tzdata is another to its line that all due times are right; a store of \(store / 1_000_000) MB; clocks go from \(ReplaceableZones.before) to",
      [
        .init("requests"), .init("elapsed", "s"), .init("per_second"), .init("processor", "s"),
        .init("written", "MB"),
      ],
      passes.map { pass in
        Report.Row(
          pass.zone,
          [
            .count(requests), .number(pass.seconds), .number(Double(requests) / pass.seconds),
            .number(pass.usage.processor),
            .number(pass.usage.written / 1e6),
          ],
          Report.Target(
            "elapsed ≤ \(Int(RecalculateTables.longest)) s", pass.seconds <= RecalculateTables.longest))
      })
    let limit = usual.median + RecalculateTables.delay
    report.table(
      "lateness",
      "from due to the receipt by a plain subscriber: 20 requests every second, 50 ms apart, and a cron of every minute",
      [.init("firings"), .init("median", "ms"), .init("p90", "ms"), .init("p99", "ms"), .init("max", "ms")],
      [row("usual", usual, nil)]
        + passes.map { pass in
          row(
            pass.zone, pass.lateness,
            Report.Target(
              "max ≤ usual median + \(Int(RecalculateTables.delay)) ms", pass.lateness.max <= limit))
        })
    report.table(
      "check", "requests drawn at random, whose listing is to show the same reading on the new clocks",
      [.init("sampled"), .init("wrong")],
      passes.map { pass in
        Report.Row(
          pass.zone, [.count(pass.sampled), .count(pass.wrong)],
          Report.Target("none wrong", pass.wrong == 0))
      })
  }

  private func row(_ name: String, _ spread: Distribution, _ target: Report.Target?) -> Report.Row {
    let values = [spread.median, spread.quantile(0.9), spread.p99, spread.max]
    return Report.Row(name, [.count(spread.count)] + values.map { .number($0) }, target)
  }
}
