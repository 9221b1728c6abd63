import CarillonTestSupport

/// Commands that are due much later, as fast as the broker gives them.
enum Intake {
  static let measurement = Measurement(
    name: "intake", summary: "Commands that are due tomorrow, taken in a second.",
    options: [.init(name: "requests", value: 100_000, about: "Commands.")], short: ["requests": 20_000],
    run: run)

  /// So many may be under way to the broker.
  private static let window = 1000

  private static func run(_ options: Options, _ report: Report) throws {
    let count = options["requests"]
    let rig = try Rig()
    try rig.start()
    let (before, size) = (rig.usage.processor, rig.storeSize)
    let seconds = try take(count, rig)
    let processor = rig.usage.processor - before
    try rig.stop()
    let bytes = Double(rig.storeSize - size) / Double(count)
    report.table(
      "commands",
      "from the first publishing until a command behind them has fired: each is on disk then; \(LoadCommand.size) bytes each, QoS 1; the relay's processor time and its store, each command",
      [
        .init("commands"), .init("elapsed", "s"), .init("per_second"), .init("processor", "µs"),
        .init("store", "B"),
      ],
      [
        .init(
          "due tomorrow",
          [
            .count(count), .number(seconds), .number(Double(count) / seconds),
            .number(processor / Double(count) * 1e6), .number(bytes),
          ], StoreTarget.bytes(bytes))
      ])
  }

  /// Has commands taken in that are due tomorrow.
  ///
  /// - Returns: seconds until all of them are on disk.
  static func take(_ count: Int, _ rig: Rig) throws -> Double {
    let due = WallClock.milliseconds + 86_400_000
    let commands = (0..<count).map { LoadCommand.encoded($0, due: due) }
    let subscriber = try rig.subscriber(0)
    let publisher = try rig.publisher(inflight: Int32(window))
    let watch = Stopwatch()
    _ = try publisher.publish(LoadCommand.topic, commands) { sent in sent - publisher.acknowledged < window }
    try publisher.settle()
    try rig.waitForFiring(subscriber)
    return watch.seconds
  }
}
