import CarillonTestSupport
import Glibc

/// Resident memory, without requests and with many, and what these take on disk.
enum Memory {
  static let measurement = Measurement(
    name: "memory", summary: "Resident memory without requests and with many pending; bytes of the store.",
    options: [
      .init(name: "requests", value: 1_000_000, about: "Pending requests."),
      .init(name: "commands", value: 10_000, about: "Commands that are taken in then."),
    ], short: ["requests": 50_000, "commands": 5000], run: run)

  /// In bytes.
  private static let (most, mostAboveEmpty) = (30e6, 10e6)

  /// What one relay took.
  private struct Taken {
    var pending: Int
    var started: (resident: Double, peak: Double)
    var busy: (resident: Double, peak: Double)
    /// Bytes of each request: as it was written, and on disk.
    var request: Double
    var store: Double
  }

  private static func run(_ options: Options, _ report: Report) throws {
    let commands = options["commands"]
    let empty = try measure(0, commands)
    let full = try measure(options["requests"], commands)
    report.table(
      "resident",
      "VmRSS and VmHWM of proc(5), after the start and the first firing, and after \(commands) more commands were taken in",
      [.init("pending"), .init("resident", "MB"), .init("peak", "MB")],
      [
        row("empty, started", empty.pending, empty.started, nil),
        row("empty, \(commands) commands later", empty.pending, empty.busy, nil),
        row("filled, started", full.pending, full.started, empty.started),
        row("filled, \(commands) commands later", full.pending, full.busy, empty.busy),
      ])
    report.table(
      "store",
      "the store's file while no relay runs, and what it keeps of the commands themselves; cron, calendar and rrule in equal parts, a notification with two actions each",
      [.init("pending"), .init("request", "B"), .init("store", "B")],
      [.init("filled", [.count(full.pending), .number(full.request), .number(full.store)])])
  }

  private static func measure(_ requests: Int, _ commands: Int) throws -> Taken {
    let filled = try FilledRig(requests)
    let rig = filled.rig
    let store = Double(rig.storeSize) / Double(max(1, requests))
    try rig.start()
    // At rest is two seconds after the start: nothing tells that the last of what is done lazily is done.
    usleep(2_000_000)
    let started = (rig.usage.resident, rig.usage.peak)
    _ = try Intake.take(commands, rig)
    let busy = (rig.usage.resident, rig.usage.peak)
    try rig.stop()
    return Taken(pending: requests, started: started, busy: busy, request: filled.bytes, store: store)
  }

  private static func row(
    _ name: String, _ pending: Int, _ taken: (resident: Double, peak: Double),
    _ empty: (resident: Double, peak: Double)?
  ) -> Report.Row {
    let target = empty.map { empty in
      Report.Target(
        "≤ \(Int(most / 1e6)) MB, ≤ \(Int(mostAboveEmpty / 1e6)) MB above empty",
        taken.resident <= most && taken.resident - empty.resident <= mostAboveEmpty)
    }
    return Report.Row(
      name, [.count(pending), .number(taken.resident / 1e6), .number(taken.peak / 1e6)], target)
  }
}
