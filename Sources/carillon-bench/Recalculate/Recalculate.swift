import CarillonModel
import CarillonTestSupport
import CarillonTime

/// The finding anew of all due times when tzdata is replaced: how long it takes, and what it does to what is due meanwhile.
enum Recalculate {
  static let measurement = Measurement(
    name: "recalculate",
    summary: "A relay whose tzdata is replaced: until all due times are right, and lateness.",
    options: [
      .init(name: "requests", value: 1_000_000, about: "Pending requests."),
      .init(name: "baseline", value: 20, about: "Seconds before tzdata is replaced."),
    ], short: ["requests": 20_000, "baseline": 3], run: run)

  /// What the relay says when it begins, and when it has done.
  private static let (beginning, end) = (
    "tzdata is now ", "all due times are as the clock and tzdata have them now"
  )
  /// The longest that is waited for it.
  private static let patience: Duration = .seconds(3600)

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
    let size = StoreFilling.size(path)

    let relay = try WatchedRelay(store: path, zones: zones, broker: broker)
    try relay.addRegularFirings()
    try relay.watch(for: .seconds(3))
    Bench.say("watching the usual lateness for \(options["baseline"]) s")
    let usual = try relay.watch(for: .seconds(options["baseline"]))
    let passes = try [ReplaceableZones.later, ReplaceableZones.earlier].map { zone in
      try pass(zone, relay, zones, mix.samples)
    }
    try relay.stop()
    RecalculateTables(requests: options["requests"], store: size, usual: usual, passes: passes).print(report)
  }

  /// One replacement of tzdata.
  struct Pass {
    var zone: String
    var seconds: Double
    /// Processor seconds, and bytes written.
    var usage: (processor: Double, written: Double)
    var lateness: Distribution
    var sampled: Int
    var wrong: Int
  }

  private static func pass(
    _ zone: String, _ relay: WatchedRelay, _ zones: ReplaceableZones, _ samples: [PendingMix.Sample]
  ) throws -> Pass {
    Bench.say("replacing tzdata: clocks show what they show in \(zone)")
    let new = try zones.replace(with: zone)
    try relay.watch(until: beginning, within: .seconds(30))
    let (watch, before) = (Stopwatch(), relay.taken)
    let lateness = try relay.watch(until: end, within: patience)
    let (seconds, after) = (watch.seconds, relay.taken)
    try relay.watch(for: .seconds(1))
    let wrong = try relay.wrong(samples, by: new)
    for line in wrong.prefix(5) { Bench.say(line) }
    return Pass(
      zone: zone, seconds: seconds,
      usage: (after.processor - before.processor, after.written - before.written), lateness: lateness,
      sampled: samples.count, wrong: wrong.count)
  }
}
