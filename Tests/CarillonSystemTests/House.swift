import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc

/// A broker, a relay and its publishers' client, as separate processes: what a household has.
final class House {
  let broker: Broker
  /// Holds the relay's store and its home.
  let folder: TemporaryDirectory
  /// Publishes, and sees what it has subscribed to.
  private(set) var client: TestClient
  private(set) var relay: Program?
  private let relayArguments: [String]
  private let port: UInt16
  private var asked = 0

  /// - Parameters:
  ///   - relay: further arguments for the relay; its zone is Europe/Berlin unless they say otherwise.
  ///   - configuration: lines for Mosquitto.
  ///   - start: false: the relay is started by the test.
  ///   - address: another of this machine's addresses at which the broker listens.
  init(
    relay arguments: [String] = [], configuration: String = "", persistence: Bool = false, start: Bool = true,
    also address: String? = nil
  ) throws {
    broker = try Broker(configuration: configuration, persistence: persistence, also: address)
    folder = try TemporaryDirectory(inMemory: true)
    port = broker.port
    client = try TestClient(port: broker.port)
    relayArguments = arguments
    try client.subscribe("carillon/reply/#")
    if start { try startRelay() }
  }

  var store: String { folder.file("relay.db") }

  /// Starts the relay, and returns once it takes commands.
  ///
  /// - Parameters:
  ///   - url: where it finds the broker; nil: directly.
  ///   - fault: the place at which it is to kill itself.
  @discardableResult
  func startRelay(
    _ more: [String] = [], url: String? = nil, fault: String? = nil, environment: [String: String] = [:],
    isReady: Bool = true
  ) throws -> Program {
    let home = try TemporaryDirectory(inMemory: true)
    var arguments = ["relay", "--broker", url ?? broker.url, "--store", "sqlite:\(store)"]
    if !relayArguments.contains("--timezone") { arguments += ["--timezone", "Europe/Berlin"] }
    let program = try Program(
      arguments + relayArguments + more,
      environment: environment.merging(fault.map { ["CARILLON_FAULT": $0] } ?? [:]) { $1 }, home: home)
    relay = program
    if isReady { try waitForStatus("relay", "online") }
    return program
  }

  /// Ends the relay in order.
  func stopRelay() throws {
    relay?.terminate()
    let exit = try relay?.waitForExit()
    guard exit == .exited(0) else { throw TestFailure("the relay ended with \(String(describing: exit))") }
    relay = nil
  }

  func killRelay() throws {
    relay?.kill()
    try relay?.waitForExit()
    relay = nil
  }

  /// Waits until the retained status of `relay` or `device/NAME` is that one.
  func waitForStatus(_ who: String, _ status: String, within limit: Duration = .seconds(20)) throws {
    try eventually("\(who) to be \(status)", within: limit) {
      try retained("carillon/\(who)/status")?.text == status
    }
  }

