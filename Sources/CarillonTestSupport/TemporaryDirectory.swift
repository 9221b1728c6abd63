import FoundationEssentials
import Glibc

/// A directory of one test's own, gone with it.
public final class TemporaryDirectory {
  /// Absolute, without a slash at the end.
  public let path: String

  public init() throws {
    var template = Array("/tmp/carillon-test-XXXXXX".utf8CString)
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
