import CarillonModel
import CarillonTestSupport
import Glibc

/// SIGKILL in the middle of a burst: what is lost, what comes twice, and what a companion does twice.
enum Repeats {
  static let measurement = Measurement(
    name: "repeats", summary: "SIGKILL in the middle of a burst: repeats on the wire, acted on, and losses.",
    options: [
      .init(name: "requests", value: 10_000, about: "Requests due at one instant."),
      .init(name: "rounds", value: 5, about: "Rounds, each killed a little later in the burst."),
    ], short: ["rounds": 1], run: run)

  /// One in so many is for a companion; the others for a plain subscriber, which takes as much as the broker gives.
  private static let share = 20
  private static let device = "bench-companion"
  private static let most = 1000

  private static func run(_ options: Options, _ report: Report) throws {
    let rounds = options["rounds"]
    let rows = try (1...rounds).map { number in
      try round(options["requests"], killedAfter: options["requests"] * number / (rounds + 1), number)
    }
    report.table(
      "repeats",
      "requests due at one instant; the relay is killed once so many notifications have come, and started again; one in \(share) is for a companion",
      ["before", "lost", "repeats", "for_companion", "opened", "opened_twice"].map { .init($0) }, rows)
  }

  private static func round(_ count: Int, killedAfter: Int, _ number: Int) throws -> Report.Row {
    let rig = try Rig()
    try rig.start()
    let companion = try Program([
      "companion", "--broker", rig.broker.url, "--device", device, "--json", "--routes",
      try rig.folder.write(
        "routes.json5", #"{ routes: [{ link: "home://item/:item", navigate: ["/{item}"] }] }"#),
    ])
    let subscriber = try rig.subscriber(count)
    let publisher = try rig.publisher(inflight: 100)
    let due = WallClock.milliseconds + 3000 + Int64(count) * 2 / 5
    _ = try publisher.publish(
      LoadCommand.topic,
      (0..<count).map { LoadCommand.encoded($0, due: due, to: $0 % share == 0 ? device : nil) }
    ) { _ in true }
    try publisher.settle()
    try eventually("the burst", within: .seconds(60)) {
      try Interruption.check()
      return subscriber.distinct >= killedAfter
    }
    try rig.kill()
    let before = subscriber.distinct
    try rig.start()
    try rig.wait(for: count, from: subscriber, publisher)
    let mine = (count + share - 1) / share
    let opened = try waitForOpened(mine, companion)
    // Nothing tells that no repeat will come; one would be there within a second.
    usleep(1_000_000)
    let outcome = Outcome(subscriber, from: Array(repeating: 0, count: count))
    try rig.stop()
    companion.terminate()
    try companion.waitForExit()
    let (lost, repeats) = (count - outcome.distinct, outcome.arrivals.count - outcome.distinct)
    let twice = opened.count - Set(opened).count
    return Report.Row(
      "\(count), round \(number)",
      [before, lost, repeats, mine, Set(opened).count, twice].map { .count($0) },
      Report.Target(
        "none lost, repeats ≤ \(most), none opened twice",
        lost == 0 && repeats <= most && Set(opened).count == mine && twice == 0))
  }

  /// The identifiers that the companion has opened, once they are so many or nothing has come for a while.
  private static func waitForOpened(_ count: Int, _ companion: Program) throws -> [String] {
    var (opened, deadline) = ([String](), Deadline(after: .seconds(10)))
    while !deadline.hasPassed {
      try Interruption.check()
      let now = try companion.lines().compactMap { line -> String? in
        let event = try JSON(parsing: Array(line.utf8))
        return event["event"]?.text == "opened" ? event["id"]?.text : nil
      }
      if now.count != opened.count { (opened, deadline) = (now, Deadline(after: .seconds(10))) }
      if Set(opened).count >= count { break }
      // A file does not tell that it has grown, and to read it costs time that the relay is measured in.
      usleep(100_000)
    }
    return opened
  }
}
