import CarillonLoop
import Glibc

/// The built `carillon` as a process, its output captured line by line. It ends with this object.
///
/// Its standard output and error go to files of their own, which take any amount without anybody reading. HOME and
/// the XDG folders are in a directory of its own.
public final class Program {
  /// Its HOME, its working directory, and where its output is.
  public let home: TemporaryDirectory
  private let process: ChildProcess
  private var output: LineReader
  private var errors: LineReader
  private var input: Int32?

  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - environment: set besides the variables of the test.
  ///   - executable: another program; nil: `carillon` from beside the test bundle, or what CARILLON_BINARY names.
  ///   - home: shared with another program; nil: a new one.
  ///   - takesInput: true: `send` writes to its standard input; false: that is `/dev/null`.
  public init(
    _ arguments: [String], environment: [String: String] = [:], executable: String? = nil,
    home: TemporaryDirectory? = nil, takesInput: Bool = false
  ) throws {
    let home = try home ?? TemporaryDirectory(inMemory: true)
    self.home = home
    output = try LineReader(directory: home, name: "stdout")
    errors = try LineReader(directory: home, name: "stderr")
    var variables = ["HOME": home.path, "TERM": "dumb"]
    for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"] {
      variables[name] = home.file(".\(name.lowercased())")
    }
    variables.merge(environment) { $1 }
    var spawn = Spawn([try executable ?? Program.carillon()] + arguments, environment: variables)
    spawn.workingDirectory = home.path
    spawn.standardOutput = output.writingEnd
    spawn.standardError = errors.writingEnd
    var ends: [Int32] = [-1, -1]
    if takesInput, pipe(&ends) == 0 {
      spawn.standardInput = ends[0]
      input = ends[1]
    }
    process = try ChildProcess(spawn)
    if takesInput { close(ends[0]) }
  }

  deinit { if let input { close(input) } }

  public var pid: pid_t { process.pid }

  public enum Stream {
    case output
    case errors
  }

  /// The complete lines so far.
  public func lines(_ stream: Stream = .output) -> [String] {
    stream == .output ? output.read() : errors.read()
  }

  /// The first line that fits, of those from `start` on.
  ///
  /// - Throws: `TestFailure`, with what the program has said, where none comes within `limit` or the program ends.
  @discardableResult
  public func wait(
    for what: String = "a line", within limit: Duration = .seconds(30), on stream: Stream = .output,
    from start: Int = 0, _ fits: (String) -> Bool
  ) throws -> String {
    let deadline = Deadline(after: limit)
    var next = start
    while true {
      let hasEnded = process.status != nil
      let lines = lines(stream)
      if let found = lines.dropFirst(next).first(where: fits) { return found }
      next = max(next, lines.count)
      if hasEnded || deadline.hasPassed {
        throw failure("\(what) did not come", hasEnded ? "it ended" : "\(limit)")
      }
      // A file does not tell that it has grown, so it is looked at again.
      usleep(1000)
    }
  }

  /// Writes one line to its standard input.
  public func send(_ line: String) throws {
    guard let input else { throw TestFailure("this program takes no input") }
    var text = line + "\n"
    let count = text.withUTF8 { write(input, $0.baseAddress, $0.count) }
    guard count == text.utf8.count else { throw TestFailure("the program takes no more input") }
  }

  /// Ends its standard input.
  public func closeInput() {
    if let input { close(input) }
    input = nil
  }

  /// Asks it to end (SIGTERM).
  public func terminate() { process.kill(SIGTERM) }

  /// Ends it at once (SIGKILL).
  public func kill() { process.kill(SIGKILL) }

  public func signal(_ number: Int32) { process.kill(number) }

  public var hasEnded: Bool { process.status != nil }

  /// - Throws: `TestFailure`, with what the program has said, where it still runs after `limit`.
  @discardableResult
  public func waitForExit(within limit: Duration = .seconds(30)) throws -> ChildExit {
    do {
      return try process.waitForExit(within: limit)
    } catch {
      throw failure("it has not ended", "\(limit)")
    }
  }

  private func failure(_ what: String, _ after: String) -> TestFailure {
    let said = lines(.output).suffix(20).joined(separator: "\n")
    let complained = lines(.errors).suffix(20).joined(separator: "\n")
    let place = process.status == nil ? ProcessTree.place(of: pid) : ""
    return TestFailure("\(what) (\(after))\(place).\nstdout:\n\(said)\nstderr:\n\(complained)")
  }

  /// The executable beside the test bundle, in the build directory of the same configuration.
  public static func carillon() throws -> String {
    if let path = getenv("CARILLON_BINARY") { return String(cString: path) }
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    guard length > 0 else { throw TestFailure("cannot find the test bundle") }
    let bundle = String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let path = bundle.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/carillon"
    guard access(path, X_OK) == 0 else { throw TestFailure("\(path) is not built") }
    return path
  }
}
