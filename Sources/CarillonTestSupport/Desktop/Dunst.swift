import CarillonLoop
import FoundationEssentials
import Glibc

/// A real dunst on a screen of its own (Xvfb), as the notification service of a bus. Both end with this object.
public final class Dunst {
  /// What dunst keeps of a notification that has gone from the screen.
  public struct Past: Hashable, Sendable {
    public var summary: String
    public var body: String
    /// The markup that it has shown, of summary and body.
    public var message: String
    public var icon: String
    public var number: Int
  }

  public let bus: MessageBus
  public let directory: TemporaryDirectory
  private let screen: ChildProcess
  private var process: ChildProcess?
  /// For programs that look at the screen.
  public let display: String

  /// - Parameters:
  ///   - global: lines for the section `[global]` of its configuration.
  ///   - rest: further sections.
  /// - Throws: where Xvfb or dunst is not installed or does not start.
  public init(_ bus: MessageBus, global: String = "", rest: String = "") throws {
    self.bus = bus
    let directory = try TemporaryDirectory()
    self.directory = directory
    var output = try LineReader(directory: directory, name: "display")
    var spawn = Spawn([
      "Xvfb", "-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset",
    ])
    spawn.standardOutput = output.writingEnd
    spawn.standardError = output.writingEnd
    let screen = try ChildProcess(spawn)
    self.screen = screen
    var number: Int?
    try eventually("the screen", within: .seconds(20)) {
      guard screen.status == nil else { throw TestFailure("Xvfb has ended: \(output.read())") }
      number = output.read().compactMap { Int($0) }.first
      return number != nil
    }
    display = ":\(number ?? 0)"
    // dunst asks this program which action a person wants: it gives the titles on standard input, one a line.
    let menu = try directory.write(
      "menu", "#!/bin/sh\nexec grep -F \"$(cat '\(directory.file("choice"))')\"\n")
    chmod(menu, 0o700)
    try directory.write("dunstrc", "[global]\n  dmenu = \(menu)\n\(global)\n\(rest)\n")
    try start()
  }

  /// HOME, screen and bus.
  public var environment: [String: String] {
    var variables = bus.environment
    variables["DISPLAY"] = display
    variables["HOME"] = directory.path
    for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"] {
      variables[name] = directory.path
    }
    return variables
  }

  /// How the bus starts it, for `MessageBus.makeStartable`.
  public static func command(_ dunst: Dunst) -> String {
    "/usr/bin/env DISPLAY=\(dunst.display) HOME=\(dunst.directory.path) /usr/bin/dunst -conf \(dunst.file)"
  }

  private var file: String { directory.file("dunstrc") }

  /// Starts it where it does not run; it answers when this returns.
  public func start() throws {
    guard process?.status != nil || process == nil else { return }
    var spawn = Spawn(["dunst", "-conf", file], environment: environment)
    let errors = open(directory.file("dunst.log"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { Glibc.close(errors) }
    spawn.standardOutput = errors
    spawn.standardError = errors
    let process = try ChildProcess(spawn)
    self.process = process
    try eventually("dunst", within: .seconds(20)) {
      guard process.status == nil else {
        throw TestFailure("dunst has ended: \(directory.read("dunst.log") ?? "")")
      }
      return try control(["is-paused"], mayFail: true) == ["false"]
    }
  }

  /// Ends it at once.
  public func kill() {
    process?.kill(SIGKILL)
    _ = try? process?.waitForExit()
    process = nil
  }

  /// A person taps the newest bubble.
  public func tap() throws { try control(["action", "0"]) }

  /// A person dismisses the newest bubble.
  public func dismiss() throws { try control(["close"]) }

  /// A person chooses a button from dunst's menu.
  public func choose(_ title: String) throws {
    try directory.write("choice", title)
    try control(["context"])
  }

  /// How many bubbles are on the screen.
  public func displayed() throws -> Int { Int(try control(["count", "displayed"]).first ?? "") ?? -1 }

  /// What has gone from the screen, the newest first.
  public func history() throws -> [Past] {
    let text = try control(["history"]).joined(separator: "\n")
    let answer = try JSONDecoder().decode(History.self, from: Data(text.utf8))
    return (answer.data.first ?? []).map {
      Past(
        summary: $0.summary.data, body: $0.body.data, message: $0.message.data, icon: $0.icon.data,
        number: $0.id.data)
    }
  }

  /// Runs dunst's control program.
  @discardableResult
  private func control(_ arguments: [String], mayFail: Bool = false) throws -> [String] {
    let program = try Program(arguments, environment: environment, executable: "dunstctl")
    let status = try program.waitForExit()
    guard mayFail || status == .exited(0) else {
      throw TestFailure("dunstctl \(arguments): \(program.lines(.errors))")
    }
    return program.lines().map { $0.filter { $0 != " " || arguments == ["history"] } }
  }
}

/// The answer of `dunstctl history`, as busctl writes it.
private struct History: Decodable {
  struct Text: Decodable { var data: String }
  struct Number: Decodable { var data: Int }
  struct Entry: Decodable {
    var summary: Text
    var body: Text
    var message: Text
    var icon: Text
    var id: Number

    enum CodingKeys: String, CodingKey {
      case summary, body, message, id
      case icon = "icon_path"
    }
  }
  var data: [[Entry]]
}
