import Glibc

extension Surroundings {
  /// The folder for what must outlive the program: `$STATE_DIRECTORY`, which systemd sets, else the XDG state
  /// folder (protocol §8); nil where the environment names neither.
  var stateFolder: String? {
    if let folders = environment["STATE_DIRECTORY"], let first = folders.split(separator: ":").first {
      return String(first)
    }
    if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") { return folder + "/carillon" }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return home + "/.local/state/carillon"
  }
}

/// Makes a folder, and those above it, for this user alone.
///
/// - Returns: the system's error number; 0 where it is there.
func makeFolder(_ path: String) -> Int32 {
  var made = path.hasPrefix("/") ? "" : "."
  for part in path.split(separator: "/") {
    made += "/" + part
    if mkdir(made, 0o700) != 0 && errno != EEXIST && errno != EISDIR && errno != EROFS { return errno }
  }
  return access(path, W_OK) == 0 ? 0 : errno
}
