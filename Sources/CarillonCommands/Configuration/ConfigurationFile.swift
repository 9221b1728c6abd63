import CarillonLoop
import CarillonModel
import Glibc

/// One configuration file as it was read.
package struct ConfigurationFile: Sendable {
  let path: String
  package let object: JSONObject
  let places: JSON5Places
  let lines: [String]

  /// A file larger than this is none of ours: 1 MiB.
  static let sizeLimit = 1 << 20

  /// - Returns: nil where there is no such file.
  /// - Throws: `Failure` (configuration) where it is there and cannot be read, or is not JSON5.
  init?(path: String) throws {
    guard let bytes = try ConfigurationFile.bytes(of: path) else { return nil }
    try self.init(path: path, bytes: bytes)
  }

  /// - Parameter path: what messages call the file.
  /// - Throws: `Failure` (configuration) where the bytes are not an object of JSON5.
  package init(path: String, bytes: [UInt8]) throws(Failure) {
    self.path = path
    lines = String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    do throws(JSON5Fault) {
      let read = try JSON5.read(bytes)
      guard case .object(let object) = read.value else {
        throw JSON5Fault(message: "holds \(read.value.kind) where { … } is wanted", line: 1, column: 1)
      }
      (self.object, places) = (object, read.places)
    } catch {
      throw ConfigurationFile.failure(
        path, error.message, lines, error.line > 0 ? .init(line: error.line, column: error.column) : nil)
    }
  }

  /// The failure that a refused value of this file is, with its place.
  package func failure(_ refusal: Refusal) -> Failure {
    let label = refusal.path.isEmpty ? "" : "\(refusal.path): "
    return ConfigurationFile.failure(path, label + refusal.message, lines, place(of: refusal.path))
  }

  /// The place of a path, or of the nearest thing around it that has one.
  private func place(of path: String) -> JSON5Places.Place? {
    var path = path[...]
    while !path.isEmpty {
      if let place = places[String(path)] { return place }
      guard let end = path.lastIndex(where: { $0 == "." || $0 == "[" }) else { return nil }
      path = path[..<end]
    }
    return nil
  }

  private static func failure(
    _ path: String, _ message: String, _ lines: [String], _ place: JSON5Places.Place?
  ) -> Failure {
    guard let place, place.line <= lines.count else { return Failure(.configuration, "\(path): \(message)") }
    let line = lines[place.line - 1]
    return Failure(
      .configuration, "\(path), line \(place.line), column \(place.column): \(message)",
      details: mayHoldSecret(line) ? [] : Caret.lines(line, column: place.column))
  }

  /// Whether a line looks like one with a password in it, which is for nobody's terminal or log: a login in a broker's
  /// address, or a key of that name.
  private static func mayHoldSecret(_ line: String) -> Bool {
    let text = line.lowercased().replacing("passwordfile", with: "")
    if text.contains("password") { return true }
    return text.firstRange(of: "://").map { text[$0.upperBound...].contains("@") } ?? false
  }

  /// The bytes of a file; nil where there is none.
  static func bytes(of path: String) throws -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw Failure(.configuration, "\(path): cannot be read: \(systemMessage(errno))")
    }
    defer { close(descriptor) }
    guard let bytes = readAll(descriptor, limit: sizeLimit) else {
      throw Failure(
        .configuration, "\(path): cannot be read, or is larger than 1 MiB: \(systemMessage(errno))")
    }
    return bytes
  }
}

/// Everything that a descriptor gives until its end; nil at an error, and beyond the limit.
func readAll(_ descriptor: Int32, limit: Int) -> [UInt8]? {
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 65536)
  while bytes.count <= limit {
    let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    if count < 0 && errno == EINTR { continue }
    if count < 0 { return nil }
    if count == 0 { return bytes }
    bytes.append(contentsOf: chunk.prefix(count))
  }
  errno = EFBIG
  return nil
}
