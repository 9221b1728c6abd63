import CarillonModel
import CarillonTestSupport
import Glibc

/// The finding anew of all due times when tzdata is replaced: how long it takes, and what it does to what is due meanwhile.
enum Recalculate {
  static let measurement = Measurement(
    name: "recalculate",
    summary: "A relay whose tzdata is replaced: until all due times are right, and lateness.",
    options: [
      .init(name: "requests", value: 1_000_000, about: "Pending requests."),
      .init(name: "baseline", value: 20, about: "Seconds before tzdata is replaced."),
    ], run: run)

  /// What the relay says when it begins, and when it has done.
  private static let (beginning, end) = (
    "tzdata is now ", "all due times are as the clock and tzdata have them now"
  )
  /// The longest that is waited for it.
  private static let patience: Duration = .seconds(3600)
  /// Targets: seconds for all, and milliseconds by which a firing may be later than usual.
  private static let (longest, latest) = (60.0, 5.0)

  private static func run(_ options: Options, _ report: Report) throws {
    Interruption.hold()
    let zones = try ReplaceableZones()
    let folder = try TemporaryDirectory()
    let broker = try Broker()
    let path = folder.file("relay.db")
    // So that the store knows the tzdata that its due times are computed with.
    try WatchedRelay(store: path, zones: zones, broker: broker).stop()
    let mix = try PendingMix(zones)
    try StoreFilling.fill(path, with: mix, count: options["requests"])

    let relay = try WatchedRelay(store: path, zones: zones, broker: broker)
    try relay.addRegularFirings()
    Bench.say("watching the usual lateness for \(options["baseline"]) s")
    try relay.watch(for: .seconds(2))
    let usual = try relay.watch(for: .seconds(options["baseline"]))
    Bench.say("replacing tzdata")
    try zones.replace()
    try relay.watch(until: beginning, within: .seconds(30))
    let (watch, usage) = (Stopwatch(), relay.usage)
    let during = try relay.watch(until: end, within: patience)
    let (seconds, used) = (watch.seconds, relay.usage)
    try relay.watch(for: .seconds(1))
    let wrong = try relay.wrong(mix.samples)
    try relay.stop()

    let size = Double(StoreFilling.size(path)) / 1e6
    let count = options["requests"]
    report.table(
      "time",
      "from the relay's line that tzdata is another to its line that all due times are right; clocks of one zone go from \(ReplaceableZones.before) to \(ReplaceableZones.after)",
      [
        .init("elapsed", "s"), .init("requests"), .init("rate", "1/s"), .init("processor", "s"),
        .init("written", "MB"), .init("store", "MB"),
      ],
      [
        .init(
          "all due times",
          [
            .number(seconds), .count(count), .number(Double(count) / seconds),
            .number(used.processor - usage.processor), .number((used.written - usage.written) / 1e6),
            .number(size),
          ], Report.Target("≤ \(Int(longest)) s", seconds <= longest))
      ])
    report.table(
      "lateness",
      "ms from due to the receipt by a plain subscriber: 20 requests every second, 50 ms apart, and a cron of every minute",
      [
        .init("firings"), .init("median", "ms"), .init("p90", "ms"), .init("p99", "ms"), .init("max", "ms"),
      ],
      [
        row("before", usual, nil),
        row(
          "meanwhile", during,
          Report.Target("max ≤ usual median + \(Int(latest)) ms", during.max <= usual.median + latest)),
      ])
    report.table(
      "check", "requests drawn at random whose `next` is the same reading on the new clocks",
      [.init("sampled"), .init("wrong")],
      [
        .init(
          "next", [.count(mix.samples.count), .count(wrong.count)],
          Report.Target("none wrong", wrong.isEmpty))
      ])
    for line in wrong.prefix(5) { Bench.say(line) }
  }

  private static func row(_ name: String, _ spread: Distribution, _ target: Report.Target?) -> Report.Row {
    .init(
      name,
      [.count(spread.count)]
        + [spread.median, spread.quantile(0.9), spread.p99, spread.max].map { .number($0) }, target)
  }
}
