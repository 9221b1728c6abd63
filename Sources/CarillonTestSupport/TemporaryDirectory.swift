import FoundationEssentials
import Glibc

/// A directory of one test's own, gone with it.
public final class TemporaryDirectory {
  /// Absolute, without a slash at the end.
  public let path: String

  /// - Parameter inMemory: true: in the machine's memory, where there is such a place, so that a test's many stores and
  ///   inboxes do not wait for a busy disk. Programs may not be executable there.
  public init(inMemory: Bool = false) throws {
    let root = inMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(root)/carillon-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TestFailure("cannot create a temporary directory") }
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a file or directory in it, which need not exist.
  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file, replacing it.
  ///
  /// - Returns: its path.
  @discardableResult
  public func write(_ name: String, _ text: String) throws -> String {
    try write(name, Array(text.utf8))
  }

  /// Writes a file, replacing it.
  ///
  /// - Returns: its path.
  @discardableResult
  public func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    try Data(bytes).write(to: URL(filePath: file(name)))
    return file(name)
  }

  /// What a file holds; nil where there is none.
  public func read(_ name: String) -> String? {
    FileManager.default.contents(atPath: file(name)).map { String(decoding: $0, as: UTF8.self) }
  }
}
