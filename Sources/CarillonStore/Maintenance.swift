import CSQLite
import Glibc

/// What is done to a store as a whole.
///
/// Nothing here, or anywhere else, deletes or replaces a store's file: a damaged one may hold what can be saved.
public enum Maintenance {
  /// Up to this size a store is checked whole before it is used: a tenth of a second at most. Beyond, whoever opens it has
  /// it checked beside its work.
  public static let checkedAtStart: Int64 = 32 << 20

  /// Looks before SQLite does: what it would take for a new database, deleting what belongs to the old one, is refused.
  ///
  /// - Parameter wasUsed: whether a process has had the store open before.
  /// - Throws: `corrupt` where the file is empty or gone while its write-ahead log is there, or though it was in use.
  static func inspect(_ path: String, wasUsed: Bool) throws(StoreError) {
    let file = size(of: path)
    if (size(of: path + "-wal") ?? 0) > 0, (file ?? 0) == 0 {
      throw .corrupt("the file is \(file == nil ? "gone" : "empty"), but its log \(path)-wal is there")
    }
    if wasUsed, file == 0 { throw .corrupt("the file is empty, though it has been in use") }
  }

  /// Checks a store's pages and rows, where it is small enough to be checked at each start.
  ///
  /// - Returns: whether it was.
  /// - Throws: `corrupt` with the first finding.
  static func checkAtStart(_ database: Database) throws(StoreError) -> Bool {
    guard (size(of: database.path) ?? 0) <= checkedAtStart else { return false }
    try check(database)
    return true
  }

  /// Checks a store's pages and rows in its file, which another process may be writing to, and changes nothing. Until it
  /// is done that process cannot begin its write-ahead log anew.
  ///
  /// - Throws: `corrupt` with the first finding, and what keeps it from being read.
  public static func check(path: String) throws(StoreError) {
    try check(try Database(path: path, isReadOnly: true))
  }

  /// Checks a store's pages and rows, whatever its size.
  ///
  /// - Throws: `corrupt` with the first finding.
  static func check(_ database: Database) throws(StoreError) {
    let finding = try database.text("PRAGMA quick_check(1)")
    guard finding == "ok" else { throw .corrupt(oneLine(finding ?? "the check gives no answer")) }
  }

  /// Bytes; nil where there is no such file.
  private static func size(of path: String) -> Int64? {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : nil
  }

  /// SQLite's findings have line feeds in them.
  private static func oneLine(_ text: String) -> String {
    text.split(separator: "\n").joined(separator: "; ")
  }
}
