import CarillonTestSupport

/// Commands without trigger: from their publishing to the receipt of what they fire.
enum Immediate {
  static let measurement = Measurement(
    name: "immediate", summary: "Commands without trigger: latency at 50 a second, and firings a second.",
    options: [
      .init(name: "steady", value: 1000, about: "Commands at 50 a second."),
      .init(name: "requests", value: 30_000, about: "Commands as fast as they fire."),
    ], short: ["steady": 150, "requests": 5000], run: run)

  /// As fast as possible: so many may be on their way at once.
  private static let window = 200
  private static let interval: Int64 = 20_000_000

  private static func run(_ options: Options, _ report: Report) throws {
    let rig = try Rig()
    try rig.start()
    let steady = try load(rig, options["steady"], every: interval)
    let fast = try load(rig, options["requests"], every: 0)
    try rig.stop()
    report.table(
      "latency",
      "from publishing to receipt by a plain subscriber, QoS 1, CLOCK_MONOTONIC; as fast as possible means \(window) on their way; the relay's processor time is for each firing",
      Outcome.columns,
      [
        steady.outcome.row("50 a second", rate: nil),
        fast.outcome.row("as fast as possible", rate: fast.outcome.rate(from: fast.start)),
      ])
  }

  private static func load(_ rig: Rig, _ count: Int, every interval: Int64) throws -> (
    outcome: Outcome, start: Int64
  ) {
    let (subscriber, publisher) = (try rig.subscriber(count), try rig.publisher())
    let commands = (0..<count).map { LoadCommand.encoded($0) }
    let before = rig.usage.processor
    let starts = try publisher.publish(LoadCommand.topic, commands, every: interval) { sent in
      interval > 0 || sent - subscriber.distinct < window
    }
    try rig.wait(for: count, from: subscriber, publisher)
    var outcome = Outcome(subscriber, from: starts)
    outcome.processor = rig.usage.processor - before
    return (outcome, starts.first ?? 0)
  }
}
