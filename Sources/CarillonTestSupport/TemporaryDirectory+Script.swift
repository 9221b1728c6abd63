import Glibc

extension TemporaryDirectory {
  /// Writes a shell script and makes it executable.
  ///
  /// - Returns: its path.
  public func script(_ name: String, _ lines: String) throws -> String {
    let path = try write(name, "#!/bin/sh\n\(lines)\n")
    chmod(path, 0o755)
    return path
  }
}
