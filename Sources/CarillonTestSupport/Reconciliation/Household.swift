import CarillonLoop
import CarillonModel

/// A broker, a relay and companions as processes that can be ended at any time, and a ledger of what was asked of them
/// and what they did, as an onlooker on the broker and the routes' commands see it.
///
/// Publisher and onlooker outlive the broker's restarts: the publisher connects anew, and the onlooker has a session
/// that the broker keeps.
public final class Household {
  /// One of the programs.
  public enum Member: Hashable, Sendable, CustomStringConvertible {
    case relay
    /// The companion of a device.
    case companion(String)

    public var description: String {
      switch self {
      case .relay: "the relay"
      case .companion(let device): "the companion of \(device)"
      }
    }

    var statusTopic: String {
      switch self {
      case .relay: "carillon/relay/status"
      case .companion(let device): "carillon/device/\(device)/status"
      }
    }
  }

  public let broker: Broker
  public let devices: [String]
  public internal(set) var ledger: Ledger
  let directory: TemporaryDirectory
  private var publisher: TestClient?
  private var onlooker: TestClient?
  private var sent: [Int: Int64] = [:]
  private var tails: [String: FileTail] = [:]
  var programs: [Member: Program] = [:]
  /// Whether each has said last that it is online.
  var isOnline: [String: Bool] = [:]

  /// Starts the broker alone.
  ///
  /// - Parameter inMemory: whether stores and inboxes are in the machine's memory, which is faster.
  public init(devices: [String], inMemory: Bool) throws {
    broker = try Broker(persistence: true)
    directory = try TemporaryDirectory(inMemory: inMemory)
    self.devices = devices
    ledger = Ledger(devices: devices)
    for device in devices {
      let acted = directory.file("acted-\(device)")
      tails[device] = FileTail(acted)
      try directory.write(
        "routes-\(device).json5",
        """
        { routes: [{ link: "act://on/:name/:delivery", navigate: ["/{name}"],
          run: ["/bin/sh", "-c", "echo $0 $1 >> \(acted)", "{name}", "{delivery}"] }] }
        """)
    }
    try read()
  }

  // MARK: What is seen

  /// Takes in what has happened, waiting so long for more.
  public func read(for time: Duration = .zero) throws {
    do {
      let onlooker = try onlooker ?? connectOnlooker()
      try onlooker.listen(for: max(time, .milliseconds(2)))
    } catch {
      take(onlooker?.takeMessages() ?? [])
      onlooker = nil
    }
    take(onlooker?.takeMessages() ?? [])
    for device in devices {
      for line in tails[device]?.read() ?? [] { ledger.acted(line, at: device) }
    }
  }

  private func connectOnlooker() throws -> TestClient {
    let client = try TestClient(port: broker.port, id: "onlooker", isClean: false)
    onlooker = client
    for filter in ["carillon/device/#", "carillon/relay/status", "carillon/reply/#"] {
      try client.subscribe(filter)
    }
    return client
  }

  private func take(_ messages: [TestClient.Message]) {
    for message in messages {
      if message.topic.hasSuffix("/status") {
        isOnline[message.topic] = message.text == "online"
      } else {
        ledger.note(message)
      }
    }
  }

  /// Waits until something holds, taking in what happens meanwhile.
  func eventually(_ what: String, within limit: Duration = .seconds(30), _ condition: () throws -> Bool)
    throws
  {
    do {
      try CarillonTestSupport.eventually(what, within: limit) {
        try read()
        return try condition()
      }
    } catch {
      let said = programs.map { "\($0): " + $1.lines(.errors).suffix(15).joined(separator: "\n") }
      throw TestFailure("\(error)\n" + said.joined(separator: "\n"))
    }
  }

  // MARK: Commands

  /// Publishes a command, and enters it in the ledger once the broker has acknowledged it.
  ///
  /// - Returns: false where there is no broker now; the ledger knows it as not acknowledged.
  @discardableResult
  public func publish(_ command: Command) throws -> Bool {
    ledger.asks(command)
    sent[command.number] = SystemClock.elapsedMilliseconds
    do {
      let client = try publisher ?? TestClient(port: broker.port)
      publisher = client
      let reason = try client.publish(
        "carillon/command/walk", command.payload, responseTopic: command.replyTopic)
      guard reason < 0x80 else { throw TestFailure("the broker refused a command: \(reason)") }
      return true
    } catch {
      publisher = nil
      return false
    }
  }

  /// Publishes once more what has a key and no reply after so long.
  ///
  /// - Returns: how many commands that were.
  @discardableResult
  func publishAgain(after patience: Duration) throws -> Int {
    let old = SystemClock.elapsedMilliseconds - patience.wholeMilliseconds
    let late = ledger.unanswered.values.filter { $0.hasKey && sent[$0.number] ?? 0 < old }
    for command in late.sorted(by: { $0.number < $1.number }) { try publish(command) }
    return late.count
  }
}
