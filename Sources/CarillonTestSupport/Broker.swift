import CarillonLoop
import Glibc

/// A real Mosquitto on a free port of the loopback address, with a directory of its own. It ends with this object.
public final class Broker {
  public private(set) var port: UInt16 = 0
  /// Holds its configuration, its log and its database.
  public let directory: TemporaryDirectory
  private var process: ChildProcess?
  /// A second address that it listens on.
  private let address: String?

  /// - Parameters:
  ///   - extra: lines for its configuration. `allow_anonymous true` and `max_queued_messages 1000000` are there
  ///     unless `extra` names them.
  ///   - persistence: true: what it holds survives `stop` and `restart`.
  ///   - address: another of this machine's addresses at which it listens, on the same port.
  /// - Throws: where Mosquitto is not installed or does not start.
  public init(configuration extra: String = "", persistence: Bool = false, also address: String? = nil) throws
  {
    self.address = address
    directory = try TemporaryDirectory()
    // Somebody else may take the port between the look and the start.
    var attempts = 0
    repeat {
      attempts += 1
      port = try Loopback.freePort()
      try directory.write("mosquitto.conf", configuration(extra, persistence))
      do { try start() } catch  where attempts < 5 {}
    } while process?.status != nil
  }

  private func configuration(_ extra: String, _ persistence: Bool) -> String {
    var lines = ["listener \(port) 127.0.0.1", "log_dest file \(directory.file("mosquitto.log"))"]
    if let address { lines.append("listener \(port) \(address)") }
    lines.append("connection_messages true")
    if geteuid() == 0 { lines.append("user root") }
    if !extra.contains("allow_anonymous") { lines.append("allow_anonymous true") }
    if !extra.contains("max_queued_messages") { lines.append("max_queued_messages 1000000") }
    if persistence { lines += ["persistence true", "persistence_location \(directory.path)/"] }
    return (lines + [extra, ""]).joined(separator: "\n")
  }

  /// For `--broker` and the like.
  public var url: String { "mqtt://127.0.0.1:\(port)" }

  /// The same at its second address.
  public var otherURL: String { "mqtt://\(address ?? "127.0.0.1"):\(port)" }

  /// What it has logged so far.
  public var log: String { directory.read("mosquitto.log") ?? "" }

  /// Starts it where it does not run; it listens when this returns.
  public func start() throws {
    guard process?.status != nil || process == nil else { return }
    let spawn = Spawn([try Broker.program(), "-c", directory.file("mosquitto.conf")])
    let starts = self.starts
    let process = try ChildProcess(spawn)
    self.process = process
    // Its own word for it: whoever accepts connections on the port may be another.
    try eventually("the broker on port \(port)") {
      guard process.status == nil else { throw TestFailure("the broker has ended: \(log)") }
      return self.starts > starts
    }
  }

  /// How often it has said that it listens.
  private var starts: Int {
    log.split(separator: "\n").count { $0.contains("mosquitto version") && $0.hasSuffix("running") }
  }

  /// Ends it in order: with persistence it writes its database.
  public func stop() {
    process?.kill(SIGTERM)
    _ = try? process?.waitForExit()
    process = nil
  }

  /// Ends it at once: what it had not written is lost.
  public func kill() {
    process?.kill(SIGKILL)
    _ = try? process?.waitForExit()
    process = nil
  }

  public func restart() throws {
    stop()
    try start()
  }

  /// Makes it read its password file again.
  public func reload() { process?.kill(SIGHUP) }

  /// Stops it without closing anything; `thaw` lets it go on.
  public func freeze() { process?.kill(SIGSTOP) }

  public func thaw() { process?.kill(SIGCONT) }

  private static func program() throws -> String {
    let folders = (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":").map(String.init)
    for folder in folders + ["/usr/sbin", "/usr/local/sbin"] where access("\(folder)/mosquitto", X_OK) == 0 {
      return "\(folder)/mosquitto"
    }
    throw TestFailure("mosquitto is not installed")
  }
}
