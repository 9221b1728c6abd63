import CarillonTestSupport
import Glibc

/// Starting with many pending requests: until something fires.
enum Restart {
  static let measurement = Measurement(
    name: "restart",
    summary: "From the start of the process to the first firing, with many requests pending.",
    options: [
      .init(name: "requests", value: 1_000_000, about: "Pending requests."),
      .init(name: "starts", value: 5, about: "Starts of each kind."),
    ], short: ["requests": 50_000, "starts": 2], run: run)

  /// In seconds.
  private static let longest = 0.3

  private static func run(_ options: Options, _ report: Report) throws {
    var rows: [Report.Row] = []
    for requests in [0, options["requests"]] {
      let rig = try FilledRig(requests).rig
      let (commands, due) = (
        try seconds(options["starts"], rig, command), try seconds(options["starts"], rig, overdue)
      )
      rows += [
        row("a command that waits", requests, commands), row("what fell due meanwhile", requests, due),
      ]
    }
    report.table(
      "start",
      "from before the process is made to receipt by a plain subscriber, CLOCK_MONOTONIC: of a command that the broker has kept, and of a request that fell due while the relay was ended",
      [.init("pending"), .init("starts"), .init("median", "s"), .init("max", "s")], rows)
  }

  private static func row(_ name: String, _ pending: Int, _ seconds: Distribution) -> Report.Row {
    Report.Row(
      name, [.count(pending), .count(seconds.count), .number(seconds.median), .number(seconds.max)],
      Report.Target("max ≤ \(longest) s", seconds.max <= longest))
  }

  /// - Parameter prepare: has something fire at the next start; it returns with the relay ended.
  private static func seconds(_ starts: Int, _ rig: Rig, _ prepare: (Rig) throws -> Void) throws
    -> Distribution
  {
    Distribution(
      try (0..<starts).map { _ in
        try prepare(rig)
        let subscriber = try rig.subscriber(1)
        let watch = Stopwatch()
        try rig.launch()
        try eventually("the first firing", within: .seconds(60)) { subscriber.distinct == 1 }
        let seconds = watch.seconds
        try rig.stop()
        return seconds
      })
  }

  private static func command(_ rig: Rig) throws {
    try rig.publisher().publish(LoadCommand.topic, LoadCommand.encoded(0))
  }

  private static func overdue(_ rig: Rig) throws {
    try rig.start()
    let due = WallClock.milliseconds + 2500
    try rig.publisher().publish(LoadCommand.topic, LoadCommand.encoded(0, due: due))
    // Behind it, so that it has been taken in.
    try rig.waitForFiring(try rig.subscriber(0))
    try rig.stop()
    try eventually("the due time") { WallClock.milliseconds > due }
  }
}
