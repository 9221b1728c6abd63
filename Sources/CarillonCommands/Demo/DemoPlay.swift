import CarillonLoop
import CarillonModel
import Glibc

/// What happens in the demo, and what must have been seen at its end.
final class DemoPlay {
  private let stage: DemoStage
  private let broker: String
  private let program: String
  private var desk: DemoProcess?
  private var kitchen: DemoProcess?
  private var url = ""

  init(_ stage: DemoStage, _ broker: String) {
    self.stage = stage
    self.broker = broker
    program = DemoPlay.ownProgram
  }

  /// This very program, whatever it is called and wherever it lies.
  private static var ownProgram: String {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &bytes, bytes.count)
    guard count > 0 else { return "/proc/self/exe" }
    let path = String(decoding: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return access(path, X_OK) == 0 ? path : "/proc/self/exe"
  }

  private static let routes = """
    {
      routes: [
        { link: "kitchen://tea/:kind", navigate: ["/", "/tea", "/tea/{kind}"] },
        { link: "home://chores/:chore", navigate: ["/", "/chores/{chore}"] },
      ],
    }

    """

  /// - Throws: `Failure` where something that was promised was not seen.
  func run() throws {
    try startBroker()
    try startServices()
    try schedule()
    try watch()
  }

  private func startBroker() throws {
    for _ in 0..<3 {
      let port = try DemoBroker.freePort()
      try stage.write("mosquitto.conf", DemoBroker.configuration(port))
      let process = try stage.start("broker", [broker, "-c", stage.folder + "/mosquitto.conf"])
      let listens = try stage.wait(.seconds(5)) { process.exit != nil || DemoBroker.answers(port) }
      if listens, process.exit == nil {
        url = "mqtt://127.0.0.1:\(port)"
        return stage.say("broker", "mosquitto listens on 127.0.0.1:\(port)")
      }
    }
    throw Failure(.unavailable, "mosquitto does not start")
  }

  private func startServices() throws {
    try stage.write("routes.json5", DemoPlay.routes)
    let relay = try stage.start(
      "relay", [program, "relay", "--broker", url, "--store", "sqlite:\(stage.folder)/relay.db"])
    desk = try companion("desk")
    kitchen = try companion("kitchen")
    let limit = SystemClock.elapsedMilliseconds + 15_000
    while SystemClock.elapsedMilliseconds < limit {
      if relay.exit != nil { throw Failure(.failure, "the relay has ended") }
      let devices = try ask(["devices", "--json", "--wait", "2s"], shown: false)
      if devices.filter({ $0.contains(#""online":true"#) }).count == 2 { return }
      _ = try stage.wait(.milliseconds(100)) { false }
    }
    throw Failure(.failure, "relay and companions did not come together within 15 s")
  }

  private func companion(_ name: String) throws -> DemoProcess {
    try stage.start(
      name,
      [
        program, "companion", "--broker", url, "--device", name, "--routes", stage.folder + "/routes.json5",
        "--state", "\(stage.folder)/\(name)",
      ])
  }

  private func schedule() throws {
    try ask(["schedule", "--title", "Hello from Carillon"])
    try ask(["schedule", "--id", "drops", "--after", "3s", "--title", "Eye drops"])
    try ask(["cancel", "drops"])
    try ask(["schedule", "--id", "bins", "--after", "1h", "--title", "Bins out"])
    try ask(
      [
        "schedule", "--id", "bins", "--after", "4s", "--to", "kitchen", "--title", "Bins out, and the paper",
        "--url", "home://chores/bins",
      ])
    try ask([
      "schedule", "--id", "tea", "--after", "3s", "--title", "Tea is ready", "--url", "kitchen://tea/green",
    ])
    let pending = try ask(["pending"])
    guard pending.contains(where: { $0.hasPrefix("tea ") }),
      pending.contains(where: { $0.hasPrefix("bins ") })
    else {
      throw Failure(.failure, "the list of pending requests is not as it should be")
    }
  }

  /// A command line of this program: shown as it would be typed, then with what it prints.
  @discardableResult
  private func ask(_ words: [String], shown: Bool = true) throws -> [String] {
    if shown {
      let typed = words.map { $0.contains(" ") || $0.contains(",") ? "'\($0)'" : $0 }.joined(separator: " ")
      stage.say("you", "carillon " + typed, mark: "$")
    }
    let process = try stage.start("", [program] + words, ["CARILLON_BROKER": url], shown: shown)
    let isOver = try stage.wait(.seconds(15)) { process.isOver }
    guard isOver, process.exit == .exited(0) || !shown else {
      throw Failure(.failure, "carillon \(words[0]) did not do what it should")
    }
    return process.lines
  }

  /// Waits for what was promised, and a little longer for what must not come.
  private func watch() throws {
    let isThere = try stage.wait(.seconds(10)) { missing.isEmpty }
    _ = try stage.wait(.seconds(1)) { false }
    var faults = isThere ? [] : missing
    let all = lines(desk) + lines(kitchen)
    if all.contains(where: { $0.contains("Eye drops") }) { faults.append("a cancelled request fired") }
    if all.contains(where: { $0.contains("Bins out") && !$0.contains("paper") }) {
      faults.append("a replaced request fired")
    }
    if lines(desk).contains(where: { $0.contains("Bins out") }) {
      faults.append("the desk got what is the kitchen's")
    }
    guard faults.isEmpty else {
      throw Failure(.failure, "not as it should be: \(faults.joined(separator: "; "))")
    }
  }

  private var missing: [String] {
    let tea = ["Tea is ready", "step 1 of 3: /", "step 2 of 3: /tea", "step 3 of 3: /tea/green"]
    let promised = [
      ("desk", desk, ["Hello from Carillon"] + tea),
      (
        "kitchen", kitchen,
        ["Hello from Carillon"] + tea + ["Bins out, and the paper", "step 2 of 2: /chores/bins"]
      ),
    ]
    return promised.flatMap { name, process, texts in
      texts.filter { text in
        lines(process).filter { $0 == text || $0.hasPrefix("notification  \(text)") }.count != 1
      }
      .map { "\"\($0)\" was not seen once at the \(name)" }
    }
  }

  private func lines(_ process: DemoProcess?) -> [String] { process?.lines ?? [] }
}
