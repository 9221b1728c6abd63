import CarillonLoop
import FoundationEssentials
import Glibc

/// What the demo stands on: a temporary folder, the programs that were started, and the signals that end it.
/// Whatever happens, `clear` leaves nothing behind.
final class DemoStage {
  let folder: String
  private let console: Console
  private let loop: EventLoop
  private let variables: [String: String]
  private var signals: [SignalWatch] = []
  private var processes: [DemoProcess] = []
  private var isInterrupted = false

  /// The signals that end it early.
  private static let endings = [SIGINT, SIGTERM, SIGHUP]

  /// Who speaks stands in a column of its own.
  private static let column = 8

  init(_ console: Console, _ environment: [String: String]) throws {
    self.console = console
    loop = try EventLoop()
    // From here on a signal waits for its handler, so that the folder is never left behind.
    var held = sigset_t()
    sigemptyset(&held)
    for number in DemoStage.endings { sigaddset(&held, number) }
    pthread_sigmask(SIG_BLOCK, &held, nil)
    var template = Array(((environment["TMPDIR"] ?? "/tmp") + "/carillon-demo-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Failure(.failure, "cannot make a temporary folder: \(systemMessage(errno))")
    }
    folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    variables = DemoStage.clean(environment, folder)
    signals = try DemoStage.endings.map {
      try loop.signal($0) { [unowned self] in isInterrupted = true }
    }
    try write("empty.json5", "{}\n")
  }

  /// The settings of this machine have no say in the demo; an empty variable counts as none.
  private static func clean(_ environment: [String: String], _ folder: String) -> [String: String] {
    var variables: [String: String] = [:]
    for name in environment.keys where name.hasPrefix("CARILLON_") || name == "JOURNAL_STREAM" {
      variables[name] = ""
    }
    variables["CARILLON_CONFIG"] = folder + "/empty.json5"
    return variables
  }

  func write(_ name: String, _ text: String) throws {
    guard let file = fopen("\(folder)/\(name)", "w") else {
      throw Failure(.failure, "cannot write \(folder)/\(name): \(systemMessage(errno))")
    }
    fputs(text, file)
    fclose(file)
  }

  /// A line of the one who speaks; a prompt marks what is typed.
  func say(_ name: String, _ line: String, mark: String = "|") {
    console.print(
      name + String(repeating: " ", count: max(1, DemoStage.column - name.count)) + mark + " " + line)
  }

  func start(
    _ name: String, _ arguments: [String], _ more: [String: String] = [:], shown: Bool = true
  ) throws -> DemoProcess {
    let process = try DemoProcess(
      name, arguments, environment: variables.merging(more) { $1 }, loop: loop
    ) { [unowned self] line in
      if shown { say(name, line) }
    }
    processes.append(process)
    return process
  }

  /// Waits until something is so.
  ///
  /// - Returns: whether it was so within the time.
  /// - Throws: `Failure` once the demo is told to end.
  func wait(_ limit: Duration, until isSo: () throws -> Bool) throws -> Bool {
    let deadline = SystemClock.elapsedMilliseconds + limit.wholeMilliseconds
    while true {
      if isInterrupted { throw Failure(.failure, "interrupted") }
      if try isSo() { return true }
      guard SystemClock.elapsedMilliseconds < deadline else { return false }
      try loop.turn(waiting: .milliseconds(50))
    }
  }

  /// Ends every program, the last one first, by TERM and then by KILL; removes the folder.
  func clear() {
    let patience = 3000
    for (signal, limit) in [(SIGTERM, patience), (SIGKILL, patience)] {
      for process in processes.reversed() { process.send(signal) }
      let deadline = SystemClock.elapsedMilliseconds + Int64(limit)
      while processes.contains(where: { $0.exit == nil }), SystemClock.elapsedMilliseconds < deadline {
        guard (try? loop.turn(waiting: .milliseconds(50))) != nil else { break }
      }
    }
    processes = []
    try? FileManager.default.removeItem(atPath: folder)
  }
}

extension Duration {
  fileprivate var wholeMilliseconds: Int64 {
    Int64(components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
  }
}
