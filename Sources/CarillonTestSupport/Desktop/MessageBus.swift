import CarillonLoop
import Glibc

/// A message bus of one test: a real dbus-daemon with a socket in a directory of its own. It serves as session bus or
/// as system bus, and ends with this object.
public final class MessageBus {
  public let directory: TemporaryDirectory
  private var process: ChildProcess?

  /// - Throws: where dbus-daemon is not installed or does not start.
  public init() throws {
    directory = try TemporaryDirectory(inMemory: true)
    try directory.write("bus.conf", configuration)
    try start()
  }

  private var configuration: String {
    """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
      "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>session</type>
      <listen>\(address)</listen>
      <auth>EXTERNAL</auth>
      <servicedir>\(directory.path)</servicedir>
      <policy context="default">
        <allow send_destination="*" eavesdrop="true"/>
        <allow eavesdrop="true"/>
        <allow own="*"/>
      </policy>
    </busconfig>
    """
  }

  /// For DBUS_SESSION_BUS_ADDRESS and the like.
  public var address: String { "unix:path=\(socket)" }

  private var socket: String { directory.file("bus") }

  /// The variables by which programs find it as their session bus.
  public var environment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": address] }

  /// Starts it where it does not run; it listens when this returns.
  public func start() throws {
    guard process?.status != nil || process == nil else { return }
    var spawn = Spawn([
      "dbus-daemon", "--nofork", "--nopidfile", "--print-address=1",
      "--config-file=\(directory.file("bus.conf"))",
    ])
    // It tells its address once it listens; its socket is there a little earlier.
    var output = try LineReader(directory: directory, name: "address")
    spawn.standardOutput = output.writingEnd
    let errors = open(directory.file("bus.log"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { close(errors) }
    spawn.standardError = errors
    let process = try ChildProcess(spawn)
    self.process = process
    try eventually("the message bus") {
      guard process.status == nil else { throw TestFailure("the bus has ended: \(log)") }
      return !output.read().isEmpty
    }
  }

  private var log: String { directory.read("bus.log") ?? "" }

  /// Ends it at once, and everybody's connection with it.
  public func kill() {
    process?.kill(SIGKILL)
    _ = try? process?.waitForExit()
    process = nil
  }

  public func restart() throws {
    kill()
    try start()
  }

  /// Stops it without closing anything; `thaw` lets it go on.
  public func freeze() { process?.kill(SIGSTOP) }

  public func thaw() { process?.kill(SIGCONT) }

  /// Lets the bus start a program when somebody calls a name that nobody owns.
  public func makeStartable(_ name: String, command: String) throws {
    try directory.write("\(name).service", "[D-BUS Service]\nName=\(name)\nExec=\(command)\n")
  }
}
