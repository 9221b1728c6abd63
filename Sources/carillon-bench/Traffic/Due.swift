import CarillonTestSupport
import Glibc

/// Requests that fall due: how late they come when many do at one instant.
enum Due {
  static let measurement = Measurement(
    name: "due", summary: "Requests due at one instant: 1, 100, 1,000 and 10,000 of them; lateness.",
    options: [
      .init(
        name: "requests", value: 0, about: "So many at one instant; 0: 1, 100, 1,000 and 10,000 in turn."),
      .init(name: "rounds", value: 3, about: "Rounds of each."),
    ], short: ["rounds": 1], run: run)

  /// One at a time is drawn so often, each a while after the other, and at another part of a second.
  private static let (singles, distance) = (20, Int64(537))
  /// The commands are all in before the due time: milliseconds for the start, and for each.
  private static let (lead, leadEach) = (Int64(3000), 0.4)

  private static func run(_ options: Options, _ report: Report) throws {
    let counts = options["requests"] > 0 ? [options["requests"]] : [1, 100, 1000, 10_000]
    var rows: [Report.Row] = []
    for count in counts {
      for round in 1...(count == 1 ? 1 : options["rounds"]) {
        let outcome = try load(count)
        let name = count == 1 ? "1, \(singles) times" : "\(count), round \(round)"
        rows.append(outcome.row(name, rate: count == 1 ? nil : outcome.rate()))
      }
    }
    report.table(
      "lateness",
      "from the due time to receipt by a plain subscriber, QoS 1, CLOCK_REALTIME; firings a second from the first receipt to the last; the relay's processor time is for each firing, its command included",
      Outcome.columns, rows)
  }

  private static func load(_ count: Int) throws -> Outcome {
    let rig = try Rig()
    try rig.start()
    let first = WallClock.milliseconds + lead + Int64(Double(count) * leadEach)
    let dues =
      count == 1
      ? (0..<singles).map { first + distance * Int64($0) } : Array(repeating: first, count: count)
    let subscriber = try rig.subscriber(dues.count, clock: CLOCK_REALTIME)
    let publisher = try rig.publisher(inflight: 100)
    let before = rig.usage.processor
    _ = try publisher.publish(
      LoadCommand.topic, dues.enumerated().map { LoadCommand.encoded($0, due: $1) }
    ) { _ in true }
    try publisher.settle()
    guard WallClock.milliseconds < first else {
      throw TestFailure("the commands were not in before the due time")
    }
    try rig.wait(for: dues.count, from: subscriber, publisher)
    var outcome = Outcome(subscriber, from: dues.map { $0 * 1_000_000 })
    if count > 1 { outcome.processor = rig.usage.processor - before }
    try rig.stop()
    return outcome
  }
}
