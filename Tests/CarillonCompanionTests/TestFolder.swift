import Glibc

/// A folder of a test's own, which goes with it. Files are read and written with the plain calls.
final class TestFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/carillon-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failed(number: errno) }
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  struct Failed: Error { var number: Int32 }

  deinit { remove(path) }

  private func remove(_ place: String) {
    if let directory = opendir(place) {
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { remove("\(place)/\(name)") }
      }
      closedir(directory)
      rmdir(place)
    } else {
      unlink(place)
    }
  }

  func text(of name: String) -> String? {
    guard let file = fopen("\(path)/\(name)", "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer.prefix(count) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Writes a shell script and makes it executable.
  func script(_ name: String, _ lines: String) -> String {
    let place = "\(path)/\(name)"
    if let file = fopen(place, "w") {
      fputs("#!/bin/sh\n\(lines)\n", file)
      fclose(file)
    }
    chmod(place, 0o755)
    return place
  }
}
