import CPOSIX
import Glibc

/// Starts a program from a list of arguments. No shell is involved, so a byte in an argument is only that byte.
///
/// The child is the leader of a process group of its own, so that it can be ended with its children; it gets no
/// descriptor but the three standard ones, no blocked signal and no handler.
public struct Spawn: Sendable {
  /// The program, looked up in PATH where it has no slash, and its arguments.
  public var arguments: [String]
  /// Variables that are set besides those of this process.
  public var environment: [String: String]
  /// nil: the one of this process.
  public var workingDirectory: String?
  /// Descriptors for the three standard ones; nil is `/dev/null` for input, and the one of this process for the others.
  public var standardInput: Int32?
  public var standardOutput: Int32?
  public var standardError: Int32?

  public init(_ arguments: [String], environment: [String: String] = [:]) {
    self.arguments = arguments
    self.environment = environment
  }

  /// Starts it.
  ///
  /// - Returns: the process's number. Somebody must wait for it, or it stays as a zombie (`EventLoop.child`).
  /// - Throws: where there is no such program (ENOENT), it may not be run (EACCES), or an argument or variable holds
  ///   a NUL or is missing (EINVAL).
  public func start() throws(LoopError) -> pid_t {
    guard let program = arguments.first, !program.isEmpty else {
      throw LoopError("cannot run a program without a name", EINVAL)
    }
    let variables = try mergedEnvironment()
    for text in arguments + variables where text.utf8.contains(0) {
      throw LoopError("cannot run \(program): an argument or variable holds a NUL", EINVAL)
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    prepare(&actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    reset(&attributes)

    var pid: pid_t = 0
    let result = withCStrings(arguments) { arguments in
      withCStrings(variables) { variables in
        posix_spawnp(&pid, program, &actions, &attributes, arguments, variables)
      }
    }
    if result != 0 { throw LoopError("cannot run \(program)", result) }
    return pid
  }

  private func prepare(_ actions: inout posix_spawn_file_actions_t) {
    if let standardInput {
      posix_spawn_file_actions_adddup2(&actions, standardInput, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    if let standardOutput { posix_spawn_file_actions_adddup2(&actions, standardOutput, STDOUT_FILENO) }
    if let standardError { posix_spawn_file_actions_adddup2(&actions, standardError, STDERR_FILENO) }
    _ = carillon_spawn_close_from(&actions, STDERR_FILENO + 1)
    if let workingDirectory { _ = carillon_spawn_directory(&actions, workingDirectory) }
  }

  private func reset(_ attributes: inout posix_spawnattr_t) {
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    posix_spawnattr_setflags(&attributes, Int16(flags))
  }

  private func mergedEnvironment() throws(LoopError) -> [String] {
    for name in environment.keys where name.isEmpty || name.utf8.contains(UInt8(ascii: "=")) {
      throw LoopError("cannot set the variable \"\(name)\"", EINVAL)
    }
    var merged: [String] = []
    var entry = carillon_environment()
    while let text = entry?.pointee {
      let line = String(cString: text)
      if environment[String(line.prefix { $0 != "=" })] == nil { merged.append(line) }
      entry = entry?.advanced(by: 1)
    }
    return merged + environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
  }
}

/// A NULL-terminated vector of C strings, for the duration of the call.
private func withCStrings<Result>(
  _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
  pointers.append(nil)
  defer { for pointer in pointers { free(pointer) } }
  return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
}
