import CarillonLoop
import CarillonModel
import CarillonTestSupport
import FoundationEssentials
import Glibc
import Testing

/// A broker, a relay and a companion as processes that can be killed at any time, and what is seen of them from outside:
/// an onlooker on the broker, and the file that the routes' command writes to.
final class CrashBench {
  let broker: Broker
  let directory: TemporaryDirectory
  /// Publishes commands.
  let publisher: TestClient
  /// Reads everything about devices.
  let onlooker: TestClient
  private(set) var relay: Program?
  private(set) var companion: Program?
  /// The relay's store.
  var store: String
  /// The folder of the companion's inbox.
  var state: String
  private var seen: [TestClient.Message] = []

  static let device = "kiosk"

  init(broker: Broker? = nil) throws {
    self.broker = try broker ?? Broker()
    directory = try TemporaryDirectory()
    store = directory.file("relay.db")
    state = directory.file("companion")
    publisher = try TestClient(port: self.broker.port)
    onlooker = try TestClient(port: self.broker.port)
    try onlooker.subscribe("carillon/device/#")
    try onlooker.subscribe("carillon/relay/#")
    try directory.write(
      "routes.json5",
      """
      { routes: [{ link: "act://on/:n", navigate: ["/{n}"],
        run: ["/bin/sh", "-c", "echo $0 >> \(acted)", "{n}"] }] }
      """)
  }

  private var acted: String { directory.file("acted") }

  // MARK: Processes

  /// Starts the relay, and returns once it takes commands.
  ///
  /// - Parameter fault: the place at which it is to kill itself; then it is not waited for.
  @discardableResult
  func startRelay(
    fault: String? = nil, arguments: [String] = [], environment: [String: String] = [:]
  ) throws -> Program {
    try read(for: .zero)
    let start = seen.count
    let program = try Program(
      ["relay", "--broker", broker.url, "--store", "sqlite:\(store)", "--timezone", "UTC"] + arguments,
      environment: environment.merging(fault.map { ["CARILLON_FAULT": $0] } ?? [:]) { $1 })
    relay = program
    if fault == nil { try wait(for: "the relay", from: start) { $0.isOnline("carillon/relay/status") } }
    return program
  }

  @discardableResult
  func startCompanion(fault: String? = nil) throws -> Program {
    try read(for: .zero)
    let start = seen.count
    let program = try Program(
      [
        "companion", "--broker", broker.url, "--device", CrashBench.device, "--state", state, "--routes",
        directory.file("routes.json5"), "--execute", "--json",
      ], environment: fault.map { ["CARILLON_FAULT": $0] } ?? [:])
    companion = program
    if fault == nil {
      try wait(for: "the companion", from: start) {
        $0.isOnline("carillon/device/\(CrashBench.device)/status")
      }
    }
    return program
  }

  /// Kills a process at once, after a delay, while the test goes on.
  func kill(_ program: Program, after delay: Duration) throws -> ChildProcess {
    let seconds = Double(delay.milliseconds) / 1000
    return try ChildProcess(Spawn(["/bin/sh", "-c", "sleep \(seconds); kill -9 \(program.pid)"]))
  }

  func stopRelay() throws {
    relay?.terminate()
    try relay?.waitForExit()
    relay = nil
  }

  // MARK: What is seen from outside

  /// Everything that the onlooker has read.
  func read(for time: Duration = .zero) throws {
    try onlooker.listen(for: max(time, .milliseconds(2)))
    seen += onlooker.takeMessages()
  }

  func wait(
    for what: String, from start: Int = 0, within limit: Duration = .seconds(30),
    _ fits: (TestClient.Message) -> Bool
  ) throws {
    try eventually(what, within: limit) {
      try read()
      return seen.dropFirst(start).contains(where: fits)
    }
  }

  func eventually(_ what: String, within limit: Duration = .seconds(30), _ condition: () throws -> Bool)
    throws
  {
    do {
      try CarillonTestSupport.eventually(what, within: limit) {
        try read()
        return try condition()
      }
    } catch {
      let said = [("relay", relay), ("companion", companion)].map { name, program in
        "\(name): " + (program?.lines(.errors).suffix(15).joined(separator: "\n") ?? "-")
      }
      throw TestFailure("\(error)\n" + said.joined(separator: "\n"))
    }
  }

  /// What the onlooker has read on topics that end so.
  func messages(on suffix: String) -> [TestClient.Message] {
    seen.filter { $0.topic.hasSuffix(suffix) }
  }

  /// How often each link was acted on, by its last part.
  func actions() -> [String: Int] {
    let lines = (directory.read("acted") ?? "").split(separator: "\n").map(String.init)
    return Dictionary(lines.map { ($0, 1) }, uniquingKeysWith: +)
  }

  /// The notifications on the wire: how often each delivery came, and the link's last part.
  func notifications() -> [String: (count: Int, name: String)] {
    var found: [String: (count: Int, name: String)] = [:]
    for message in seen where message.topic.hasSuffix("/notification") {
      guard let object = message.object, object["kind"]?.text == "notification",
        let delivery = object["delivery"]?.text
      else { continue }
      let name = object["url"]?.text?.split(separator: "/").last.map(String.init) ?? ""
      found[delivery, default: (0, name)].count += 1
    }
    return found
  }

  /// Which repetition of its series each delivery on the wire is; 0 for a first firing.
  func repetitions() -> [String: Int64] {
    var found: [String: Int64] = [:]
    for message in seen where message.topic.hasSuffix("/notification") {
      guard let object = message.object, object["kind"]?.text == "notification",
        let delivery = object["delivery"]?.text
      else { continue }
      found[delivery] = object["nag"]?["n"]?.whole ?? 0
    }
    return found
  }

  /// The links that the companion has reported as `failed`, by their last part.
  func failures() -> [String: String] {
    let names = notifications()
    var found: [String: String] = [:]
    for message in seen where message.topic.hasSuffix("/response") {
      guard let object = message.object, object["event"]?.text == "failed",
        let delivery = object["delivery"]?.text, let name = names[delivery]?.name
      else { continue }
      found[name] = object["detail"]?.text ?? ""
    }
    return found
  }

  /// How many times an event of a response came for a link.
  func responses(_ event: String) -> Int {
    seen.count { $0.topic.hasSuffix("/response") && $0.object?["event"]?.text == event }
  }

  func forgetSeen() throws {
    try read()
    seen = []
    try? FileManager.default.removeItem(atPath: acted)
  }
}

extension TestClient.Message {
  var object: JSONObject? {
    guard case .object(let object)? = try? JSON(parsing: payload) else { return nil }
    return object
  }

  /// What a reply says became of an id.
  func outcome(of id: String) -> String? {
    guard case .object(let ids)? = object?["ids"] else { return nil }
    return ids[id]?.text
  }

  func isOnline(_ topic: String) -> Bool { self.topic == topic && text == "online" }
}

/// A command that fires one notification, named in its link.
func command(_ name: String, more: String = "") -> [UInt8] {
  Array(#"{"title":"\#(name)","url":"act://on/\#(name)","to":"kiosk"\#(more)}"#.utf8)
}
