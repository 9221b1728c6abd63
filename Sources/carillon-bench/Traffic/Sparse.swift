import CarillonTestSupport

/// One command, and then nothing for a while: what most notifications are.
enum Sparse {
  static let measurement = Measurement(
    name: "sparse", summary: "One command every 1.5 s: latency when everything was idle.",
    options: [.init(name: "requests", value: 20, about: "Commands.")], short: ["requests": 4], run: run)

  private static let interval: Int64 = 1_500_000_000

  private static func run(_ options: Options, _ report: Report) throws {
    let rig = try Rig()
    try rig.start()
    let count = options["requests"]
    let (subscriber, publisher) = (try rig.subscriber(count), try rig.publisher())
    let starts = try publisher.publish(
      LoadCommand.topic, (0..<count).map { LoadCommand.encoded($0) }, every: interval
    ) { _ in
      try Interruption.check()
      return true
    }
    try rig.wait(for: count, from: subscriber, publisher)
    let outcome = Outcome(subscriber, from: starts)
    try rig.stop()
    report.table(
      "latency", "from publishing to receipt by a plain subscriber, QoS 1, CLOCK_MONOTONIC", Outcome.columns,
      [outcome.row("every 1.5 s", rate: nil)])
  }
}
