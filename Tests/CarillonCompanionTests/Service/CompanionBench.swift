import CarillonLinks
import CarillonLoop
import CarillonMQTT
import CarillonModel
import CarillonTestSupport
import Glibc

@testable import CarillonCompanion

/// A companion on a loop of its own, a real broker, and a client that plays the relay; all on the test's thread.
final class CompanionBench {
  let broker: Broker
  let folder: TemporaryDirectory
  let relay: TestClient
  private(set) var loop: EventLoop
  private(set) var companion: Companion?
  /// What the companion logged.
  private(set) var logged: [String] = []
  private var descriptor: Int32
  private let routes: JSON
  private let execute: Bool
  private let format: LineFormat

  /// - Parameter descriptor: where lines go, closed at the end; default a file of its own.
  init(
    routes: JSON = ["routes": []], execute: Bool = false, format: LineFormat = .json, descriptor: Int32 = -1
  ) throws {
    broker = try Broker()
    folder = try TemporaryDirectory()
    loop = try EventLoop()
    relay = try TestClient(port: broker.port)
    self.routes = routes
    self.execute = execute
    self.format = format
    self.descriptor = descriptor
    try relay.subscribe("carillon/device/desk/response")
    try relay.subscribe("carillon/device/desk/status")
    try relay.subscribe("carillon/device/desk/profile")
  }

  deinit {
    companion = nil
    if descriptor >= 0 { close(descriptor) }
  }

  /// Starts a companion; the one before must be gone.
  func start() throws {
    loop = try EventLoop()
    if descriptor < 0 {
      descriptor = open(folder.file("output"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    }
    let companion = try make()
    self.companion = companion
    try companion.start()
  }

  /// A companion on the same folder.
  func make() throws -> Companion {
    var configuration = CompanionConfiguration()
    configuration.broker = BrokerAddress(host: "127.0.0.1", port: broker.port)
    configuration.execute = execute
    var appearance = Companion.Appearance()
    appearance.format = format
    appearance.output = descriptor
    appearance.version = "test"
    let log = Log(level: .debug) { [unowned self] in logged.append($0) }
    return try Companion(
      configuration, device: try Name("desk"), state: folder.file("state"),
      router: try Router(reading: routes),
      loop: loop, log: log, appearance: appearance)
  }

  /// Takes it away without a word, as a kill would.
  func drop() { companion = nil }

  func startOnline() throws {
    try start()
    try until("online") { status.last == "online" }
  }

  /// Lets companion and client work until the condition holds.
  func until(_ what: String, within limit: Duration = .seconds(20), _ condition: () throws -> Bool) throws {
    let deadline = Deadline(after: limit)
    while try !condition() {
      guard !deadline.hasPassed else {
        throw TestFailure(
          "\(what) did not come; log \(logged), output \(lines), responses \(try responses())")
      }
      try work()
    }
  }

  /// Lets both work for a moment.
  func work() throws {
    while companion != nil, try loop.turn(waiting: .zero) {}
    if companion != nil { _ = try loop.turn(waiting: .milliseconds(2)) }
    try relay.listen(for: .milliseconds(2))
  }

  func send(_ text: String, retain: Bool = false) throws {
    try relay.publish("carillon/device/desk/notification", text, retain: retain)
  }

  func notify(_ delivery: String, url: String? = nil) throws {
    let link = url.map { #","url":"\#($0)""# } ?? ""
    try send(#"{"kind":"notification","delivery":"\#(delivery)","id":"\#(delivery)","title":"T"\#(link)}"#)
  }

  /// What the companion printed, as `event delivery` of each line.
  var lines: [String] {
    (folder.read("output") ?? "").split(separator: "\n").map { line in
      guard let json = try? JSON(parsing: Array(line.utf8)) else { return String(line) }
      let step = json["to"]?.text.map { " \($0)" } ?? ""
      return "\(json["event"]?.text ?? "?") \(json["delivery"]?.text ?? "?")\(step)"
    }
  }

  /// What the companion answered, as `delivery event` of each response, in order.
  func responses() throws -> [String] {
    try relay.messages.filter { $0.topic == "carillon/device/desk/response" }.map {
      let response = try Response(parsing: $0.payload)
      let detail = response.event == .opened ? nil : response.detail
      return "\(response.delivery) \(response.event.rawValue)\(detail.map { ": \($0)" } ?? "")"
    }
  }

  var status: [String] { relay.messages.filter { $0.topic == "carillon/device/desk/status" }.map(\.text) }

  /// What a newcomer finds on a topic.
  func retained(_ leaf: String) throws -> String? {
    let newcomer = try TestClient(port: broker.port)
    try newcomer.subscribe("carillon/device/desk/\(leaf)")
    return try? newcomer.waitForMessage(within: .milliseconds(500)).text
  }
}
