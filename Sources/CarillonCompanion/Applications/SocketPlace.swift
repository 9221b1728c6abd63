import CarillonLoop
import CarillonModel
import Glibc

/// Where a companion's socket is, for the companion itself and for what attaches to it.
public enum SocketPlace {
  /// `carillon/<device>.sock` in the user's runtime folder: that of `XDG_RUNTIME_DIR`, else `/run/user/<uid>` where
  /// there is one. Without it: `<device>.sock` in the folder of the program's state.
  ///
  /// - Parameters:
  ///   - state: the folder in which programs keep their state, that of this program in it.
  ///   - runtimeFolders: where the system makes the users' runtime folders.
  /// - Returns: `nil` where the environment names none of them.
  public static func path(
    device: Name, environment: [String: String], state: String?, runtimeFolders: String = "/run/user"
  ) -> String? {
    let standard = "\(runtimeFolders)/\(geteuid())"
    if let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") {
      return "\(folder)/carillon/\(device).sock"
    }
    if access(standard, W_OK) == 0 { return "\(standard)/carillon/\(device).sock" }
    return state.map { "\($0)/\(device).sock" }
  }

  /// Makes the socket's folder where it is missing, for this user alone, and checks whose it is: who may write there could
  /// put another socket in its place.
  static func prepareFolder(of path: String) throws(SocketFault) {
    guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/") else {
      throw SocketFault("the socket's path must begin with /: \(path)")
    }
    let folder = String(path[..<slash])
    var made = ""
    for part in folder.split(separator: "/") {
      made += "/" + part
      if mkdir(made, 0o700) != 0, ![EEXIST, EISDIR, EROFS].contains(errno) {
        throw SocketFault("cannot make the folder \(made): \(systemMessage(errno))")
      }
    }
    var status = stat()
    guard stat(folder, &status) == 0 else {
      throw SocketFault("cannot use the folder \(folder): \(systemMessage(errno))")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw SocketFault("\(folder) is no folder") }
    guard status.st_uid == geteuid() else {
      throw SocketFault("the folder \(folder) belongs to another user")
    }
    guard status.st_mode & 0o022 == 0 else {
      throw SocketFault("others may write in the folder \(folder); chmod go-w \(folder)")
    }
  }
}

/// Why a companion has no socket for applications.
public struct SocketFault: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String

  init(_ description: String) { self.description = description }
}
