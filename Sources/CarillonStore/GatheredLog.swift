import CSQLite
import Glibc

/// A write-ahead log that is written in one go at each commit.
///
/// SQLite writes a log page by page, each in two pieces, and what a command changes lies on ten pages: to ask the kernel
/// twenty times takes about as long as to work out what to write. Between `begin` and `end` the pieces are collected and
/// handed to the kernel together, at the latest before the file is synchronised or read. In a durable commit SQLite
/// synchronises the log before it tells anybody of the new pages, so nobody looks for what has not been written. Other commits
/// are left as they are, and so are files that SQLite takes to be torn by a power cut beside what is written: there it writes
/// on after it has synchronised.
///
/// It is a file system in SQLite's sense (https://www.sqlite.org/vfs.html) that hands everything but a log on to the usual
/// one.
struct GatheredLog {
  /// What SQLite keeps for an open log. The file of the usual file system lies behind it.
  private struct File {
    var base: sqlite3_file
    var isGathering = false
    /// Where in the file the collected pieces belong, and how many bytes they have.
    var start: Int64 = 0
    var count = 0
    var pieces: UnsafeMutableRawPointer?
  }

  /// The most that is collected, in bytes: the usual file system takes less than 128 KiB at once. A commit of more pages is
  /// written in several parts.
  private static let capacity = 120 << 10
  /// How far behind its beginning the other file lies.
  private static let offset = (MemoryLayout<File>.size + 15) & ~15

  private let file: UnsafeMutablePointer<File>

