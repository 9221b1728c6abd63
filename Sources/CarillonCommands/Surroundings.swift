import CPOSIX
import CarillonLoop
import CarillonModel
import Glibc

/// What a verb finds around it. Tests give their own, so that every verb runs inside a test.
public struct Surroundings {
  public var environment: [String: String]
  public var console: Console
  /// The folder of the machine's configuration files.
  public var systemConfiguration: String
  /// The wall clock.
  public var now: () -> WallTime
  /// Reads all of standard input.
  public var standardInput: () -> [UInt8]?

  public init(
    environment: [String: String], console: Console, systemConfiguration: String = "/etc/carillon",
    now: @escaping () -> WallTime, standardInput: @escaping () -> [UInt8]? = { nil }
  ) {
    self.environment = environment
    self.console = console
    self.systemConfiguration = systemConfiguration
    self.now = now
    self.standardInput = standardInput
  }
}

extension Surroundings {
  /// Whether a session bus has an address here, so that there may be a desktop.
  var hasSessionBus: Bool {
    if environment["DBUS_SESSION_BUS_ADDRESS"]?.isEmpty == false { return true }
    guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return false }
    return access("\(folder)/bus", F_OK) == 0
  }

  /// Those of the process.
  static func process() -> Surroundings {
    Surroundings(
      environment: variables(), console: .standard(),
      now: { WallTime(milliseconds: SystemClock.wallMilliseconds) },
      standardInput: { readAll(STDIN_FILENO, limit: ConfigurationFile.sizeLimit) })
  }

  private static func variables() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = carillon_environment()
    while let text = entry?.pointee {
      let line = String(cString: text)
      if let sign = line.firstIndex(of: "=") {
        variables[String(line[..<sign])] = String(line[line.index(after: sign)...])
      }
      entry = entry?.advanced(by: 1)
    }
    return variables
  }
}