  /// Waits until the relay too has seen that a device is gone: the broker tells a newcomer first.
  func waitForAbsence(_ device: String) throws {
    try eventually("\(device) to be away for the relay") {
      let items = try command(#"{"command":"devices","limit":1000}"#)["items"]?.elements ?? []
      return items.first { $0["name"]?.text == device }?["online"] == false
    }
  }

  /// What a fresh subscriber finds under a topic; nil where nothing is retained.
  func retained(_ topic: String) throws -> TestClient.Message? {
    let onlooker = try TestClient(port: port)
    try onlooker.subscribe(topic)
    // The SUBACK comes first, the retained message right after it; a message of its own shows that none came.
    let mark = "carillon/mark/\(UInt64.random(in: 0 ... .max))"
    try onlooker.subscribe(mark)
    try onlooker.publish(mark, "end")
    let first = try onlooker.waitForMessage { $0.topic == topic && $0.isRetained || $0.topic == mark }
    return first.topic == mark ? nil : first
  }

  /// Gives the publishers a connection again, after the broker was away.
  func reconnect() throws {
    client = try TestClient(port: port)
    try client.subscribe("carillon/reply/#")
  }

  // MARK: Commands

  /// Sends a command with a response topic and waits for its reply.
  @discardableResult
  func ask(_ command: String, as publisher: String? = nil, within limit: Duration = .seconds(20)) throws
    -> JSON
  {
    try ask(Array(command.utf8), as: publisher, within: limit)
  }

  @discardableResult
  func ask(_ command: [UInt8], as publisher: String? = nil, within limit: Duration = .seconds(20)) throws
    -> JSON
  {
    asked += 1
    let level = publisher.map { "/\($0)" } ?? ""
    let topic = "carillon/reply\(level)/test-\(asked)"
    let correlation = Array("correlation \(asked)".utf8)
    try client.publish(
      "carillon/command\(level)", command, responseTopic: topic, correlationData: correlation)
    let reply = try client.waitForMessage(on: topic, within: limit)
    guard reply.correlationData == correlation else { throw TestFailure("another correlation: \(reply)") }
    return try JSON(parsing: reply.payload)
  }

  /// Sends a command that is to be accepted.
  @discardableResult
  func command(_ command: String, as publisher: String? = nil) throws -> JSON {
    let reply = try ask(command, as: publisher)
    guard reply["ok"] == true else { throw TestFailure("\(command) was refused: \(reply.written)") }
    return reply
  }

  /// What `pending` lists, by id.
  func pending() throws -> [String] {
    try command(#"{"command":"pending","limit":10000}"#)["items"]?.elements?.compactMap { $0["id"]?.text }
      ?? []
  }

  /// What `delivered` lists of an id, newest first.
  func delivered(_ id: String) throws -> [JSON] {
    try command(#"{"command":"delivered","ids":["\#(id)"]}"#)["items"]?.elements ?? []
  }

  /// Waits for the state of the newest firing of an id at a device.
  func waitForState(
    _ id: String, _ state: String, at device: String = "desk", within limit: Duration = .seconds(20)
  ) throws {
    var seen: String?
    do {
      try eventually("the state", within: limit) {
        seen = try delivered(id).first?["devices"]?[device]?["state"]?.text
        return seen == state
      }
    } catch {
      throw TestFailure("\(id) at \(device) is \(seen ?? "nothing"), not \(state)")
    }
  }

  // MARK: Companions

  /// Starts a companion, and returns once it has announced itself.
  ///
  /// - Parameters:
  ///   - routes: a routes file's text.
  ///   - home: of a companion before, for its inbox.
  func companion(
    _ device: String = "desk", routes: String? = nil, _ arguments: [String] = [],
    home: TemporaryDirectory? = nil, environment: [String: String] = [:], isReady: Bool = true
  ) throws -> Program {
    let home = try home ?? TemporaryDirectory(inMemory: true)
    var all = ["companion", "--broker", broker.url, "--device", device, "--json"]
    if let routes { all += ["--routes", try home.write("routes.json5", routes)] }
    let program = try Program(all + arguments, environment: environment, home: home)
    if isReady { try waitForStatus("device/\(device)", "online") }
    return program
  }

  /// A device played by the test: `status` online and a subscription to its notifications.
  func device(_ name: String) throws -> TestClient {
    let device = try TestClient(port: broker.port)
    try device.subscribe("carillon/device/\(name)/notification")
    try device.publish("carillon/device/\(name)/status", "online", retain: true)
    return device
  }

  /// Answers for a device.
  func respond(_ device: String, _ delivery: String, _ event: String, _ more: String = "") throws {
    try client.publish(
      "carillon/device/\(device)/response", #"{"delivery":"\#(delivery)","event":"\#(event)"\#(more)}"#)
  }

  /// Runs the command line against this broker until it ends.
  func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Run {
    var variables = ["CARILLON_BROKER": broker.url]
    variables.merge(environment) { $1 }
    return try Run(arguments, environment: variables)
  }
}

/// A command line that has ended.
struct Run {
  var status: ChildExit
  var output: [String]
  var errors: [String]

  init(
    _ arguments: [String], environment: [String: String] = [:], within limit: Duration = .seconds(30)
  ) throws {
    let program = try Program(arguments, environment: environment)
    status = try program.waitForExit(within: limit)
    output = program.lines(.output)
    errors = program.lines(.errors)
  }

  /// The lines as JSON objects.
  var json: [JSON] { get throws { try output.map { try JSON(parsing: Array($0.utf8)) } } }

  var text: String { (output + errors).joined(separator: "\n") }
}

extension JSON {
  /// As compact JSON text.
  var written: String { String(decoding: encoded, as: UTF8.self) }

  /// A whole number's value.
  var whole: Int64? { if case .integer(let number) = self { number } else { nil } }

  /// What a refusal says; nil for a reply that is none.
  var code: String? { self["error"]?["code"]?.text }
  var path: String? { self["error"]?["path"]?.text }

  init(line: String) throws { try self.init(parsing: Array(line.utf8)) }
}

extension TestClient.Message {
  var json: JSON { get throws { try JSON(parsing: payload) } }
}

extension Program {
  /// The objects that a companion has printed.
  var events: [JSON] { get throws { try lines().map { try JSON(line: $0) } } }

  /// The objects of one kind, of one request where `id` is given.
  func events(_ kind: String, _ id: String? = nil) throws -> [JSON] {
    try events.filter { $0["event"]?.text == kind && (id == nil || $0["id"]?.text == id) }
  }

  /// Waits for the n-th object of a kind.
  @discardableResult
  func event(_ kind: String, _ id: String? = nil, number: Int = 1, within limit: Duration = .seconds(20))
    throws -> JSON
  {
    do {
      try eventually("event \(kind)", within: limit) { try events(kind, id).count >= number }
    } catch {
      throw TestFailure("\(error); printed: \(lines().joined(separator: "\n")); said: \(lines(.errors))")
    }
    return try events(kind, id)[number - 1]
  }

  /// Ends it in order.
  func stop() throws {
    terminate()
    let exit = try waitForExit()
    guard exit == .exited(0) else { throw TestFailure("it ended with \(exit)") }
  }
}
