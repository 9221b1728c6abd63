import CarillonTestSupport
import Glibc

/// Writes a file in a test's directory, its folders included.
func write(_ name: String, _ text: String, in directory: TemporaryDirectory) throws {
  let path = directory.path + "/" + name
  var folder = ""
  for part in path.split(separator: "/").dropLast() {
    folder += "/" + part
    mkdir(folder, 0o700)
  }
  let file = try FileHandleError.check(fopen(path, "w"))
  fputs(text, file)
  fclose(file)
}

/// A file that a test cannot write.
struct FileHandleError: Error {
  static func check(_ file: UnsafeMutablePointer<FILE>?) throws -> UnsafeMutablePointer<FILE> {
    guard let file else { throw FileHandleError() }
    return file
  }
}
