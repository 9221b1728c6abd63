import CSQLite
import Glibc

/// What is done to a store as a whole.
///
/// Nothing here, or anywhere else, deletes a store's file: a damaged one may hold what can be saved. A restore leaves the
/// one that it replaces beside it.
public enum Maintenance {
  /// Up to this size a store is checked whole before it is used: a tenth of a second at most. Beyond, whoever opens it has
  /// it checked beside its work.
  public static let checkedAtStart: Int64 = 32 << 20

  /// Looks before SQLite does: what it would take for a new database, deleting what belongs to the old one, is refused,
  /// and so is a last page that is cut short, of which it would take the rest for zeros.
  ///
  /// - Parameter wasUsed: whether a process has had the store open before.
  /// - Throws: `corrupt` where the file is empty or gone while its write-ahead log is there, or though it was in use, and
  ///   where it ends within a page.
  static func inspect(_ path: String, wasUsed: Bool) throws(StoreError) {
    let file = size(of: path)
    let hasLog = (size(of: path + "-wal") ?? 0) > 0
    if hasLog, (file ?? 0) == 0 {
      throw .corrupt("the file is \(file == nil ? "gone" : "empty"), but its log \(path)-wal is there")
    }
    // What the log holds is yet to be copied into the file.
    if !hasLog, let file, let page = pageSize(of: path), file % page != 0 {
      throw .corrupt("the file ends in the middle of a page")
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
  static func size(of path: String) -> Int64? {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : nil
  }

  /// Bytes of a page, as the header says at its byte 16 (SQLite's file format, 1.3.2); nil where there is no such header.
  private static func pageSize(of path: String) -> Int64? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = [0, 0]
    guard pread(file, &bytes, 2, 16) == 2 else { return nil }
    let size = Int64(bytes[0]) << 8 | Int64(bytes[1])
    // 1 stands for 65,536, which two bytes do not hold.
    return size == 1 ? 65_536 : size >= 512 && size & (size - 1) == 0 ? size : nil
  }

  /// SQLite's findings have line feeds in them.
  private static func oneLine(_ text: String) -> String {
    text.split(separator: "\n").joined(separator: "; ")
  }
}
