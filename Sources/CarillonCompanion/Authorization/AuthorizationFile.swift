import CarillonLoop
import CarillonModel
import Glibc

/// The file of what was decided on the device: `authorization.json` in the companion's state folder.
public struct AuthorizationFile: Sendable {
  public let path: String

  /// A file beyond this is none of ours.
  private static let sizeLimit = 4 * 1024 * 1024

  public init(_ path: String) { self.path = path }

  /// The file in a companion's state folder.
  public init(in folder: String) { self.init("\(folder)/authorization.json") }

  /// What was decided so far; nothing where there is no file.
  ///
  /// - Throws: where it cannot be read, or is damaged; the message names the file.
  public func load() throws(AuthorizationFault) -> AuthorizationDecisions {
    guard let bytes = try read() else { return AuthorizationDecisions() }
    let json: JSON
    do throws(MalformedJSON) { json = try JSON(parsing: bytes) } catch {
      throw AuthorizationFault("\(path): \(error.message); mend it or remove it")
    }
    do throws(Refusal) { return try AuthorizationDecisions(reading: Fields(json)) } catch {
      throw AuthorizationFault("\(path): \(error.description); mend it or remove it")
    }
  }

  /// Takes a decision. Of two programs that do so at once neither undoes the other's.
  ///
  /// - Returns: all that is decided now.
  /// - Throws: where the file cannot be read or written, or is damaged.
  @discardableResult
  public func decide(_ rule: Authorization.Rule) throws(AuthorizationFault) -> AuthorizationDecisions {
    let lock = open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw fault("cannot write") }
    // Held for one read and one write of a small file.
    defer { close(lock) }
    while flock(lock, LOCK_EX) != 0, errno == EINTR {}
    var decisions = try load()
    decisions.decide(rule)
    try save(decisions)
    return decisions
  }

  /// Replaces the file in one step: after a crash it is the old one or the new one, whole.
  ///
  /// - Throws: where it cannot be written.
  public func save(_ decisions: AuthorizationDecisions) throws(AuthorizationFault) {
    let temporary = "\(path).\(getpid())"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw fault("cannot write") }
    var rest = decisions.encoded[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else { break }
      rest = rest.dropFirst(max(count, 0))
    }
    guard rest.isEmpty, fsync(descriptor) == 0, rename(temporary, path) == 0 else {
      let fault = fault("cannot write")
      close(descriptor)
      unlink(temporary)
      throw fault
    }
    close(descriptor)
    keepFolder()
  }

  /// The rename is on disk when the folder is.
  private func keepFolder() {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let descriptor = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// The bytes; `nil` where there is no file.
  private func read() throws(AuthorizationFault) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw fault("cannot read")
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= AuthorizationFile.sizeLimit {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return bytes }
      if count < 0, errno != EINTR { throw fault("cannot read") }
      bytes += buffer.prefix(max(count, 0))
    }
    throw AuthorizationFault("\(path): larger than 4 MiB; mend it or remove it")
  }

  private func fault(_ what: String) -> AuthorizationFault {
    AuthorizationFault("\(what) \(path): \(systemMessage(errno))")
  }
}

/// Why the file of decisions cannot be used.
public struct AuthorizationFault: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String

  init(_ description: String) { self.description = description }
}
