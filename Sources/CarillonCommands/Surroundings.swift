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