  /// The log of a connection; `nil` where it has none yet.
  init?(of connection: OpaquePointer) {
    var found: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &found)
    guard code == SQLITE_OK, let found, found.pointee.pMethods == UnsafePointer(GatheredLog.methods) else {
      return nil
    }
    // SQLite goes by what the database's own file can do.
    var store: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &store) == SQLITE_OK, let store,
      store.pointee.pMethods.pointee.xDeviceCharacteristics(store) & SQLITE_IOCAP_POWERSAFE_OVERWRITE != 0
    else { return nil }
    file = GatheredLog.file(found)
  }

  func begin() { file.pointee.isGathering = true }

  /// The commit has failed: what is left was of it, and nobody knows of that.
  func drop() {
    file.pointee.isGathering = false
    file.pointee.count = 0
  }

  /// The commit is done, and with it what was collected, whatever SQLite has asked for.
  ///
  /// - Returns: SQLite's code.
  func end() -> Int32 {
    file.pointee.isGathering = false
    guard file.pointee.count > 0 else { return SQLITE_OK }
    return UnsafeMutableRawPointer(file).withMemoryRebound(to: sqlite3_file.self, capacity: 1) { log in
      GatheredLog.flushed(log) { $0.pointee.pMethods.pointee.xSync($0, SQLITE_SYNC_NORMAL) }
    }
  }

  // MARK: The file system

  /// Its name, by which a connection asks for it; registered with the first use.
  static let name: String = {
    sqlite3_vfs_register(fileSystem, 0)
    return "carillon"
  }()

  // SQLite's own, which it never changes once it is registered.
  nonisolated(unsafe) private static let usual = sqlite3_vfs_find(nil)!

  // Written here alone, before SQLite is told of it; SQLite links it into its list under a lock of its own.
  nonisolated(unsafe) private static let fileSystem: UnsafeMutablePointer<sqlite3_vfs> = {
    let made = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    made.initialize(to: usual.pointee)
    made.pointee.zName = UnsafePointer(strdup("carillon"))
    made.pointee.pNext = nil
    made.pointee.szOsFile += Int32(offset)
    made.pointee.xOpen = { _, path, file, flags, granted in
      GatheredLog.open(path, file!, flags, granted)
    }
    return made
  }()

  // Written here alone, and only read from then on.
  nonisolated(unsafe) private static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
    let made = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    made.initialize(to: sqlite3_io_methods())
    // Of the first version: a log has no locks and no shared memory of its own, and is not mapped.
    made.pointee.iVersion = 1
    made.pointee.xClose = { GatheredLog.close($0!) }
    made.pointee.xRead = { GatheredLog.read($0!, $1, $2, $3) }
    made.pointee.xWrite = { GatheredLog.write($0!, $1!, Int($2), $3) }
    made.pointee.xTruncate = { log, size in
      GatheredLog.flushed(log!) { $0.pointee.pMethods.pointee.xTruncate($0, size) }
    }
    made.pointee.xSync = { log, flags in
      GatheredLog.flushed(log!) { $0.pointee.pMethods.pointee.xSync($0, flags) }
    }
    made.pointee.xFileSize = { log, size in
      GatheredLog.flushed(log!) { $0.pointee.pMethods.pointee.xFileSize($0, size) }
    }
    made.pointee.xLock = { GatheredLog.usual($0!).pointee.pMethods.pointee.xLock(GatheredLog.usual($0!), $1) }
    made.pointee.xUnlock = {
      GatheredLog.usual($0!).pointee.pMethods.pointee.xUnlock(GatheredLog.usual($0!), $1)
    }
    made.pointee.xCheckReservedLock = {
      GatheredLog.usual($0!).pointee.pMethods.pointee.xCheckReservedLock(GatheredLog.usual($0!), $1)
    }
    made.pointee.xFileControl = {
      GatheredLog.usual($0!).pointee.pMethods.pointee.xFileControl(GatheredLog.usual($0!), $1, $2)
    }
    made.pointee.xSectorSize = {
      GatheredLog.usual($0!).pointee.pMethods.pointee.xSectorSize(GatheredLog.usual($0!))
    }
    made.pointee.xDeviceCharacteristics = {
      GatheredLog.usual($0!).pointee.pMethods.pointee.xDeviceCharacteristics(GatheredLog.usual($0!))
    }
    return made
  }()

  private static func file(_ log: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<File> {
    UnsafeMutableRawPointer(log).assumingMemoryBound(to: File.self)
  }

  /// The file of the usual file system.
  private static func usual(_ log: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<sqlite3_file> {
    (UnsafeMutableRawPointer(log) + offset).assumingMemoryBound(to: sqlite3_file.self)
  }

  private static func open(
    _ path: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32,
    _ granted: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    guard flags & SQLITE_OPEN_WAL != 0 else { return usual.pointee.xOpen(usual, path, file, flags, granted) }
    UnsafeMutableRawPointer(file).bindMemory(to: File.self, capacity: 1).initialize(
      to: File(base: sqlite3_file(pMethods: nil)))
    let code = usual.pointee.xOpen(usual, path, usual(file), flags, granted)
    if code == SQLITE_OK { file.pointee.pMethods = UnsafePointer(methods) }
    return code
  }

  private static func close(_ log: UnsafeMutablePointer<sqlite3_file>) -> Int32 {
    let flushing = flush(log)
    free(file(log).pointee.pieces)
    file(log).pointee.pieces = nil
    let closing = usual(log).pointee.pMethods.pointee.xClose(usual(log))
    return flushing == SQLITE_OK ? closing : flushing
  }

  private static func read(
    _ log: UnsafeMutablePointer<sqlite3_file>, _ bytes: UnsafeMutableRawPointer?, _ count: Int32,
    _ start: Int64
  ) -> Int32 {
    flushed(log) { $0.pointee.pMethods.pointee.xRead($0, bytes, count, start) }
  }

  private static func write(
    _ log: UnsafeMutablePointer<sqlite3_file>, _ bytes: UnsafeRawPointer, _ count: Int, _ start: Int64
  ) -> Int32 {
    let file = file(log)
    let isNext = file.pointee.count == 0 || start == file.pointee.start + Int64(file.pointee.count)
    if !file.pointee.isGathering || !isNext || file.pointee.count + count > capacity {
      let code = flush(log)
      guard code == SQLITE_OK else { return code }
    }
    if file.pointee.pieces == nil, file.pointee.isGathering { file.pointee.pieces = malloc(capacity) }
    guard file.pointee.isGathering, count <= capacity, let pieces = file.pointee.pieces else {
      return usual(log).pointee.pMethods.pointee.xWrite(usual(log), bytes, Int32(count), start)
    }
    if file.pointee.count == 0 { file.pointee.start = start }
    memcpy(pieces + file.pointee.count, bytes, count)
    file.pointee.count += count
    return SQLITE_OK
  }

  /// Does something with the usual file, once what was collected is in it.
  private static func flushed(
    _ log: UnsafeMutablePointer<sqlite3_file>, _ body: (UnsafeMutablePointer<sqlite3_file>) -> Int32
  ) -> Int32 {
    let code = flush(log)
    return code == SQLITE_OK ? body(usual(log)) : code
  }

  private static func flush(_ log: UnsafeMutablePointer<sqlite3_file>) -> Int32 {
    let file = file(log)
    guard file.pointee.count > 0 else { return SQLITE_OK }
    defer { file.pointee.count = 0 }
    return usual(log).pointee.pMethods.pointee.xWrite(
      usual(log), file.pointee.pieces, Int32(file.pointee.count), file.pointee.start)
  }
}
